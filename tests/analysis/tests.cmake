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
  set_tests_properties(analysis/stacks_runs PROPERTIES ENVIRONMENT
    "CULPRIT=$<TARGET_FILE:culprit>;PROGRAMS=${CMAKE_CURRENT_BINARY_DIR}/guest_programs")
endif()

# The stall sensors listen to the real core, which runs the core tests' programs and kernels.
set_property(TARGET test_analysis_stalls_core PROPERTY LINK_LIBRARIES core_rig culprit_analysis culprit_core
             PkgConfig::CMOCKA)
target_sources(test_analysis_stalls_core PRIVATE ${CMAKE_CURRENT_LIST_DIR}/stalls_reference.c)
target_include_directories(test_analysis_stalls_core PRIVATE ${CMAKE_CURRENT_LIST_DIR})
add_dependencies(test_analysis_stalls_core core_kernels)

# Another simulator, through the header alone. Its output by hand, cycle by cycle: 0 start; 1 the first load has no history
# yet; 2-7 its miss; 9 the second load's last cycle; 11 the addition, which waited for the cycle before that; 13-15 the
# instruction miss; 16 the last instruction is just there. Commits in 8, 10, 12, 17.
add_executable(example_stalls ${CMAKE_SOURCE_DIR}/examples/stalls.c)
target_link_libraries(example_stalls culprit_analysis)
add_test(NAME analysis/example_stalls COMMAND example_stalls)
set_tests_properties(analysis/example_stalls PROPERTIES PASS_REGULAR_EXPRESSION
  "^18 cycles, 4 committed, 14 opportunities lost\n 10  not finished\n  7    load miss\n  2    too close\n  1    waits for an operand\n  1      load miss\n  4  nothing to commit\n  3    instruction miss\n  1    start\n$")

# These look at the graph's lanes as the core's tests do.
foreach(test edges shotgun_time)
  target_sources(test_analysis_${test} PRIVATE ${CMAKE_SOURCE_DIR}/tests/core/blame_graph.c)
  target_include_directories(test_analysis_${test} PRIVATE ${CMAKE_SOURCE_DIR}/tests/core)
endforeach()
