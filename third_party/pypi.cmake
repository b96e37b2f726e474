# What fetching packages from PyPI needs.
include_guard()

# lanescope_find_pip(OUT): a python3 that has pip. A Python of the user's own may come first in PATH without it.
function(lanescope_find_pip out)
  find_program(LANESCOPE_PYTHON python3)
  foreach(python IN ITEMS ${LANESCOPE_PYTHON} /usr/bin/python3)
    execute_process(COMMAND ${python} -m pip --version RESULT_VARIABLE failed OUTPUT_QUIET ERROR_QUIET)
    if(NOT failed)
      set(${out} ${python} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  set(${out} "" PARENT_SCOPE)
endfunction()

# lanescope_cache_folder(OUT): where fetched packages are kept: the user's cache, or the build folder.
function(lanescope_cache_folder out)
  if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(${out} $ENV{XDG_CACHE_HOME}/lanescope PARENT_SCOPE)
  elseif(DEFINED ENV{HOME})
    set(${out} $ENV{HOME}/.cache/lanescope PARENT_SCOPE)
  else()
    set(${out} ${CMAKE_BINARY_DIR}/cache PARENT_SCOPE)
  endif()
endfunction()
