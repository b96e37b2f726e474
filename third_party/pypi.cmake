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

# lanescope_download(PACKAGE VERSION SHA256 SIZE FOLDER BY_HAND): puts the package's source archive into FOLDER. pip checks
# the hash. BY_HAND: advice for machines without a network.
function(lanescope_download package version sha256 size folder by_hand)
  lanescope_find_pip(python)
  if(NOT python)
    message(FATAL_ERROR "Fetching ${package} ${version} needs pip: apt-get install python3-pip\n${by_hand}")
  endif()
  message(STATUS "Fetching ${package} ${version} (${size}) into ${folder}")
  set(requirements ${CMAKE_BINARY_DIR}/${package}_requirements.txt)
  file(WRITE ${requirements} "${package}==${version} --hash=sha256:${sha256}\n")
  execute_process(
    COMMAND ${python} -m pip download --no-deps --no-binary ${package} --require-hashes
            --disable-pip-version-check -r ${requirements} -d ${folder}
    RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said TIMEOUT 600)
  if(failed)
    message(FATAL_ERROR "${package} ${version} could not be fetched from PyPI (${failed}):\n${said}\n${by_hand}")
  endif()
endfunction()

# lanescope_unpack(ARCHIVE SHA256 FOLDER PATTERN...): unpacks the parts that we use. The folder is renamed into place when
# complete, so that an interrupted configuration leaves nothing that looks finished.
function(lanescope_unpack archive sha256 folder)
  file(SHA256 ${archive} actual)
  if(NOT actual STREQUAL sha256)
    message(FATAL_ERROR "${archive} is not the expected source package: its sha256 is ${actual}, expected ${sha256}. "
                        "Remove it to fetch it again.")
  endif()
  file(REMOVE_RECURSE ${folder}.part)
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${folder}.part PATTERNS ${ARGN})
  file(REMOVE_RECURSE ${folder})
  cmake_path(GET folder FILENAME name)
  file(RENAME ${folder}.part/${name} ${folder})
  file(REMOVE_RECURSE ${folder}.part)
endfunction()

# lanescope_source_package(OUT PACKAGE VERSION SHA256 SIZE GIVEN HOLDS PATTERN...): the folder of an unpacked source package
# from PyPI, which is fetched once. GIVEN: the name of a variable with its archive or folder, for building without a
# network. HOLDS: a file in it, by which a given folder is recognised.
function(lanescope_source_package out package version sha256 size given holds)
  string(REPLACE "-" "_" stem ${package})
  set(name ${stem}-${version})
  string(CONCAT by_hand
    "To build without a network, fetch it on another machine with\n"
    "  pip download --no-deps --no-binary ${package} ${package}==${version}\n"
    "and configure with -D${given}=/path/to/${name}.tar.gz.")
  if(${given} AND NOT EXISTS ${${given}})
    message(FATAL_ERROR "${given}: there is no ${${given}}")
  endif()
  if(IS_DIRECTORY "${${given}}")
    if(NOT EXISTS ${${given}}/${holds})
      message(FATAL_ERROR "${given}: ${${given}} holds no ${holds}")
    endif()
    set(${out} ${${given}} PARENT_SCOPE)
    return()
  endif()

  lanescope_cache_folder(cache)
  set(folder ${cache}/${name})
  if(NOT EXISTS ${folder})
    file(MAKE_DIRECTORY ${cache})
    file(LOCK ${cache} DIRECTORY GUARD FUNCTION TIMEOUT 900)  # two builds may want it at once
  endif()
  if(NOT EXISTS ${folder})
    set(archive ${cache}/${name}.tar.gz)
    if(${given})
      set(archive ${${given}})
    elseif(NOT EXISTS ${archive})
      lanescope_download(${package} ${version} ${sha256} ${size} ${cache} "${by_hand}")
    endif()
    lanescope_unpack(${archive} ${sha256} ${folder} ${ARGN})
  endif()
  set(${out} ${folder} PARENT_SCOPE)
endfunction()
