# The schemas are schemas. Results are held against them by cli/rerun and by the golden outputs.
add_test(NAME schema/valid COMMAND ${CMAKE_CURRENT_LIST_DIR}/validate)
