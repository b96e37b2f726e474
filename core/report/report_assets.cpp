#include "core/report/report_assets.h"

#include <fmt/format.h>

extern "C" {
extern const char lanescope_report_css_begin[], lanescope_report_css_end[];
extern const char lanescope_report_extract_begin[], lanescope_report_extract_end[];
extern const char lanescope_report_timeline_view_begin[], lanescope_report_timeline_view_end[];
extern const char lanescope_report_timeline_begin[], lanescope_report_timeline_end[];
extern const char lanescope_report_page_begin[], lanescope_report_page_end[];
}

namespace lanescope {

std::string_view report_style() {
    return {lanescope_report_css_begin, lanescope_report_css_end};
}

std::string report_script() {
    const auto part = [](const char* begin, const char* end) {
        return std::string_view(begin, end);
    };
    return fmt::format(
        "\"use strict\";\n(() => {{\n{}\n{}\n{}\n{}}})();\n",
        part(lanescope_report_extract_begin, lanescope_report_extract_end),
        part(lanescope_report_timeline_view_begin, lanescope_report_timeline_view_end),
        part(lanescope_report_timeline_begin, lanescope_report_timeline_end),
        part(lanescope_report_page_begin, lanescope_report_page_end));
}

}  // namespace lanescope
