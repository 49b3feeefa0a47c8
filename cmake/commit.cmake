# Run at every build (cmake -DSOURCE=... -DHEADER=... -P): the header that names the commit that is built, for the provenance
# of results. It is written only when it changes, so that nothing is compiled for nothing.
execute_process(COMMAND git describe --always --dirty --abbrev=12 --exclude=*
  WORKING_DIRECTORY ${SOURCE} OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE failed)
if(failed)
  set(commit "unknown")
endif()
file(CONFIGURE OUTPUT ${HEADER} CONTENT "#define CULPRIT_COMMIT \"${commit}\"\n")
