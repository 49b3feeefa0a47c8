# libculprit as others get it. Not where objects ask for a sanitizer's runtime.
add_test(NAME library/numbers COMMAND ${CMAKE_CURRENT_LIST_DIR}/numbers)
if(NOT CULPRIT_SANITIZE AND TARGET cli_programs)
  add_test(NAME library/installed COMMAND ${CMAKE_CURRENT_LIST_DIR}/installed ${CMAKE_BINARY_DIR} $<TARGET_FILE:culprit>
           ${cli_programs}/status)
  add_test(NAME library/wheel COMMAND ${CMAKE_CURRENT_LIST_DIR}/wheel ${CMAKE_BINARY_DIR})
  set_tests_properties(library/wheel PROPERTIES LABELS slow) # an environment with pip takes most of it
  add_test(NAME library/example COMMAND ${CMAKE_CURRENT_LIST_DIR}/example ${CMAKE_BINARY_DIR})
endif()
