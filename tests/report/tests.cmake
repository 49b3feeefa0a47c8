add_test(NAME report/trust COMMAND ${CMAKE_CURRENT_LIST_DIR}/trust)
