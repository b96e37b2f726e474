// Facts about the recorded program's distributed job: rank, world size, process groups.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

// Empty texts and lists: not recorded.
struct ProcessGroupFacts {
    std::string name;
    std::string description;
    std::string backend;  // "cuda:nccl"
    std::optional<int64_t> size;
    std::vector<int64_t> ranks;
};

struct DistributedFacts {
    std::optional<int64_t> rank;
    std::optional<int64_t> world_size;
    std::string backend;  // "nccl"; empty: not recorded
    std::vector<ProcessGroupFacts> groups;
};

// Empty: the file states nothing about a job.
std::optional<DistributedFacts> distributed_facts(const Trace& file);

}  // namespace lanescope
