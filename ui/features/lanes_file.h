// Stores the arrangement of a trace's lanes: a small file for each trace in the user's folder, so
// that lanes look the same when the trace is opened again.
#pragma once

#include <string>

#include "core/view/view_index.h"

namespace lanescope {

// The file of a trace in `folder`; empty without a folder.
std::string lanes_path(const std::string& folder, const std::string& trace_path);

struct LoadedLanes {
    LaneArrangement arrangement;
    // Why a file could not be used, and where that file is now; empty: no problem.
    std::string message;
    // The file is of an older version: save_lanes() keeps it beside the new one. It must be saved
    // once, even if nothing changes, so that the message appears once.
    bool is_old = false;
    bool may_save = true;  // false: a broken file could not be moved and must not be overwritten
};
// The first arrangement if there is no file.
LoadedLanes load_lanes(const std::string& path, const ViewIndex& index);
// The first arrangement needs no file.
Result<void> save_lanes(const LaneArrangement& arrangement, const ViewIndex& index,
                        const std::string& path);

}  // namespace lanescope
