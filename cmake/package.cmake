# A Debian package of what `cmake --install` installs: `make deb`. What it depends on is found from the libraries that the program
# is linked with.
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME culprit)
set(CPACK_PACKAGE_CONTACT "Culprit developers <culprit@example.org>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "says where every cycle of a RISC-V program went")
set(CPACK_PACKAGE_DESCRIPTION "Culprit runs a riscv64 Linux program on a simulated out-of-order core and charges each cycle
 to the cause that the core wrote down when it happened.")
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION devel)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
install(FILES LICENSE DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/culprit RENAME copyright)
include(CPack)
