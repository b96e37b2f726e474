// XspaceIndex: positions of planes and lines in the text of an XSpace, with their own fields. Does
// not read events.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "core/ingest/xspace/xspace_messages.h"
#include "core/ingest/xspace/xspace_text.h"

namespace lanescope {

// Longer fields are not read.
inline constexpr uint64_t kXspaceLongestField = uint64_t{64} << 20;

// A line of events.
struct XspaceLine {
    uint64_t begin = 0;  // position of its fields
    uint64_t end = 0;
    int64_t id = 0;
    int64_t timestamp_ns = 0;
    std::string name;
};

// A device, or a part of the host.
struct XspacePlane {
    uint64_t begin = 0;
    uint64_t end = 0;
    // Position of the map of event metadata; equal to its end: no entries.
    uint64_t metadata_begin = 0;
    uint64_t metadata_end = 0;
    // Number of earlier planes with the same name, which belong to other hosts.
    uint32_t repetition = 0;
    std::string name;
    std::vector<XspaceLine> lines;
    XspaceStatNames stat_names;
    std::vector<std::string> stats;  // not yet read
};

struct XspaceIndex {
    std::vector<XspacePlane> planes;  // in file order
    std::vector<std::string> host_names, errors, warnings;
    XspaceEnd end = XspaceEnd::whole;
    uint64_t end_position = 0;     // first position at which the file is truncated or damaged
    uint64_t unread_planes = 0;    // beyond the limit on planes
    uint64_t unread_lines = 0;     // beyond the limit on lines
    uint64_t unread_metadata = 0;  // damaged or too long

    // The plane whose text contains the position; null: none.
    const XspacePlane* plane_at(uint64_t position) const;
};

// Errors of the file are in XspaceText::failure().
XspaceIndex index_xspace(XspaceText& text);

// Calls take(position, metadata) for each entry of the plane's event metadata. Returns the number
// of unreadable entries.
uint64_t each_xspace_metadata(
    XspaceText& text, const XspacePlane& plane,
    const std::function<void(uint64_t, const XspaceEventMetadata&)>& take);

// A plane's stat by name; Kind::none: not present.
XspaceValue xspace_plane_stat(const XspacePlane& plane, std::string_view name);
void each_xspace_plane_stat(const XspacePlane& plane,
                            const std::function<void(std::string_view, const XspaceValue&)>& take);

}  // namespace lanescope
