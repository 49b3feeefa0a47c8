# Traces of other simulators, written from our own records, and read again.
if(TARGET cli_programs)
  add_executable(write_trace import/write_trace.c)
  target_link_libraries(write_trace culprit_record culprit_riscv)
  add_executable(write_commits import/write_commits.c)
  target_link_libraries(write_commits culprit_guest)
  add_test(NAME import/follow COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/import/follow $<TARGET_FILE:culprit>
           ${CMAKE_CURRENT_BINARY_DIR}/cli_programs $<TARGET_FILE:write_commits>)
  add_test(NAME import/encoded COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/import/encoded $<TARGET_FILE:culprit>
           ${CMAKE_CURRENT_BINARY_DIR}/cli_programs $<TARGET_FILE:write_commits>)
  add_test(NAME import/foreign COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/import/foreign $<TARGET_FILE:culprit>
           ${CMAKE_CURRENT_BINARY_DIR}/cli_programs $<TARGET_FILE:write_trace> $<TARGET_FILE:write_commits>)
  add_test(NAME import/traces COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/import/traces $<TARGET_FILE:culprit>
           ${CMAKE_CURRENT_BINARY_DIR}/cli_programs $<TARGET_FILE:write_trace>)
endif()
