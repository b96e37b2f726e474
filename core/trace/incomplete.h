// Whether all of a file could be read.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/trace/trace.h"

namespace lanescope {

enum class IncompleteKind : uint8_t {
    truncated,  // the file ends too early; an unknown number of events is missing
    damaged     // parts of it could not be read
};

struct Incomplete {
    IncompleteKind kind = IncompleteKind::truncated;
    // Where the file ends, or where its first unreadable part is; Error::no_offset: not known.
    uint64_t byte_offset = 0;
    uint64_t places = 1;  // number of unreadable parts
    uint64_t events_read = 0;
    bool has_gpu_work = false;
};

// Derived from the trace's warnings; none for a complete file. A file that is both truncated and
// damaged counts as truncated.
std::optional<Incomplete> incomplete_of(const Trace& trace);

// "truncated", "damaged".
std::string_view incomplete_kind_name(IncompleteKind kind);

// "This file is cut off at byte 4711, after 765 events. What followed, perhaps GPU work, is
// missing."
std::string incomplete_sentence(const Incomplete& incomplete);

}  // namespace lanescope
