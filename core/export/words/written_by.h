// The marks by which a command recognises files that Lanescope wrote.
#pragma once

#include <string_view>

namespace lanescope {

// The first member of every JSON object that we write; JSON's writers differ in their spaces.
inline constexpr std::string_view kWrittenByKey = "written_by";
inline constexpr std::string_view kWrittenBy = "lanescope";
inline constexpr std::string_view kJsonMark = R"("written_by": "lanescope")";
inline constexpr std::string_view kSpeedscopeMark = R"("exporter":"lanescope")";
// Perfetto's first packet: the version of the tracing service, field 4 of SystemInfo.
inline constexpr std::string_view kPerfettoMark = "\x22\x09lanescope";
// An attribute of the outermost element in SVG and HTML.
inline constexpr std::string_view kGeneratorMark = R"(data-generator="lanescope")";
// The first line of Markdown in a file, which readers do not show.
inline constexpr std::string_view kMarkdownMark = "<!-- written by lanescope -->\n";
// A tEXt chunk of a PNG: keyword, zero, text.
inline constexpr std::string_view kPngMark("tEXtSoftware\0Lanescope", 22);

}  // namespace lanescope
