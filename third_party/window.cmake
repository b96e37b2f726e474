# Libraries of the window: OpenGL, EGL, X11, Wayland and fontconfig and D-Bus from the system; Dear ImGui, ImPlot, GLFW,
# file dialogs, fonts and icons from imgui-bundle's source package.
include(third_party/imgui_bundle.cmake)
include(third_party/fonts.cmake)

# Only headers: the libraries are loaded when they are needed (ui/look/graphics_library.h).
find_path(OPENGL_HEADERS GL/glcorearb.h)
find_path(EGL_HEADERS EGL/eglext.h)
if(NOT OPENGL_HEADERS OR NOT EGL_HEADERS)
  message(FATAL_ERROR "The headers of OpenGL or EGL were not found. Install them with: apt-get install libgl-dev "
                      "libegl-dev (scripts/build installs everything that is missing)")
endif()
lanescope_require_package(FONTCONFIG fontconfig libfontconfig-dev)
lanescope_require_package(PNG libpng libpng-dev)
lanescope_require_package(DBUS dbus-1 libdbus-1-dev)
# GLFW looks for the rest itself, but says only "not found"; these messages name the package.
foreach(pair IN ITEMS
    x11:libx11-dev xrandr:libxrandr-dev xinerama:libxinerama-dev xcursor:libxcursor-dev xi:libxi-dev
    xext:libxext-dev wayland-client:libwayland-dev xkbcommon:libxkbcommon-dev)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 module)
  list(GET pair 1 package)
  string(MAKE_C_IDENTIFIER WINDOW_${module} prefix)
  lanescope_require_package(${prefix} ${module} ${package})
endforeach()

lanescope_imgui_bundle(bundle)
set(imgui ${bundle}/external/imgui/imgui)
set(implot ${bundle}/external/implot/implot)
set(test_engine ${bundle}/external/imgui_test_engine/imgui_test_engine)

set(GLFW_LIBRARY_TYPE STATIC CACHE STRING "" FORCE)
foreach(option IN ITEMS GLFW_BUILD_DOCS GLFW_BUILD_TESTS GLFW_BUILD_EXAMPLES GLFW_INSTALL)
  set(${option} OFF CACHE BOOL "" FORCE)
endforeach()
add_subdirectory(${bundle}/external/glfw/glfw ${CMAKE_BINARY_DIR}/third_party/glfw EXCLUDE_FROM_ALL SYSTEM)

# lanescope_imgui: Dear ImGui with docking, on GLFW and OpenGL 3.
set(imgui_sources
  ${imgui}/imgui.cpp ${imgui}/imgui_draw.cpp ${imgui}/imgui_tables.cpp ${imgui}/imgui_widgets.cpp
  ${imgui}/imgui_stacklayout.cpp ${imgui}/misc/cpp/imgui_stdlib.cpp)
add_library(lanescope_imgui STATIC
  ${imgui_sources} ${imgui}/backends/imgui_impl_glfw.cpp ${imgui}/backends/imgui_impl_opengl3.cpp)
target_include_directories(lanescope_imgui SYSTEM PUBLIC ${OPENGL_HEADERS} ${EGL_HEADERS} ${imgui} ${imgui}/backends ${imgui}/misc/cpp)
target_compile_definitions(lanescope_imgui PUBLIC
  IMGUI_DISABLE_OBSOLETE_FUNCTIONS IMGUI_DISABLE_DEMO_WINDOWS IMGUI_DEFINE_MATH_OPERATORS
  IMGUI_USE_WCHAR32)
target_link_libraries(lanescope_imgui PUBLIC glfw ${CMAKE_DL_LIBS})

add_library(lanescope_implot STATIC ${implot}/implot.cpp ${implot}/implot_items.cpp)
target_include_directories(lanescope_implot SYSTEM PUBLIC ${implot})
target_link_libraries(lanescope_implot PUBLIC lanescope_imgui)
# Only doubles are plotted; compiling all ten number types takes two minutes instead of 15 s.
target_compile_definitions(lanescope_implot PRIVATE "IMPLOT_CUSTOM_NUMERIC_TYPES=(double)")
# It plots a few curves: compiling them for speed takes twice as long.
target_compile_options(lanescope_implot PRIVATE $<$<CONFIG:RelWithDebInfo>:-O1>)
if(LANESCOPE_SANITIZE)
  target_compile_options(lanescope_implot PRIVATE -O0 -fno-sanitize=all)  # its templates take minutes with them
endif()

add_library(lanescope_file_dialogs INTERFACE)
target_include_directories(lanescope_file_dialogs SYSTEM INTERFACE
  ${bundle}/external/portable_file_dialogs/portable_file_dialogs)

# lanescope_fonts: the bytes of the fonts; ui/look/fonts.h declares them. Includes the names of the icons
# (ICON_FA_...) through #include <icons_font_awesome_6.h>.
set(fonts ${bundle}/bindings/imgui_bundle/assets/fonts)
lanescope_add_fonts(lanescope_fonts
  roboto_regular ${fonts}/Roboto/Roboto-Regular.ttf
  roboto_medium ${imgui}/misc/fonts/Roboto-Medium.ttf
  inconsolata ${fonts}/Inconsolata-Medium.ttf
  font_awesome ${fonts}/Font_Awesome_6_Free-Solid-900.otf)
configure_file(${bundle}/external/hello_imgui/hello_imgui/src/hello_imgui/icons_font_awesome_6.h
               ${CMAKE_BINARY_DIR}/third_party/icons/icons_font_awesome_6.h COPYONLY)
target_include_directories(lanescope_fonts SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/third_party/icons)

# lanescope_imgui_test_engine: Dear ImGui with the hooks of its Test Engine, for tests only (the engine's licence
# is not MIT). An object library, so that a test that also links lanescope_ui uses these objects instead of lanescope_imgui's
# archive.
add_library(lanescope_imgui_test_engine OBJECT EXCLUDE_FROM_ALL
  ${imgui_sources}
  ${test_engine}/imgui_test_engine/imgui_capture_tool.cpp
  ${test_engine}/imgui_test_engine/imgui_te_context.cpp
  ${test_engine}/imgui_test_engine/imgui_te_coroutine.cpp
  ${test_engine}/imgui_test_engine/imgui_te_engine.cpp
  ${test_engine}/imgui_test_engine/imgui_te_exporters.cpp
  ${test_engine}/imgui_test_engine/imgui_te_perftool.cpp
  ${test_engine}/imgui_test_engine/imgui_te_python_gil.cpp
  ${test_engine}/imgui_test_engine/imgui_te_ui.cpp
  ${test_engine}/imgui_test_engine/imgui_te_utils.cpp)
target_include_directories(lanescope_imgui_test_engine SYSTEM PUBLIC
  ${test_engine} ${test_engine}/imgui_test_engine)
target_compile_definitions(lanescope_imgui_test_engine PUBLIC
  IMGUI_ENABLE_TEST_ENGINE IMGUI_TEST_ENGINE_ENABLE_COROUTINE_STDTHREAD_IMPL=1)
target_compile_options(lanescope_imgui_test_engine PRIVATE -w)
target_link_libraries(lanescope_imgui_test_engine PUBLIC lanescope_imgui Threads::Threads)
