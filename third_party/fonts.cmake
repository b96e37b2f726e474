# lanescope_add_fonts(TARGET NAME FILE [NAME FILE]...): adds a static library with the bytes of font files, as
# two symbols each, lanescope_font_NAME_begin and lanescope_font_NAME_end. ui/look/fonts.h declares them.
function(lanescope_add_fonts target)
  set(source "/* Written by third_party/fonts.cmake. */\n")
  set(files)
  set(rest ${ARGN})
  while(rest)
    list(POP_FRONT rest name file)
    if(NOT EXISTS ${file})
      message(FATAL_ERROR "The font ${file} is missing")
    endif()
    list(APPEND files ${file})
    string(APPEND source
      "__asm__(\".section .rodata\\n\"\n"
      "        \".balign 16\\n\"\n"
      "        \".global lanescope_font_${name}_begin\\n\"\n"
      "        \"lanescope_font_${name}_begin: .incbin \\\"${file}\\\"\\n\"\n"
      "        \".global lanescope_font_${name}_end\\n\"\n"
      "        \"lanescope_font_${name}_end: .byte 0\\n\"\n"
      "        \".previous\\n\");\n")
  endwhile()
  set(path ${CMAKE_BINARY_DIR}/third_party/${target}.c)
  file(CONFIGURE OUTPUT ${path} CONTENT "${source}" @ONLY)
  set_source_files_properties(${path} PROPERTIES OBJECT_DEPENDS "${files}")
  add_library(${target} STATIC ${path})
  set_target_properties(${target} PROPERTIES C_EXTENSIONS ON)
endfunction()
