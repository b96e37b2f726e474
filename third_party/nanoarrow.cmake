# nanoarrow (Apache 2.0): Arrow's C data interface and IPC files, with flatcc, from its source package on PyPI. Debian has none.
include(third_party/pypi.cmake)

set(LANESCOPE_NANOARROW "" CACHE PATH
  "nanoarrow's source package (the .tar.gz, or the folder it unpacks to), for building without a network")

lanescope_source_package(nanoarrow_package nanoarrow 0.9.0
  1ce15bbed8532839347faa78824c5dbd3769bff60661003e34c6fba5dd881bd3 "1.5 MB" LANESCOPE_NANOARROW
  subprojects/arrow-nanoarrow/src/nanoarrow/nanoarrow.h
  */subprojects/arrow-nanoarrow/src/nanoarrow/* */subprojects/flatcc-*/include/* */subprojects/flatcc-*/src/runtime/*
  */subprojects/flatcc-*/LICENSE)

# lanescope_nanoarrow: arrays, schemas, streams and the writer of files. Symbols have a prefix and are hidden, so that a
# process with another copy of nanoarrow keeps the two apart.
set(nanoarrow ${nanoarrow_package}/subprojects/arrow-nanoarrow/src/nanoarrow)
file(GLOB flatcc ${nanoarrow_package}/subprojects/flatcc-*)
set(generated ${CMAKE_BINARY_DIR}/third_party/nanoarrow)
set(NANOARROW_VERSION_MAJOR 0)
set(NANOARROW_VERSION_MINOR 9)
set(NANOARROW_VERSION_PATCH 0)
set(NANOARROW_VERSION 0.9.0)
set(NANOARROW_NAMESPACE_DEFINE "#define NANOARROW_NAMESPACE Lanescope")
configure_file(${nanoarrow}/nanoarrow_config.h.in ${generated}/nanoarrow/nanoarrow_config.h)
add_library(lanescope_nanoarrow STATIC
  ${nanoarrow}/common/array.c ${nanoarrow}/common/array_stream.c ${nanoarrow}/common/schema.c ${nanoarrow}/common/utils.c
  ${nanoarrow}/ipc/codecs.c ${nanoarrow}/ipc/decoder.c ${nanoarrow}/ipc/encoder.c ${nanoarrow}/ipc/writer.c
  ${flatcc}/src/runtime/builder.c ${flatcc}/src/runtime/emitter.c ${flatcc}/src/runtime/refmap.c
  ${flatcc}/src/runtime/verifier.c)
target_include_directories(lanescope_nanoarrow SYSTEM PUBLIC ${generated} ${nanoarrow}/.. PRIVATE ${flatcc}/include)
target_compile_options(lanescope_nanoarrow PRIVATE -w)
set_target_properties(lanescope_nanoarrow PROPERTIES C_VISIBILITY_PRESET hidden)
