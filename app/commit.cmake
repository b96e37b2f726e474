# Writes the commit of the source tree into a header, if it has changed: cmake -DSOURCE=… -DHEADER=… -P commit.cmake
# Empty outside a git repository.
execute_process(COMMAND git -C ${SOURCE} rev-parse --show-toplevel
  OUTPUT_VARIABLE top OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
set(commit "")
# A copy of the sources inside another repository is not of its commit.
if(top)
  file(REAL_PATH "${top}" top)
  file(REAL_PATH "${SOURCE}" here)
  if(top STREQUAL here)
    execute_process(COMMAND git -C ${SOURCE} describe --always --dirty=-changed --abbrev=12 --exclude=*
      OUTPUT_VARIABLE commit OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  endif()
endif()
set(text "#pragma once\n#define LANESCOPE_COMMIT \"${commit}\"\n")
set(before "")
if(EXISTS ${HEADER})
  file(READ ${HEADER} before)
endif()
if(NOT text STREQUAL before)
  file(WRITE ${HEADER} "${text}")
endif()
