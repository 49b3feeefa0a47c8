# Programs and references that the tests of this room need.
include(${CMAKE_CURRENT_LIST_DIR}/fp_reference.cmake)
# test_disassemble compares with binutils and says 77 where there is none.
set_tests_properties(riscv/disassemble PROPERTIES SKIP_RETURN_CODE 77)
