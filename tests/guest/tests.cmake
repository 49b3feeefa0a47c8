# run_guest: runs one program functionally, for the scripts here and by hand.
add_executable(run_guest guest/run_guest.c)
target_link_libraries(run_guest culprit_guest)
