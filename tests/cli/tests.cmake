# Guest programs for the tests of whole commands.
find_program(RISCV_CC riscv64-linux-gnu-gcc)
if(RISCV_CC)
  set(cli_programs ${CMAKE_CURRENT_BINARY_DIR}/cli_programs)
  file(GLOB cli_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/cli/programs/*.c)
  set(cli_binaries "")
  foreach(source ${cli_sources})
    get_filename_component(name ${source} NAME_WE)
    add_custom_command(OUTPUT ${cli_programs}/${name}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${cli_programs}
      COMMAND ${RISCV_CC} -O2 -g -static -o ${cli_programs}/${name} ${source} -lm -pthread
      DEPENDS ${source} VERBATIM)
    list(APPEND cli_binaries ${cli_programs}/${name})
  endforeach()
  add_custom_target(cli_programs ALL DEPENDS ${cli_binaries})
  add_executable(clean_signals cli/clean_signals.c)
  set_target_properties(clean_signals PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${cli_programs})
  add_library(fail_allocation MODULE cli/fail_allocation.c)
  set_target_properties(fail_allocation PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${cli_programs} PREFIX "")
  foreach(name help pages annotate diff export fit sample sweep simpoint checkpoint slurm truth truth-score truth-order graph-base graph-trust graph-class profile model-machines model-prefetch rerun outputs out-of-memory run-causes run-critical run-errors run-ideal run-killed
          run-bounds run-confined run-isa run-libraries run-places run-vectors run-jobs run-streams run-signals interrupted run-turns surroundings run-sound run-shotgun records plugins manual demo peers growth)
    add_test(NAME cli/${name} COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/cli/${name} $<TARGET_FILE:culprit> ${cli_programs})
    set_tests_properties(cli/${name} PROPERTIES SKIP_RETURN_CODE 77)
  endforeach()
  set_tests_properties(cli/slurm cli/growth cli/truth-order PROPERTIES LABELS slow)
endif()
