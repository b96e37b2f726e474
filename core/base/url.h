// The few parts of URLs that paths of traces need.
#pragma once

#include <string>
#include <string_view>

#include "core/base/result.h"

namespace lanescope {

// Whether a text begins with SCHEME://, as ssh://host/path does. A local path that looks like this
// is written with ./ in front.
bool is_url(std::string_view text);
// The scheme of a URL in lower case: "ssh"; empty for other texts.
std::string url_scheme(std::string_view text);
// Replaces each %XX by the byte with this hexadecimal number. Errors: digits are missing.
Result<std::string> percent_decoded(std::string_view text);

}  // namespace lanescope
