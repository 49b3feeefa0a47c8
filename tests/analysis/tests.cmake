# The library's example: built like a user would, and its numbers.
add_executable(example_graph ${CMAKE_SOURCE_DIR}/examples/graph.c)
target_link_libraries(example_graph culprit_analysis)
add_test(NAME analysis/example_graph COMMAND example_graph)
set_tests_properties(analysis/example_graph PROPERTIES PASS_REGULAR_EXPRESSION
  "time 95\nfirst load +cost   0  icost   0\n +second load cost   1  icost   1\nfirst load  \\+ second load cost  90  icost  89\n")

# Whole runs with the counter architectures listening: their sums, and events that the caches count for themselves.
if(TARGET culprit)
  target_link_libraries(test_analysis_stacks_runs PkgConfig::JANSSON)
  add_dependencies(test_analysis_stacks_runs culprit)
  set_tests_properties(analysis/stacks_runs PROPERTIES TIMEOUT 300 ENVIRONMENT
    "CULPRIT=$<TARGET_FILE:culprit>;PROGRAMS=${CMAKE_CURRENT_BINARY_DIR}/guest_programs")
endif()

# The stall sensors listen to the real core, which runs the core tests' programs and kernels.
set_property(TARGET test_analysis_stalls_core PROPERTY LINK_LIBRARIES core_rig culprit_analysis culprit_core
             PkgConfig::CMOCKA)
target_sources(test_analysis_stalls_core PRIVATE ${CMAKE_CURRENT_LIST_DIR}/stalls_reference.c)
target_include_directories(test_analysis_stalls_core PRIVATE ${CMAKE_CURRENT_LIST_DIR})
add_dependencies(test_analysis_stalls_core core_kernels)
