# The source package of imgui-bundle: Dear ImGui (docking), ImPlot, GLFW, fonts and file dialogs in one archive.
# It is downloaded once with pip, verified by hash, and kept in the user's cache.
include(third_party/pypi.cmake)

set(LANESCOPE_IMGUI_BUNDLE "" CACHE PATH
  "imgui-bundle's source package (the .tar.gz, or the folder it unpacks to), for building without a network")

set(imgui_bundle_version 1.93.0)
set(imgui_bundle_sha256 10ad1dab8258a6787b4f07bb926b08d0efc648a7906242568c8dd778c5e719bf)
set(imgui_bundle_name imgui_bundle-${imgui_bundle_version})

set(imgui_bundle_by_hand
  "To build without a network, fetch it on another machine with\n"
  "  pip download --no-deps --no-binary imgui-bundle imgui-bundle==${imgui_bundle_version}\n"
  "and configure with -DLANESCOPE_IMGUI_BUNDLE=/path/to/${imgui_bundle_name}.tar.gz.\n"
  "Without the window (command line only): -DLANESCOPE_WINDOW=OFF.")
string(CONCAT imgui_bundle_by_hand ${imgui_bundle_by_hand})

# lanescope_download_imgui_bundle(FOLDER): puts the archive into FOLDER. pip checks the hash.
function(lanescope_download_imgui_bundle folder)
  lanescope_find_pip(python)
  if(NOT python)
    message(FATAL_ERROR "Fetching imgui-bundle ${imgui_bundle_version} needs pip: apt-get install python3-pip\n"
                        "${imgui_bundle_by_hand}")
  endif()
  message(STATUS "Fetching imgui-bundle ${imgui_bundle_version} (54 MB) into ${folder}")
  set(requirements ${CMAKE_BINARY_DIR}/imgui_bundle_requirements.txt)
  file(WRITE ${requirements}
    "imgui-bundle==${imgui_bundle_version} --hash=sha256:${imgui_bundle_sha256}\n")
  execute_process(
    COMMAND ${python} -m pip download --no-deps --no-binary imgui-bundle --require-hashes
            --disable-pip-version-check -r ${requirements} -d ${folder}
    RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said TIMEOUT 600)
  if(failed)
    message(FATAL_ERROR "imgui-bundle ${imgui_bundle_version} could not be fetched from PyPI (${failed}):\n"
                        "${said}\n${imgui_bundle_by_hand}")
  endif()
endfunction()

# lanescope_unpack_imgui_bundle(ARCHIVE FOLDER): unpacks the parts that we use. The folder is renamed into place
# when complete, so that an interrupted configuration leaves nothing that looks finished.
function(lanescope_unpack_imgui_bundle archive folder)
  file(SHA256 ${archive} sha256)
  if(NOT sha256 STREQUAL imgui_bundle_sha256)
    message(FATAL_ERROR "${archive} is not the source package of imgui-bundle ${imgui_bundle_version}: its "
                        "sha256 is ${sha256}, expected ${imgui_bundle_sha256}. Remove it to fetch it again.")
  endif()
  file(REMOVE_RECURSE ${folder}.part)
  file(ARCHIVE_EXTRACT INPUT ${archive} DESTINATION ${folder}.part PATTERNS
    */LICENSE */external/imgui/* */external/implot/* */external/glfw/* */external/imgui_test_engine/*
    */external/portable_file_dialogs/* */external/hello_imgui/*icons_font_awesome_6.h
    */bindings/imgui_bundle/assets/fonts/*)
  file(REMOVE_RECURSE ${folder})
  file(RENAME ${folder}.part/${imgui_bundle_name} ${folder})
  file(REMOVE_RECURSE ${folder}.part)
endfunction()

# lanescope_imgui_bundle(OUT): the folder of the unpacked package.
function(lanescope_imgui_bundle out)
  if(LANESCOPE_IMGUI_BUNDLE AND NOT EXISTS ${LANESCOPE_IMGUI_BUNDLE})
    message(FATAL_ERROR "LANESCOPE_IMGUI_BUNDLE: there is no ${LANESCOPE_IMGUI_BUNDLE}")
  endif()
  if(IS_DIRECTORY "${LANESCOPE_IMGUI_BUNDLE}")
    if(NOT EXISTS ${LANESCOPE_IMGUI_BUNDLE}/external/imgui/imgui/imgui.h)
      message(FATAL_ERROR "LANESCOPE_IMGUI_BUNDLE: ${LANESCOPE_IMGUI_BUNDLE} holds no external/imgui")
    endif()
    set(${out} ${LANESCOPE_IMGUI_BUNDLE} PARENT_SCOPE)
    return()
  endif()

  lanescope_cache_folder(cache)
  set(folder ${cache}/${imgui_bundle_name})
  if(NOT EXISTS ${folder})
    file(MAKE_DIRECTORY ${cache})
    file(LOCK ${cache} DIRECTORY GUARD FUNCTION TIMEOUT 900)  # two builds may want it at once
  endif()
  if(NOT EXISTS ${folder})
    set(archive ${cache}/${imgui_bundle_name}.tar.gz)
    if(LANESCOPE_IMGUI_BUNDLE)
      set(archive ${LANESCOPE_IMGUI_BUNDLE})
    elseif(NOT EXISTS ${archive})
      lanescope_download_imgui_bundle(${cache})
    endif()
    lanescope_unpack_imgui_bundle(${archive} ${folder})
  endif()
  set(${out} ${folder} PARENT_SCOPE)
endfunction()
