// How the events of a line overlap.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lanescope {

// The time of an event, in picoseconds.
struct XspaceSpan {
    int64_t begin = 0;
    int64_t end = 0;
};

enum class XspaceParts : uint8_t {
    none,  // contains no event of the line
    few,   // contains events
    most,  // contains events that cover at least half of its time
};
// Parallel to `events`.
std::vector<XspaceParts> xspace_parts(std::span<const XspaceSpan> events);

// For each event, the first lane in which nothing overlaps it. The last of 64 lanes takes all
// remaining events.
std::vector<uint8_t> xspace_free_lanes(std::span<const XspaceSpan> events);

}  // namespace lanescope
