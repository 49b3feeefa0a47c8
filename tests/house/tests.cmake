# Rules of the house that a script can check.
foreach(check include_direction include_direction_test plain_text structure structure_test manual manual_test reach
        reach_test)
  add_test(NAME house/${check} COMMAND ${CMAKE_CURRENT_LIST_DIR}/${check} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endforeach()
