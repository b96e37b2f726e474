# Libraries of the page: Dear ImGui and ImPlot as for the window, on WebGL 2 and a back end of our own.
include(third_party/imgui_bundle.cmake)
include(third_party/fonts.cmake)

lanescope_imgui_bundle(bundle)
set(imgui ${bundle}/external/imgui/imgui)
set(implot ${bundle}/external/implot/implot)

add_library(lanescope_imgui STATIC
  ${imgui}/imgui.cpp ${imgui}/imgui_draw.cpp ${imgui}/imgui_tables.cpp ${imgui}/imgui_widgets.cpp
  ${imgui}/imgui_stacklayout.cpp ${imgui}/misc/cpp/imgui_stdlib.cpp ${imgui}/backends/imgui_impl_opengl3.cpp)
target_include_directories(lanescope_imgui SYSTEM PUBLIC ${web}/include ${imgui} ${imgui}/backends ${imgui}/misc/cpp)
target_compile_definitions(lanescope_imgui PUBLIC
  IMGUI_DISABLE_OBSOLETE_FUNCTIONS IMGUI_DISABLE_DEMO_WINDOWS IMGUI_DEFINE_MATH_OPERATORS
  IMGUI_USE_WCHAR32 "ImDrawIdx=unsigned int" PRIVATE IMGUI_IMPL_OPENGL_ES3)

add_library(lanescope_implot STATIC ${implot}/implot.cpp ${implot}/implot_items.cpp)
target_include_directories(lanescope_implot SYSTEM PUBLIC ${implot})
target_link_libraries(lanescope_implot PUBLIC lanescope_imgui)
target_compile_definitions(lanescope_implot PRIVATE "IMPLOT_CUSTOM_NUMERIC_TYPES=(double)")

set(fonts ${bundle}/bindings/imgui_bundle/assets/fonts)
lanescope_add_fonts(lanescope_fonts
  roboto_regular ${fonts}/Roboto/Roboto-Regular.ttf
  roboto_medium ${imgui}/misc/fonts/Roboto-Medium.ttf
  inconsolata ${fonts}/Inconsolata-Medium.ttf
  font_awesome ${fonts}/Font_Awesome_6_Free-Solid-900.otf)
configure_file(${bundle}/external/hello_imgui/hello_imgui/src/hello_imgui/icons_font_awesome_6.h
               ${CMAKE_BINARY_DIR}/third_party/icons/icons_font_awesome_6.h COPYONLY)
target_include_directories(lanescope_fonts SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/third_party/icons)
