// XspaceIndex: where the planes and lines of an XSpace are in its text, and what they say of
// themselves; events are not read.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ingest/xspace/xspace_messages.h"
#include "core/ingest/xspace/xspace_text.h"

namespace lanescope {

// A longer field is not read.
inline constexpr uint64_t kXspaceLongestField = uint64_t{64} << 20;

// A lane of events.
struct XspaceLine {
    uint64_t begin = 0;  // its fields
    uint64_t end = 0;
    int64_t id = 0;
    int64_t timestamp_ns = 0;
    std::string name;
};

// A device, or a part of the host.
struct XspacePlane {
    uint64_t begin = 0;
    uint64_t end = 0;
    uint64_t metadata_begin = 0;  // the entries of its map of events; equal: none
    uint64_t metadata_end = 0;
    uint32_t repetition = 0;  // number of planes with the same name before it: of other hosts
    std::string name;
    std::vector<XspaceLine> lines;
    XspaceStatNames stat_names;
    std::vector<std::string> stats;  // not yet read
};

struct XspaceIndex {
    std::vector<XspacePlane> planes;  // in the order of the text
    std::vector<std::string> host_names, errors, warnings;
    XspaceEnd end = XspaceEnd::whole;
    uint64_t end_position = 0;     // where it is cut or damaged first
    uint64_t unread_planes = 0;    // beyond the number of planes that are read
    uint64_t unread_lines = 0;     // beyond the number of lines that are read
    uint64_t unread_metadata = 0;  // damaged, or too long

    // The plane whose text contains a position; null: none.
    const XspacePlane* plane_at(uint64_t position) const;
};

// Errors of the file are in XspaceText::failure().
XspaceIndex index_xspace(XspaceText& text);

// Calls take(position, metadata) for what the plane says of each kind of its events. Returns how
// many entries could not be read.
uint64_t each_xspace_metadata(
    XspaceText& text, const XspacePlane& plane,
    const std::function<void(uint64_t, const XspaceEventMetadata&)>& take);

// The value of a plane's stat by its name; Kind::none: it has none.
XspaceValue xspace_plane_stat(const XspacePlane& plane, std::string_view name);
void each_xspace_plane_stat(const XspacePlane& plane,
                            const std::function<void(std::string_view, const XspaceValue&)>& take);

}  // namespace lanescope
