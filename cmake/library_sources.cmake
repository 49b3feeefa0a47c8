# What libculprit is made of: whole rooms, and of two more what makes results of records. A room with a file here is
# compiled for a shared object, once for the program and the library: where programs are position-independent, as Debian's
# gcc makes them, the program's code stays the same.
include_guard()
set(CULPRIT_LIBRARY_OPTIONS -fPIC -fvisibility=hidden)
file(GLOB CULPRIT_LIBRARY_SOURCES RELATIVE ${CMAKE_SOURCE_DIR} CONFIGURE_DEPENDS src/base/*.c src/machine/*.c src/analysis/*.c
     src/analysis/*/*.c src/record/*.c src/report/check/*.c src/library/*.c)
list(APPEND CULPRIT_LIBRARY_SOURCES src/report/format.c src/report/graph/base.c src/report/graph/json.c src/report/graph/records.c
     src/report/graph/rows.c src/report/stacks/json.c src/report/stalls/json.c src/report/terminal.c src/with/check_fill.c
     src/with/records_fill.c src/with/stacks_fill.c)
list(TRANSFORM CULPRIT_LIBRARY_SOURCES REPLACE "^src/([^/]+)/.*" "\\1" OUTPUT_VARIABLE CULPRIT_LIBRARY_ROOMS)
list(REMOVE_DUPLICATES CULPRIT_LIBRARY_ROOMS)
