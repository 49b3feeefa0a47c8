target_compile_definitions(test_run_profile_guest PRIVATE
  CLI_PROGRAMS="${CMAKE_CURRENT_BINARY_DIR}/cli_programs" GUEST_PROGRAMS="${CMAKE_CURRENT_BINARY_DIR}/guest_programs")
