# Real programs give the same output and exit status as under qemu-user: run functionally, and simulated to the end.
# All programs of workloads/table.tsv: `workloads/compare`.
if(TARGET culprit)
  foreach(name gzip bzip2 lua sqlite3 busybox)
    add_test(NAME workloads/${name} COMMAND ${CMAKE_SOURCE_DIR}/workloads/compare ${name}-small)
    add_test(NAME workloads/${name}-timed COMMAND ${CMAKE_SOURCE_DIR}/workloads/compare --timed ${name}-small)
    set_tests_properties(workloads/${name} workloads/${name}-timed PROPERTIES
      LABELS slow ENVIRONMENT "CULPRIT=$<TARGET_FILE:culprit>")
  endforeach()
endif()
