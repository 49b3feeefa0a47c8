# bin/culprit, share/culprit/{machines,schemas}, manual pages, completions of three shells, include/culprit, lib/libculprit.a
# with a pkg-config file.
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
# What the program says of itself: pages and completions are made when it is built.
if(TARGET culprit)
  set(pages ${CMAKE_BINARY_DIR}/pages)
  set(made)
  function(culprit_page file) # ARGUMENT...: of `culprit help`
    add_custom_command(OUTPUT ${pages}/${file} DEPENDS culprit VERBATIM
      COMMAND ${CMAKE_COMMAND} -E make_directory ${pages}
      COMMAND culprit help ${ARGN} --output ${pages}/${file})
    set(made ${made} ${pages}/${file} PARENT_SCOPE)
  endfunction()
  culprit_page(culprit.1 --man)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS src/cli/commands.def)
  file(STRINGS src/cli/commands.def rows REGEX "^COMMAND")
  foreach(row IN LISTS rows)
    string(REGEX REPLACE "^COMMAND.([a-z]+),.*" "\\1" name "${row}")
    culprit_page(culprit-${name}.1 --man ${name})
  endforeach()
  install(FILES ${made} DESTINATION ${CMAKE_INSTALL_MANDIR}/man1)
  culprit_page(culprit --completion bash)
  culprit_page(_culprit --completion zsh)
  culprit_page(culprit.fish --completion fish)
  install(FILES ${pages}/culprit DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
  install(FILES ${pages}/_culprit DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
  install(FILES ${pages}/culprit.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)
  add_custom_target(pages ALL DEPENDS ${made})
endif()
install(TARGETS culprit_library ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY include/culprit DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY machines DESTINATION ${CMAKE_INSTALL_DATADIR}/culprit FILES_MATCHING PATTERN "*.yaml")
install(DIRECTORY schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/culprit FILES_MATCHING PATTERN "*.schema.json")
install(FILES ${CMAKE_BINARY_DIR}/culprit.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
