# The reference of test_fp: a RISC-V program and the emulator that runs it. Without them test_fp skips what needs them.
find_program(QEMU_RISCV64 qemu-riscv64)
find_program(RISCV64_CC NAMES riscv64-linux-gnu-gcc)
set(fp_reference ${CMAKE_CURRENT_BINARY_DIR}/fp_reference)
target_compile_definitions(test_riscv_fp PRIVATE FP_REFERENCE="${fp_reference}")
if(QEMU_RISCV64 AND RISCV64_CC)
  add_custom_command(
    OUTPUT ${fp_reference}
    COMMAND ${RISCV64_CC} -O2 -static -o ${fp_reference} ${CMAKE_CURRENT_LIST_DIR}/fp_reference.c
    DEPENDS ${CMAKE_CURRENT_LIST_DIR}/fp_reference.c ${CMAKE_CURRENT_LIST_DIR}/fp_reference.h
            ${CMAKE_CURRENT_LIST_DIR}/fp_cases.def
    VERBATIM)
  add_custom_target(fp_reference_program DEPENDS ${fp_reference})
  add_dependencies(test_riscv_fp fp_reference_program)
  target_compile_definitions(test_riscv_fp PRIVATE REFERENCE_EMULATOR="${QEMU_RISCV64}")
else()
  target_compile_definitions(test_riscv_fp PRIVATE REFERENCE_EMULATOR="")
endif()
