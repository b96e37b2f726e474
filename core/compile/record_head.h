// The head of a record of a TORCH_TRACE log.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/compile/compiled_code.h"
#include "core/compile/record_json.h"

namespace lanescope {

using RecordJson = nlohmann::json;

struct RecordHead {
    std::string kind;  // the type; for an artifact, its name
    RecordJson about;  // the value of the type's key
    CompileId id;
    int64_t attempt = 0;
    int64_t rank = -1;
};

// None: the text is not a JSON object with a type.
std::optional<RecordHead> read_record_head(std::string_view text);

// Parses with record_json().
RecordJson parsed_json(std::string_view text);
// A text member; empty: not present.
std::string text_at(const RecordJson& object, const char* key);

}  // namespace lanescope
