# bin/culprit, share/culprit/{machines,schemas}, manual pages, completions of three shells, and the library (library.cmake).
include(GNUInstallDirs)
set_property(SOURCE src/machine/machine_find.c APPEND PROPERTY COMPILE_DEFINITIONS
             CULPRIT_INSTALL_MACHINES="${CMAKE_INSTALL_FULL_DATADIR}/culprit/machines")

include(cmake/library.cmake)

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
install(DIRECTORY schemas DESTINATION ${CMAKE_INSTALL_DATADIR}/culprit FILES_MATCHING PATTERN "*.schema.json")
