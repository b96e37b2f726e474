// Short names for the traces of one window.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/trace/join.h"

namespace lanescope {

struct TraceFile {
    std::string path;
    int64_t rank = -1;  // own_rank() of its trace
};

// "rank 3" where all tell a rank and no two the same; else the names of their files without what
// all of them begin and end with, as far as whole words go. No two are alike.
std::vector<std::string> part_names(const std::vector<TraceFile>& files);
std::vector<std::string> part_names(const std::vector<TracePtr>& traces);

// To be joined under these names; one offset a trace.
std::vector<JoinPart> named_parts(const std::vector<TracePtr>& traces,
                                  const std::vector<Nanos>& offsets);

}  // namespace lanescope
