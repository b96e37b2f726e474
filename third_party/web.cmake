# Libraries of the build for browsers (Emscripten). There are no packages of compiled libraries for WebAssembly: they are
# compiled here from the source packages that scripts/build-web fetches and verifies, under the names that the other build has.
set(LANESCOPE_WEB_SOURCES "" CACHE PATH "The folder of the unpacked source packages (scripts/build-web makes it)")
set(web ${LANESCOPE_WEB_SOURCES})
foreach(folder IN ITEMS isa-l re2 sqlite zstd fmt)
  if(NOT EXISTS ${web}/${folder})
    message(FATAL_ERROR "LANESCOPE_WEB_SOURCES: there is no ${web}/${folder}; scripts/build-web fetches it")
  endif()
endforeach()

# Exceptions by WebAssembly's own instructions; vectors as every browser has them since 2023.
set(web_flags -fwasm-exceptions -msimd128 -msse2)
add_compile_options(${web_flags} $<$<COMPILE_LANGUAGE:CXX>:-fexperimental-library>)
add_link_options(${web_flags})

# lanescope_web_library(TARGET NAME INCLUDE SOURCE...): a static library with the name of the other build's imported target.
function(lanescope_web_library target name include)
  add_library(${target} STATIC ${ARGN})
  target_include_directories(${target} SYSTEM PUBLIC ${include})
  target_compile_options(${target} PRIVATE -w)
  add_library(${name} ALIAS ${target})
endfunction()

# The portable sources of ISA-L, in the order of its Makefile, without those for the tests.
set(igzip ${web}/isa-l/igzip)
lanescope_web_library(lanescope_isal PkgConfig::ISAL ${web}/include
  ${igzip}/igzip.c ${igzip}/hufftables_c.c ${igzip}/igzip_base.c ${igzip}/igzip_icf_base.c ${igzip}/adler32_base.c
  ${igzip}/flatten_ll.c ${igzip}/encode_df.c ${igzip}/igzip_icf_body.c ${igzip}/huff_codes.c ${igzip}/igzip_inflate.c
  ${igzip}/igzip_base_aliases.c ${igzip}/proc_heap_base.c
  ${web}/isa-l/crc/crc_base.c ${web}/isa-l/crc/crc64_base.c ${web}/isa-l/crc/crc_base_aliases.c)
target_include_directories(lanescope_isal PRIVATE ${web}/isa-l/include ${igzip})

file(GLOB zstd ${web}/zstd/lib/common/*.c ${web}/zstd/lib/decompress/*.c)
lanescope_web_library(lanescope_zstd PkgConfig::ZSTD ${web}/zstd/lib ${zstd})
target_compile_definitions(lanescope_zstd PRIVATE ZSTD_DISABLE_ASM)

lanescope_web_library(lanescope_fmt PkgConfig::FMT ${web}/fmt/include ${web}/fmt/src/format.cc)

set(re2 ${web}/re2)
lanescope_web_library(lanescope_re2 PkgConfig::RE2 ${re2}
  ${re2}/re2/bitstate.cc ${re2}/re2/compile.cc ${re2}/re2/dfa.cc ${re2}/re2/filtered_re2.cc
  ${re2}/re2/mimics_pcre.cc ${re2}/re2/nfa.cc ${re2}/re2/onepass.cc ${re2}/re2/parse.cc ${re2}/re2/perl_groups.cc
  ${re2}/re2/prefilter.cc ${re2}/re2/prefilter_tree.cc ${re2}/re2/prog.cc ${re2}/re2/re2.cc ${re2}/re2/regexp.cc
  ${re2}/re2/set.cc ${re2}/re2/simplify.cc ${re2}/re2/stringpiece.cc ${re2}/re2/tostring.cc
  ${re2}/re2/unicode_casefold.cc ${re2}/re2/unicode_groups.cc ${re2}/util/rune.cc ${re2}/util/strutil.cc)

# As Debian compiles it, as far as the program uses it.
lanescope_web_library(lanescope_sqlite PkgConfig::SQLITE ${web}/sqlite ${web}/sqlite/sqlite3.c)
target_compile_definitions(lanescope_sqlite PRIVATE
  SQLITE_THREADSAFE=0 SQLITE_OMIT_LOAD_EXTENSION SQLITE_ENABLE_COLUMN_METADATA SQLITE_ENABLE_MATH_FUNCTIONS
  SQLITE_ENABLE_DBSTAT_VTAB SQLITE_ENABLE_DESERIALIZE SQLITE_OMIT_WAL SQLITE_TEMP_STORE=2)

# Only headers: nlohmann-json3-dev, libprotozero-dev and libfast-float-dev.
foreach(target IN ITEMS lanescope_json lanescope_protozero lanescope_fast_float)
  add_library(${target} INTERFACE)
  target_include_directories(${target} SYSTEM INTERFACE ${web}/include)
endforeach()
add_library(nlohmann_json::nlohmann_json ALIAS lanescope_json)

add_library(lanescope_threads INTERFACE)  # a page's program has one thread
add_library(Threads::Threads ALIAS lanescope_threads)

add_library(lanescope_simdjson INTERFACE)  # linked by name only
add_library(PkgConfig::SIMDJSON ALIAS lanescope_simdjson)

include(third_party/nanoarrow.cmake)
