# kill-often ... 50 200 is the long form: docs/reference/sweep-plan.md has its figures.
if(RISCV_CC)
  add_test(NAME sweep/kill-often COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/sweep/kill-often $<TARGET_FILE:culprit> ${cli_programs}/phases 6 24)
endif()
