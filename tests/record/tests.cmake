# Records that are filled wrong, and what check says of them.
if(TARGET cli_programs)
  add_executable(plant record/plant.c)
  target_link_libraries(plant culprit_record)
  add_test(NAME record/planted COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/record/planted $<TARGET_FILE:culprit>
           ${CMAKE_CURRENT_BINARY_DIR}/cli_programs $<TARGET_FILE:plant>)
endif()
