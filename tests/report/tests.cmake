add_test(NAME report/trust COMMAND ${CMAKE_CURRENT_LIST_DIR}/trust)
target_link_libraries(test_report_cause_key culprit_analysis)
