# The source package of imgui-bundle: Dear ImGui (docking), ImPlot, GLFW, fonts and file dialogs in one archive.
# It is downloaded once with pip, verified by hash, and kept in the user's cache.
include(third_party/pypi.cmake)

set(LANESCOPE_IMGUI_BUNDLE "" CACHE PATH
  "imgui-bundle's source package (the .tar.gz, or the folder it unpacks to), for building without a network")

# lanescope_imgui_bundle(OUT): the folder of the unpacked package. Without it the command line can still be built:
# -DLANESCOPE_WINDOW=OFF.
function(lanescope_imgui_bundle out)
  lanescope_source_package(folder imgui-bundle 1.93.0 10ad1dab8258a6787b4f07bb926b08d0efc648a7906242568c8dd778c5e719bf
    "54 MB" LANESCOPE_IMGUI_BUNDLE external/imgui/imgui/imgui.h
    */LICENSE */external/imgui/* */external/implot/* */external/glfw/* */external/imgui_test_engine/*
    */external/portable_file_dialogs/* */external/hello_imgui/*icons_font_awesome_6.h
    */bindings/imgui_bundle/assets/fonts/*)
  set(${out} ${folder} PARENT_SCOPE)
endfunction()
