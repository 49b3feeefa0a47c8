# bin/culprit, share/culprit/{machines,schemas}, include/culprit, lib/libculprit.a with a pkg-config file.
# The library is what other simulators link to feed records to the analyses: it holds no part of the simulator.
include(GNUInstallDirs)
set_property(SOURCE src/machine/machine_find.c APPEND PROPERTY COMPILE_DEFINITIONS
             CULPRIT_INSTALL_MACHINES="${CMAKE_INSTALL_FULL_DATADIR}/culprit/machines")

set(library_objects)
foreach(room report analysis record machine base)
  get_target_property(type culprit_${room} TYPE)
  if(type STREQUAL "STATIC_LIBRARY")
    list(APPEND library_objects $<TARGET_OBJECTS:culprit_${room}>)
  endif()
endforeach()
add_library(culprit_library STATIC ${library_objects})
set_target_properties(culprit_library PROPERTIES OUTPUT_NAME culprit LINKER_LANGUAGE C)

configure_file(cmake/culprit.pc.in culprit.pc @ONLY)
if(TARGET culprit)
  install(TARGETS culprit RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
endif()
install(TARGETS culprit_library ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/culprit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY machines DESTINATION ${CMAKE_INSTALL_DATADIR}/culprit FILES_MATCHING PATTERN "*.yaml")
install(DIRECTORY schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/culprit FILES_MATCHING PATTERN "*.schema.json")
install(FILES ${CMAKE_BINARY_DIR}/culprit.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
