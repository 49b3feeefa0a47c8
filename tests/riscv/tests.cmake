# Programs and references that the tests of this room need.
include(${CMAKE_CURRENT_LIST_DIR}/fp_reference.cmake)
