// Short names for several traces in one window.
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

// "rank 3" if all traces have a rank and all ranks differ; otherwise the file names without their
// common beginning and end, in whole words. All names are distinct.
std::vector<std::string> part_names(const std::vector<TraceFile>& files);
std::vector<std::string> part_names(const std::vector<TracePtr>& traces);

// Parts to be joined under these names, with one offset for each trace.
std::vector<JoinPart> named_parts(const std::vector<TracePtr>& traces,
                                  const std::vector<Nanos>& offsets);

}  // namespace lanescope
