# The text of assets/explanations.tsv as two symbols of the core library, which core/view/explanation.cpp gives out.
set(explanations ${CMAKE_SOURCE_DIR}/assets/explanations.tsv)
set(explanations_source ${CMAKE_BINARY_DIR}/core/explanations.c)
file(CONFIGURE OUTPUT ${explanations_source} @ONLY CONTENT [[
/* Written by core/explanations.cmake. */
__asm__(".section .rodata\n"
        ".global lanescope_explanations_begin\n"
        "lanescope_explanations_begin: .incbin \"@explanations@\"\n"
        ".global lanescope_explanations_end\n"
        "lanescope_explanations_end: .byte 0\n"
        ".previous\n");
]])
set_source_files_properties(${explanations_source} PROPERTIES OBJECT_DEPENDS ${explanations})
target_sources(lanescope_core PRIVATE ${explanations_source})
