// Reads V8 CPU profiles: a tree of calls, and samples that refer to its nodes.
#pragma once

#include <cstdint>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "core/ingest/build/trace_sink.h"
#include "core/ingest/format.h"
#include "core/ingest/stacks/stack_slices.h"
#include "core/ingest/whole_json/json_text.h"

namespace lanescope {

class CpuprofileReader {
  public:
    CpuprofileReader(const ReadJob& job, TraceBuilder& builder);

    // Errors: there are no samples with times, or cancelled.
    Result<void> run();

  private:
    static constexpr uint32_t kNoNode = UINT32_MAX;
    struct Node {
        int64_t id = 0;
        uint32_t parent = kNoNode;
        StackEntry entry;
        bool is_root = false;
        bool is_idle = false;
    };
    struct Sample {
        Nanos time = 0;
        uint32_t node = kNoNode;
        uint64_t position = 0;
    };
    // The raw members of the file; empty: not present.
    struct Members {
        JsonCursor nodes, head, samples, deltas, timestamps;
        std::string_view start, end;
    };

    Error nothing_shown() const;
    Members members_of_file();
    bool read_node(JsonCursor& at, uint32_t parent, int depth);
    void read_call_frame(std::string_view member, std::string_view raw, Node& node);
    void link_parents();
    void read_samples(const Members& members);
    std::vector<Nanos> times_of(const Members& members);
    void add_samples(const Members& members);
    void stack_of(uint32_t node);
    void take(const Batch& batch);

    const ReadJob& job_;
    TraceBuilder& builder_;
    TraceSink sink_;
    JsonText text_;
    Result<void> stopped_;  // why the load ends early
    uint64_t shown_ = 0;    // number of events without names
    std::vector<Node> nodes_;
    std::unordered_map<int64_t, uint32_t> node_of_id_;
    std::vector<std::pair<uint32_t, int64_t>> children_;  // (node, ID of a child)
    std::vector<std::pair<uint32_t, int64_t>> parents_;   // (node, ID of its parent)
    std::vector<Sample> samples_;
    Nanos end_ = 0;  // end of the last sample; 0: not stated
    std::vector<StackEntry> stack_;
};

}  // namespace lanescope
