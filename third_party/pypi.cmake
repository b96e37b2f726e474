# Helpers for downloading packages from PyPI.
include_guard()

# lanescope_find_pip(OUT): finds a python3 that has pip; the user's own Python may precede it in PATH without pip.
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

# lanescope_cache_folder(OUT): the folder for downloaded packages, in the user's cache or in the build folder. OUT is a link
# to it in the build folder, so that a compiler cache, which identifies objects by the paths of their headers, works for every user.
function(lanescope_cache_folder out)
  if(DEFINED ENV{XDG_CACHE_HOME} AND NOT "$ENV{XDG_CACHE_HOME}" STREQUAL "")
    set(cache $ENV{XDG_CACHE_HOME}/lanescope)
  elseif(DEFINED ENV{HOME})
    set(cache $ENV{HOME}/.cache/lanescope)
  else()
    set(cache ${CMAKE_BINARY_DIR}/cache)
  endif()
  file(MAKE_DIRECTORY ${cache})
  file(CREATE_LINK ${cache} ${CMAKE_BINARY_DIR}/fetched SYMBOLIC)
  set(${out} ${CMAKE_BINARY_DIR}/fetched PARENT_SCOPE)
endfunction()
