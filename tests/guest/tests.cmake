# run_guest: runs one program functionally, for the tests here and by hand.
add_executable(run_guest guest/run_guest.c)
target_link_libraries(run_guest culprit_guest)

# programs/NAME.c, compiled for riscv64, run by check_program against expected/NAME.
find_program(RISCV_CC riscv64-linux-gnu-gcc)
if(RISCV_CC)
  file(GLOB guest_programs CONFIGURE_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/guest/programs/*.c)
  set(guest_binaries "")
  foreach(source ${guest_programs})
    get_filename_component(name ${source} NAME_WE)
    set(binary ${CMAKE_CURRENT_BINARY_DIR}/guest_programs/${name})
    add_custom_command(OUTPUT ${binary}
      COMMAND ${CMAKE_COMMAND} -E make_directory ${CMAKE_CURRENT_BINARY_DIR}/guest_programs
      COMMAND ${RISCV_CC} -D_GNU_SOURCE -O1 -static -pthread -o ${binary} ${source} -lm
      DEPENDS ${source} VERBATIM)
    list(APPEND guest_binaries ${binary})
    if(name STREQUAL race) # needs somebody beside it
      add_test(NAME guest/race COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/guest/race $<TARGET_FILE:run_guest> ${binary} 3000)
    else()
      add_test(NAME guest/program/${name}
        COMMAND ${CMAKE_CURRENT_SOURCE_DIR}/guest/check_program $<TARGET_FILE:run_guest> ${binary}
                ${CMAKE_CURRENT_SOURCE_DIR}/guest/expected/${name})
    endif()
  endforeach()
  add_custom_target(guest_programs ALL DEPENDS ${guest_binaries})
endif()
