// The members of a TORCH_TRACE record as keys and values.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace lanescope {

struct RecordArgument {
    std::string key;
    std::string value;  // JSON or a text
    bool is_text = false;
};

// `text`: begins with the record, and may end after or within it. A payload that is not JSON
// becomes "payload".
std::vector<RecordArgument> record_arguments(std::string_view text);

}  // namespace lanescope
