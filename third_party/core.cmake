# Libraries of the core and the command line, from Debian's or Ubuntu's -dev packages where they exist.
find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# lanescope_require_package(TARGET MODULE PACKAGE): an imported target from pkg-config, or a message that
# names the package to install.
function(lanescope_require_package target module package)
  pkg_check_modules(${target} QUIET IMPORTED_TARGET GLOBAL ${module})
  if(NOT ${target}_FOUND)
    message(FATAL_ERROR "${module} was not found. Install it with: apt-get install ${package} "
                        "(scripts/build installs everything that is missing)")
  endif()
endfunction()

lanescope_require_package(ISAL libisal libisal-dev)
lanescope_require_package(ZSTD libzstd libzstd-dev)
lanescope_require_package(FMT fmt libfmt-dev)
lanescope_require_package(SIMDJSON simdjson libsimdjson-dev)
lanescope_require_package(RE2 re2 libre2-dev)
lanescope_require_package(SQLITE sqlite3 libsqlite3-dev)
lanescope_require_package(EDIT libedit libedit-dev)  # of the command line only
if(LANESCOPE_SYMBOLS)
  lanescope_require_package(DW libdw libdw-dev)  # LGPL 3 or GPL 2: linked dynamically
endif()

# Only headers, without a pkg-config file.
find_path(PROTOZERO_INCLUDE_DIR protozero/pbf_writer.hpp)
if(NOT PROTOZERO_INCLUDE_DIR)
  message(FATAL_ERROR "protozero was not found. Install it with: apt-get install libprotozero-dev "
                      "(scripts/build installs everything that is missing)")
endif()
add_library(lanescope_protozero INTERFACE)
target_include_directories(lanescope_protozero SYSTEM INTERFACE ${PROTOZERO_INCLUDE_DIR})

include(third_party/nanoarrow.cmake)

find_package(nlohmann_json 3.11 REQUIRED)
find_package(CLI11 REQUIRED)
if(LANESCOPE_TESTS)
  find_package(doctest REQUIRED)
endif()
