// How the events of a line lie over each other.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace lanescope {

// The time of an event in picoseconds.
struct XspaceSpan {
    int64_t begin = 0;
    int64_t end = 0;
};

enum class XspaceParts : uint8_t {
    none,  // no event of the line lies in this one
    few,   // events lie in this one
    most,  // events lie in it for at least half of its time
};
// By event.
std::vector<XspaceParts> xspace_parts(std::span<const XspaceSpan> events);

// For each event the first lane in which nothing overlaps it; the last of 64 lanes takes the rest.
std::vector<uint8_t> xspace_free_lanes(std::span<const XspaceSpan> events);

}  // namespace lanescope
