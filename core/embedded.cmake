# Texts of assets/ embedded into the core library, each as two symbols: lanescope_NAME_begin and lanescope_NAME_end.
include(bytes)
function(lanescope_embed name file)
  set(path ${CMAKE_SOURCE_DIR}/assets/${file})
  set(source ${CMAKE_BINARY_DIR}/core/${name}.cpp)
  lanescope_bytes_of_file(bytes lanescope_${name} ${path})
  file(CONFIGURE OUTPUT ${source} @ONLY CONTENT [[
/* Written by core/embedded.cmake. */
__asm__(@bytes@);
]])
  set_source_files_properties(${source} PROPERTIES OBJECT_DEPENDS ${path})
  target_sources(lanescope_core PRIVATE ${source})
endfunction()

lanescope_embed(explanations explanations.tsv)
lanescope_embed(gpu_specs gpu_specs.tsv)
lanescope_embed(report_css report/report.css)
lanescope_embed(report_extract report/extract.js)
lanescope_embed(report_timeline_view report/timeline_view.js)
lanescope_embed(report_timeline report/timeline.js)
lanescope_embed(report_page report/page.js)
