# Random instruction sequences against another emulator. More: CULPRIT_RANDOM_PROGRAMS=1000 ctest -R random
add_executable(random_sequences random/random_sequences.c random/coverage.c random/host.c random/program.c
               random/unit_jump.c random/unit_memory.c random/units.c)
target_link_libraries(random_sequences culprit_riscv)
target_include_directories(random_sequences PRIVATE ${CMAKE_CURRENT_SOURCE_DIR})
add_test(NAME random/sequences COMMAND random_sequences)
set_tests_properties(random/sequences PROPERTIES SKIP_RETURN_CODE 77)

add_test(NAME random/bits COMMAND random_sequences -b)
set_tests_properties(random/bits PROPERTIES SKIP_RETURN_CODE 77)

# Half precision and compare-and-swap, which need a newer emulator than most hosts have: CULPRIT_NEWER_EMULATOR names a qemu-riscv64
# from 8.2 on. The vectors with half-precision arithmetic, likewise: tests/random/vectors -z -e.
if(DEFINED ENV{CULPRIT_NEWER_EMULATOR})
  set(newer "$ENV{CULPRIT_NEWER_EMULATOR} -cpu rv64,zfh=true,zfa=true,zacas=true")
  add_test(NAME random/half COMMAND random_sequences -f -e "${newer}")
  add_test(NAME random/swaps COMMAND random_sequences -c -e "${newer}")
endif()

# The same through the command line: the guest's loader and system calls, and the timing core with its wrong paths. The
# seeds are ones that once stopped a core: a squashed instruction that names a register twice; full queues that make
# time stand still.
if(TARGET culprit)
  set(culprit_run "$<TARGET_FILE:culprit> run -q -o /dev/null")
  add_test(NAME random/functional COMMAND random_sequences -p 3 -a "${culprit_run} --functional --")
  add_test(NAME random/timed_bits COMMAND random_sequences -b -p 2 -l 100
           -a "${culprit_run} --isa rv64gcb_zbc_zicond --")
  add_test(NAME random/timed COMMAND random_sequences -s 524 -p 3 -l 100 -a "${culprit_run} --")
  add_test(NAME random/timed_small COMMAND random_sequences -s 900 -p 3 -a "${culprit_run} -m boom-small --")
  set_tests_properties(random/functional random/timed random/timed_bits random/timed_small PROPERTIES
                       WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} SKIP_RETURN_CODE 77)
endif()

# Vector instructions. More, and against a newer emulator: tests/random/vectors -h
if(TARGET culprit)
  set(culprit_vectors $<TARGET_FILE:culprit> run -q -o /dev/null --isa rv64gcv)
  set(vectors ${CMAKE_CURRENT_SOURCE_DIR}/random/vectors)
  add_test(NAME random/vectors COMMAND ${vectors} -n 2000 -- ${culprit_vectors} --functional --)
  add_test(NAME random/vectors_wide COMMAND ${vectors} -s 2 -n 500 -v 1024 -- ${culprit_vectors} -m boom-large --set vector.vlen=1024 --)
  add_test(NAME random/vectors_timed COMMAND ${vectors} -s 3 -n 1000 -- ${culprit_vectors} -m boom-mega --)
  set_tests_properties(random/vectors random/vectors_wide random/vectors_timed PROPERTIES
                       WORKING_DIRECTORY ${CMAKE_SOURCE_DIR} SKIP_RETURN_CODE 77)
endif()
