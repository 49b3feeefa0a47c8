# Golden outputs: CONTRIBUTING.md says how to refresh them.
set(golden_programs ${CMAKE_CURRENT_BINARY_DIR}/golden_programs)
set(golden_binaries "")
foreach(name program crash team)
  set(source ${CMAKE_CURRENT_LIST_DIR}/${name}.S)
  set(script ${CMAKE_CURRENT_LIST_DIR}/program.ld)
  add_custom_command(OUTPUT ${golden_programs}/${name}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${golden_programs}
    COMMAND ${RISCV_CC} -march=rv64gc -mabi=lp64d -nostdlib -static -no-pie -g -Wa,--debug-prefix-map,${CMAKE_CURRENT_LIST_DIR}=.
            -Wl,--build-id=none -Wl,--no-relax -Wl,-T,${script} -o ${golden_programs}/${name} ${name}.S
    WORKING_DIRECTORY ${CMAKE_CURRENT_LIST_DIR} DEPENDS ${source} ${script} VERBATIM)
  list(APPEND golden_binaries ${golden_programs}/${name})
endforeach()
foreach(name gshare next_line)
  set(source ${CMAKE_SOURCE_DIR}/examples/plugins/${name}.c)
  add_custom_command(OUTPUT ${golden_programs}/${name}.so
    COMMAND ${CMAKE_C_COMPILER} -shared -fPIC -O2 -I ${CMAKE_SOURCE_DIR}/include -o ${golden_programs}/${name}.so ${source}
    DEPENDS ${source} ${CMAKE_SOURCE_DIR}/include/culprit/plugin.h VERBATIM)
  list(APPEND golden_binaries ${golden_programs}/${name}.so)
endforeach()
add_custom_target(golden_programs ALL DEPENDS ${golden_binaries})

# Report writers on results made by hand.
file(GLOB golden_made_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/made*.c)
add_executable(golden_made ${golden_made_sources})
target_link_libraries(golden_made culprit_report culprit_analysis)

# A profile's counts, and predictions from it for machines drawn at random.
add_executable(golden_predictions ${CMAKE_CURRENT_LIST_DIR}/predictions.c ${CMAKE_CURRENT_LIST_DIR}/streams.c)
target_include_directories(golden_predictions PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/core)
target_link_libraries(golden_predictions culprit_interval core_rig culprit_core PkgConfig::CMOCKA)

# All that the core tells of many pairs of a program and a machine.
add_executable(golden_pairs ${CMAKE_CURRENT_LIST_DIR}/pairs.c ${CMAKE_CURRENT_LIST_DIR}/pair_run.c
               ${CMAKE_CURRENT_LIST_DIR}/pair_analyses.c ${CMAKE_CURRENT_SOURCE_DIR}/core/machine_checks.c
               ${CMAKE_CURRENT_SOURCE_DIR}/core/machine_figures.c)
target_include_directories(golden_pairs PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/core)
target_link_libraries(golden_pairs core_rig culprit_core culprit_analysis PkgConfig::CMOCKA)

# All that the analyses make of many streams of records.
file(GLOB golden_net_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/net*.c)
add_executable(golden_nets ${golden_net_sources} ${CMAKE_CURRENT_SOURCE_DIR}/core/machine_figures.c)
target_include_directories(golden_nets PRIVATE ${CMAKE_CURRENT_SOURCE_DIR}/core)
target_link_libraries(golden_nets core_rig culprit_core culprit_analysis PkgConfig::CMOCKA)

# One test for each suite, the first word of a row of the table.
file(STRINGS ${CMAKE_CURRENT_LIST_DIR}/cases golden_rows REGEX "^[a-z]")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/cases)
set(golden_suites "")
foreach(row ${golden_rows})
  string(REGEX REPLACE "[ \t].*" "" suite "${row}")
  list(APPEND golden_suites ${suite})
endforeach()
list(REMOVE_DUPLICATES golden_suites)
foreach(suite ${golden_suites})
  add_test(NAME golden/${suite} COMMAND ${CMAKE_CURRENT_LIST_DIR}/check ${CMAKE_BINARY_DIR} ${suite})
  set_tests_properties(golden/${suite} PROPERTIES TIMEOUT 600)
endforeach()
add_test(NAME golden/complete COMMAND ${CMAKE_CURRENT_LIST_DIR}/complete)
add_test(NAME golden/columns COMMAND ${CMAKE_CURRENT_LIST_DIR}/columns)
