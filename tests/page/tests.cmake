# The interactive report: the bundle is what its sources make, and a browser shows what the result says. Both are skipped where
# Node, Chromium or the page's packages are not there.
add_test(NAME page/bundle COMMAND ${CMAKE_CURRENT_LIST_DIR}/bundle)
add_test(NAME page/browser COMMAND ${CMAKE_CURRENT_LIST_DIR}/browser $<TARGET_FILE:culprit>)
add_test(NAME page/kinds COMMAND ${CMAKE_CURRENT_LIST_DIR}/kinds $<TARGET_FILE:culprit>)
add_test(NAME page/writer COMMAND ${CMAKE_CURRENT_LIST_DIR}/writer $<TARGET_FILE:culprit>)
set_tests_properties(page/bundle page/browser page/kinds page/writer PROPERTIES SKIP_RETURN_CODE 77)
set_tests_properties(page/bundle page/browser page/kinds PROPERTIES LABELS slow)
