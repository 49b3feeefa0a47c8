# libculprit: what other simulators link. Machine files, analyses, record files and results as JSON; no part of the
# simulator. libculprit.so exports what include/culprit declares, and so does the one object in libculprit.a: everything
# else is hidden in both.
file(STRINGS include/culprit/version.h version_rows REGEX "#define CULPRIT_VERSION_(MAJOR|MINOR|PATCH) ")
string(REGEX REPLACE "[^0-9;]" "" version_rows "${version_rows}")
string(REPLACE ";" "." header_version "${version_rows}")
if(NOT header_version VERSION_EQUAL PROJECT_VERSION)
  message(FATAL_ERROR "include/culprit/version.h says ${header_version}, CMakeLists.txt ${PROJECT_VERSION}")
endif()
if(PROJECT_VERSION_MAJOR EQUAL 0)
  set(CULPRIT_SERIES ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR})
else()
  set(CULPRIT_SERIES ${PROJECT_VERSION_MAJOR})
endif()

include(cmake/library_sources.cmake)
set(library_needs PkgConfig::ZSTD PkgConfig::JANSSON PkgConfig::YAML Threads::Threads m ${CMAKE_DL_LIBS})
if(CULPRIT_LIBRARY_ONLY)
  add_library(culprit_library_objects OBJECT ${CULPRIT_LIBRARY_SOURCES})
  target_include_directories(culprit_library_objects PRIVATE include src)
  target_compile_options(culprit_library_objects PRIVATE ${CULPRIT_LIBRARY_OPTIONS})
  target_link_libraries(culprit_library_objects PRIVATE ${library_needs})
  set(library_objects $<TARGET_OBJECTS:culprit_library_objects>)
else()
  foreach(source ${CULPRIT_LIBRARY_SOURCES})
    string(REGEX REPLACE "^src/([^/]+)/.*" "\\1" room ${source})
    list(APPEND library_objects $<FILTER:$<TARGET_OBJECTS:culprit_${room}>,INCLUDE,/${source}.o$>)
  endforeach()
endif()

configure_file(cmake/libculprit.map.in libculprit.map @ONLY)
add_library(culprit_shared SHARED ${library_objects})
set_target_properties(culprit_shared PROPERTIES OUTPUT_NAME culprit LINKER_LANGUAGE C VERSION ${PROJECT_VERSION}
                      SOVERSION ${CULPRIT_SERIES} LINK_DEPENDS ${CMAKE_BINARY_DIR}/libculprit.map)
target_link_options(culprit_shared PRIVATE -Wl,--version-script=${CMAKE_BINARY_DIR}/libculprit.map)
if(NOT CULPRIT_SANITIZE AND NOT CULPRIT_FUZZ)
  target_link_options(culprit_shared PRIVATE -Wl,--no-undefined)
endif()
target_link_libraries(culprit_shared PRIVATE ${library_needs})

# One object, in which what is hidden is local: no name of ours meets a name of the simulator that links it.
set(library_object ${CMAKE_BINARY_DIR}/libculprit.o)
add_custom_command(OUTPUT ${library_object} DEPENDS ${library_objects}
  COMMAND ${CMAKE_LINKER} -r -o ${library_object} ${library_objects}
  COMMAND ${CMAKE_OBJCOPY} --localize-hidden ${library_object}
  COMMAND_EXPAND_LISTS VERBATIM)
add_library(culprit_static STATIC ${library_object})
set_target_properties(culprit_static PROPERTIES OUTPUT_NAME culprit LINKER_LANGUAGE C)

# Sanitizers and fuzzers have no use for it.
if(CULPRIT_SANITIZE)
  set_target_properties(culprit_shared culprit_static PROPERTIES EXCLUDE_FROM_ALL ON)
endif()

set(CULPRIT_REQUIRES "libzstd jansson yaml-0.1")
# Both files find the prefix from where they lie, so that it can be moved.
file(RELATIVE_PATH CULPRIT_PREFIX_FROM_PC /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
file(RELATIVE_PATH CULPRIT_PREFIX_FROM_CMAKE /${CMAKE_INSTALL_LIBDIR}/cmake/culprit /)
configure_file(cmake/culprit.pc.in culprit.pc @ONLY)
configure_file(cmake/culprit-config.cmake.in culprit-config.cmake @ONLY)
include(CMakePackageConfigHelpers)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/culprit-config-version.cmake VERSION ${PROJECT_VERSION}
                                 COMPATIBILITY SameMinorVersion)
set(library_folder ${CMAKE_INSTALL_LIBDIR})
install(TARGETS culprit_static culprit_shared ARCHIVE DESTINATION ${library_folder} COMPONENT library
        LIBRARY DESTINATION ${library_folder} COMPONENT library)
install(DIRECTORY include/culprit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT library)
install(FILES ${CMAKE_BINARY_DIR}/culprit.pc DESTINATION ${library_folder}/pkgconfig COMPONENT library)
install(FILES ${CMAKE_BINARY_DIR}/culprit-config.cmake ${CMAKE_BINARY_DIR}/culprit-config-version.cmake
        DESTINATION ${library_folder}/cmake/culprit COMPONENT library)
install(DIRECTORY machines DESTINATION ${CMAKE_INSTALL_DATADIR}/culprit COMPONENT library FILES_MATCHING PATTERN "*.yaml")
install(DIRECTORY python/culprit DESTINATION ${CMAKE_INSTALL_DATADIR}/culprit/python COMPONENT library
        FILES_MATCHING PATTERN "*.py")
