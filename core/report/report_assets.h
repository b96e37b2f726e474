// The style and the script of a report's page, from assets/report.
#pragma once

#include <string>
#include <string_view>

namespace lanescope {

std::string_view report_style();
// All parts of the script, as one function that is called at once.
std::string report_script();

}  // namespace lanescope
