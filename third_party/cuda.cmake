# Headers of NVTX, CUDA and CUPTI for the recording library: from a CUDA toolkit, or from NVIDIA's packages on PyPI, which
# are downloaded once, verified by hash, and kept in the user's cache. No CUDA library is linked.
include(third_party/pypi.cmake)

set(LANESCOPE_CUDA_HEADERS "" CACHE PATH "A folder with nvtx3/nvToolsExt.h, cupti.h and cuda.h, for building without a network")

set(cuda_wheels_version 13.5)
set(cuda_wheels
  "nvidia-nvtx==13.5.25 --hash=sha256:f72f21bd338c531afb3f802d03c569e9f7c324739ac332c672a431734d0b5c41"
  "nvidia-cuda-cupti==13.5.25 --hash=sha256:9dcca41c12a734192b14e7128ae116bc9ce1b9da686e2ebf48ae7a4415f76650"
  "nvidia-cuda-runtime==13.5.37 --hash=sha256:df2b79a8852f10d1fef8c848489c49eebb5754051bf870202a862831412b179d"
  "nvidia-cuda-crt==13.5.37 --hash=sha256:e898b7f73d3035fa89915a3f7bf3b54a73e90249746111aed295822c4729bb29")
set(cuda_headers_by_hand
  "Install a CUDA toolkit, or configure with -DLANESCOPE_CUDA_HEADERS=/path/to/include. Without live capture: -DLANESCOPE_RECORD=OFF.")

# lanescope_download_cuda_headers(FOLDER): puts the wheels' headers into FOLDER/include, which is renamed into place when complete.
function(lanescope_download_cuda_headers folder)
  lanescope_find_pip(python)
  if(NOT python)
    message(FATAL_ERROR "Fetching CUDA's headers needs pip: apt-get install python3-pip\n${cuda_headers_by_hand}")
  endif()
  message(STATUS "Fetching headers of CUDA ${cuda_wheels_version} (15 MB) into ${folder}")
  file(REMOVE_RECURSE ${folder}.part)
  file(MAKE_DIRECTORY ${folder}.part)
  string(JOIN "\n" requirements ${cuda_wheels})
  file(WRITE ${folder}.part/requirements.txt "${requirements}\n")
  # The headers are the same for every processor; the hashes belong to the packages for x86-64.
  execute_process(
    COMMAND ${python} -m pip download --no-deps --require-hashes --disable-pip-version-check --only-binary=:all:
            --platform manylinux_2_28_x86_64 --platform manylinux_2_25_x86_64 --platform manylinux2014_x86_64
            -r ${folder}.part/requirements.txt -d ${folder}.part/wheels
    RESULT_VARIABLE failed OUTPUT_VARIABLE said ERROR_VARIABLE said TIMEOUT 600)
  if(failed)
    message(FATAL_ERROR "CUDA's headers could not be fetched from PyPI (${failed}):\n${said}\n${cuda_headers_by_hand}")
  endif()
  file(GLOB wheels ${folder}.part/wheels/*.whl)
  foreach(wheel IN LISTS wheels)
    file(ARCHIVE_EXTRACT INPUT ${wheel} DESTINATION ${folder}.part PATTERNS */include/* *.dist-info/*)
  endforeach()
  file(RENAME ${folder}.part/nvidia/cu13/include ${folder}.part/include)
  file(REMOVE_RECURSE ${folder}.part/wheels ${folder})
  file(RENAME ${folder}.part ${folder})
endfunction()

# lanescope_cuda_headers(OUT): a folder with the headers.
function(lanescope_cuda_headers out)
  foreach(folder IN ITEMS "${LANESCOPE_CUDA_HEADERS}" "$ENV{CUDA_HOME}/include" "$ENV{CUDA_PATH}/include"
                          /usr/local/cuda/include)
    if(EXISTS "${folder}/nvtx3/nvtxDetail/nvtxTypes.h" AND EXISTS "${folder}/cupti.h" AND EXISTS "${folder}/cuda.h"
       AND EXISTS "${folder}/cupti_activity_deprecated.h")
      set(${out} ${folder} PARENT_SCOPE)
      return()
    endif()
  endforeach()
  if(LANESCOPE_CUDA_HEADERS)
    message(FATAL_ERROR "LANESCOPE_CUDA_HEADERS: ${LANESCOPE_CUDA_HEADERS} holds not all of nvtx3, cupti.h and cuda.h "
                        "of CUDA 12 or later")
  endif()
  lanescope_cache_folder(cache)
  set(folder ${cache}/cuda_headers-${cuda_wheels_version})
  if(NOT EXISTS ${folder})
    file(MAKE_DIRECTORY ${cache})
    file(LOCK ${cache} DIRECTORY GUARD FUNCTION TIMEOUT 900)  # two builds may want it at once
  endif()
  if(NOT EXISTS ${folder})
    lanescope_download_cuda_headers(${folder})
  endif()
  set(${out} ${folder}/include PARENT_SCOPE)
endfunction()

lanescope_cuda_headers(headers)
add_library(lanescope_cuda_headers INTERFACE)
target_include_directories(lanescope_cuda_headers SYSTEM INTERFACE ${headers})
