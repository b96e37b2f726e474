// The launches of a trace that were captured into graphs: their calls ran while a stream was being
// captured, so that no work of a GPU has their correlation.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "core/replays/stated_nodes.h"
#include "core/trace/trace.h"

namespace lanescope {

// Numbers for what a launch starts: copies, sets, and each kernel by its name. Names that a
// compiler or profiler wrote differently have one number.
class LaunchTokens {
  public:
    static constexpr uint32_t kCopy = 1;
    static constexpr uint32_t kSet = 2;
    static constexpr uint32_t kAnyKernel = 3;  // the call does not state its kernel

    uint32_t of_kernel(std::string_view name);
    static bool is_kernel(uint32_t token) { return token >= kAnyKernel; }

  private:
    StringPool names_;
};

// A call around captured launches: an operator, a module, an annotation or a Python function.
struct CapturedCall {
    SliceRef slice;
    uint32_t parent = kNoRow;  // in CapturedGraphs::calls
};

struct CapturedLaunch {
    uint32_t token = 0;
    uint32_t call = kNoRow;  // the innermost call around it, in CapturedGraphs::calls
};

// The launches of one graph, in CapturedGraphs::launches.
struct CapturedGraph {
    uint32_t begin = 0;
    uint32_t end = 0;
    uint32_t size() const { return end - begin; }
};

struct CapturedGraphs {
    const Trace* trace = nullptr;
    std::vector<CapturedCall> calls;
    std::vector<CapturedLaunch> launches;  // by graph, then by time
    std::vector<CapturedGraph> graphs;     // by time
    bool knows_kernels = false;            // whether any launch states its kernel
    bool has_limits = false;               // whether begins and ends of captures are recorded
};

// A graph's launches are those between the begin and the end of a capture in its process. In a
// trace that records no such calls, all launches without work form one graph.
CapturedGraphs captured_graphs(const Trace& trace, LaunchTokens& tokens);

// The calls that created graph nodes, in a trace that states node IDs.
class CapturedNodes {
  public:
    CapturedNodes(const Trace& trace, std::span<const StatedNode> nodes);

    // All launches that created nodes; they belong to no CapturedGraph.
    const CapturedGraphs& graphs() const { return graphs_; }
    // Index in graphs().launches of the launch that created a node; if the node is a copy, of its
    // original. kNoRow: not recorded.
    uint32_t launch_of(uint32_t process, int64_t node) const;

  private:
    CapturedGraphs graphs_;
    std::map<std::pair<uint32_t, int64_t>, uint32_t> launches_;  // by process and node
};

}  // namespace lanescope
