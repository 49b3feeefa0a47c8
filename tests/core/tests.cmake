# kernels/NAME.S: flat guest code for the core's tests, linked at BARE_CODE.
find_program(RISCV_CC riscv64-linux-gnu-gcc)
find_program(RISCV_OBJCOPY riscv64-linux-gnu-objcopy)
if(NOT RISCV_CC OR NOT RISCV_OBJCOPY)
  message(FATAL_ERROR "the core's tests need gcc-riscv64-linux-gnu and binutils-riscv64-linux-gnu")
endif()
set(core_kernels ${CMAKE_CURRENT_BINARY_DIR}/core_kernels)
file(GLOB kernel_sources CONFIGURE_DEPENDS ${CMAKE_CURRENT_LIST_DIR}/kernels/*.S)
set(kernel_binaries "")
foreach(source ${kernel_sources})
  get_filename_component(name ${source} NAME_WE)
  set(binary ${core_kernels}/${name})
  add_custom_command(OUTPUT ${binary}
    COMMAND ${CMAKE_COMMAND} -E make_directory ${core_kernels}
    COMMAND ${RISCV_CC} -march=rv64gc -mabi=lp64d -nostdlib -static -Wl,-Ttext=0x10000 -Wl,--build-id=none
            -o ${binary}.elf ${source}
    COMMAND ${RISCV_OBJCOPY} -O binary -j .text ${binary}.elf ${binary}
    DEPENDS ${source} ${CMAKE_CURRENT_LIST_DIR}/kernels/kernel.h VERBATIM)
  list(APPEND kernel_binaries ${binary})
endforeach()
add_custom_target(core_kernels DEPENDS ${kernel_binaries})

add_library(core_rig STATIC core/bare_guest.c core/kernel_rig.c core/random_machine.c core/any_machine.c core/random_program.c
            core/plain_loop.c core/varied_program.c core/varied_parts.c core/varied_machine.c core/core_digest.c)
target_link_libraries(core_rig culprit_core PkgConfig::CMOCKA)
target_compile_definitions(core_rig PRIVATE CORE_KERNELS="${core_kernels}")
file(GLOB core_tests ${CMAKE_CURRENT_LIST_DIR}/test_*.c)
foreach(source ${core_tests})
  get_filename_component(name ${source} NAME_WE)
  string(REGEX REPLACE "^test_" "test_core_" target ${name})
  # before the rooms: bare_guest stands in for src/guest
  set_property(TARGET ${target} PROPERTY LINK_LIBRARIES core_rig culprit_core PkgConfig::CMOCKA)
  add_dependencies(${target} core_kernels)
endforeach()

# The shotgun profiler from the core's records to fragments of them.
target_compile_definitions(test_core_shotgun PRIVATE CORE_KERNELS="${core_kernels}")
set_property(TARGET test_core_shotgun PROPERTY LINK_LIBRARIES core_rig culprit_analysis culprit_core PkgConfig::CMOCKA)

target_link_libraries(test_core_kernels_critical culprit_analysis)
target_link_libraries(test_core_kernels_order culprit_analysis)
target_link_libraries(test_core_kernels_oracle culprit_analysis)
target_link_libraries(test_core_replay culprit_analysis)

# Every analysis on machines drawn from the machine tables. A thousand of them: test_core_machines -n 1000
target_sources(test_core_machines PRIVATE ${CMAKE_CURRENT_LIST_DIR}/machine_checks.c
               ${CMAKE_CURRENT_LIST_DIR}/machine_figures.c)
target_link_libraries(test_core_machines culprit_analysis)

# The critical path and the interaction costs, node by node.
target_sources(test_core_blame PRIVATE ${CMAKE_CURRENT_LIST_DIR}/blame_graph.c ${CMAKE_CURRENT_LIST_DIR}/blame_critical.c)
target_link_libraries(test_core_blame culprit_analysis)
