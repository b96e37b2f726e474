#include "core/replays/captured_graphs.h"

#include <algorithm>
#include <map>
#include <string>
#include <unordered_map>

#include "core/base/flat_map.h"
#include "core/trace/demangle.h"
#include "core/trace/launch_calls.h"
#include "core/trace/query.h"
#include "core/trace/stream_captures.h"

namespace lanescope {

namespace {

struct Launch {
    Nanos time = 0;
    uint32_t row = 0;  // of Trace::runtime_calls
    LaunchedWork work = LaunchedWork::kernel;
};

// The captures of a trace, and the launches without work.
class CaptureFinder {
  public:
    explicit CaptureFinder(const Trace& trace) : trace_(trace), captures_(stream_captures(trace)) {
        for (const StreamCapture& capture : captures_)
            begins_[capture.lane].push_back(capture.range.begin);
        gather_launches();
    }

    // Calls take(launches of one graph) for each graph.
    template <typename Take>
    void each_graph(const Take& take) const {
        if (captures_.empty() && !launches_.empty()) take(launches_);
        for (const StreamCapture& capture : captures_) {
            std::vector<Launch> graph;
            for (auto at =
                     std::ranges::lower_bound(launches_, capture.range.begin, {}, &Launch::time);
                 at != launches_.end() && at->time < capture.range.end; ++at)
                if (process_of(at->row) == capture.process) graph.push_back(*at);
            if (!graph.empty()) take(graph);
        }
    }

    bool has_limits() const { return !captures_.empty(); }

    // When the last capture before a time began on a thread; the trace's begin: not recorded.
    Nanos begin_before(LaneId lane, Nanos time) const {
        const auto begins = begins_.find(lane);
        if (begins == begins_.end()) return trace_.origin;
        const auto after = std::ranges::upper_bound(begins->second, time);
        return after == begins->second.begin() ? trace_.origin : *(after - 1);
    }

  private:
    uint32_t process_of(uint32_t row) const {
        return trace_.lanes[trace_.runtime_calls.slice[row].lane].process;
    }

    void gather_launches() {
        constexpr uint8_t kUnknown = 255;
        std::vector<uint8_t> works(trace_.strings.size(), kUnknown);  // by the call's name
        LinkCursor links(trace_);
        for (uint32_t row = 0; row < trace_.runtime_calls.rows(); ++row) {
            const SliceRef call = trace_.runtime_calls.slice[row];
            uint8_t& known = works[trace_.name_id(call)];
            if (known == kUnknown) known = static_cast<uint8_t>(launched_work(trace_.name(call)));
            const auto work = static_cast<LaunchedWork>(known);
            if (work == LaunchedWork::none || work == LaunchedWork::graph) continue;
            if (std::ranges::none_of(links.from(call), [](const Link& link) {
                    return link.kind == LinkKind::launch;
                }))
                launches_.push_back({trace_.start(call), row, work});
        }
        std::ranges::stable_sort(launches_, {}, &Launch::time);
    }

    const Trace& trace_;
    std::vector<StreamCapture> captures_;
    std::map<LaneId, std::vector<Nanos>> begins_;  // of captures, by thread
    std::vector<Launch> launches_;                 // without work
};

// Finds the calls around launches. Of Python's frames it keeps modules, and the function that calls
// the outermost operator.
class CallCollector {
  public:
    CallCollector(const CaptureFinder& captures, CapturedGraphs& graphs)
        : trace_(*graphs.trace), captures_(captures), graphs_(graphs) {}

    uint32_t innermost_around(SliceRef launch) {
        const Nanos time = trace_.start(launch);
        const Nanos begin = captures_.begin_before(launch.lane, time);
        uint32_t innermost = kNoRow;
        SliceRef python;  // the last frame that is no module
        bool in_operator = false;
        const uint32_t depths = depth_of(trace_, launch);
        for (uint32_t depth = 0; depth < depths; ++depth) {
            const SliceRef slice = slice_at(trace_, launch.lane, depth, time);
            if (!slice || trace_.start(slice) < begin) continue;
            if (trace_.name(slice).starts_with("ProfilerStep#")) continue;
            switch (trace_.event_class(slice)) {
                case EventClass::python:
                    python = slice;
                    break;
                case EventClass::op:
                    if (!in_operator && python) innermost = call_at(python, innermost);
                    in_operator = true;
                    [[fallthrough]];
                case EventClass::module:
                case EventClass::annotation:
                case EventClass::communication:
                    innermost = call_at(slice, innermost);
                    break;
                default:
                    break;
            }
        }
        return innermost == kNoRow && python ? call_at(python, innermost) : innermost;
    }

  private:
    uint32_t call_at(SliceRef slice, uint32_t parent) {
        const uint64_t key = uint64_t{slice.lane} << 32U | slice.index;
        const auto next = static_cast<uint32_t>(graphs_.calls.size());
        const auto [at, added] = known_.try_emplace(key, next);
        if (added) graphs_.calls.push_back({slice, parent});
        return at;
    }

    const Trace& trace_;
    const CaptureFinder& captures_;
    CapturedGraphs& graphs_;
    FlatMap<uint32_t> known_;  // by slice
};

// The name of the kernel that Inductor generated for Triton, which its operator has too.
std::string_view triton_kernel(const CapturedGraphs& graphs, uint32_t call) {
    if (call == kNoRow) return {};
    const std::string_view name = graphs.trace->name(graphs.calls[call].slice);
    return name.starts_with("triton_") ? name : std::string_view();
}

// Finds the slices of the calls that created the nodes.
std::vector<SliceRef> slices_of(const Trace& trace, std::span<const StatedNode> nodes) {
    std::unordered_map<uint64_t, uint32_t> by_source;
    for (uint32_t i = 0; i < nodes.size(); ++i) by_source.try_emplace(nodes[i].source, i);
    std::vector<SliceRef> slices(nodes.size());
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        if (trace.lanes[lane].kind != LaneKind::thread) continue;
        uint32_t index = 0;
        for (const auto& chunk : trace.lanes[lane].chunks)
            for (const uint64_t source : chunk->source) {
                const auto found = by_source.find(source);
                if (found != by_source.end()) slices[found->second] = {lane, index};
                ++index;
            }
    }
    return slices;
}

}  // namespace

uint32_t LaunchTokens::of_kernel(std::string_view name) {
    std::string plain = demangled(name);
    // HIP copies and sets memory by kernels.
    if (plain.starts_with("__amd_rocclr_copyBuffer")) return kCopy;
    if (plain.starts_with("__amd_rocclr_fillBuffer")) return kSet;
    std::erase(plain, ' ');  // demanglers differ in "> >"
    constexpr std::string_view kLong = "std::bfloat16_t";
    for (std::size_t at = plain.find(kLong); at != std::string::npos; at = plain.find(kLong, at))
        plain.replace(at, kLong.size(), "__bf16");
    return kAnyKernel + names_.intern(plain) + 1;
}

CapturedGraphs captured_graphs(const Trace& trace, LaunchTokens& tokens) {
    CapturedGraphs graphs;
    graphs.trace = &trace;
    const CaptureFinder captures(trace);
    graphs.has_limits = captures.has_limits();
    CallCollector calls(captures, graphs);
    const RuntimeCalls& table = trace.runtime_calls;
    std::unordered_map<std::string_view, uint32_t> known;  // tokens of names
    captures.each_graph([&](const std::vector<Launch>& launches) {
        const auto begin = static_cast<uint32_t>(graphs.launches.size());
        for (const Launch& launch : launches) {
            CapturedLaunch& added = graphs.launches.emplace_back();
            added.call = calls.innermost_around(table.slice[launch.row]);
            if (launch.work == LaunchedWork::copy) {
                added.token = LaunchTokens::kCopy;
                continue;
            }
            if (launch.work == LaunchedWork::set) {
                added.token = LaunchTokens::kSet;
                continue;
            }
            const StringId kernel = table.kernel.empty() ? 0 : table.kernel[launch.row];
            graphs.knows_kernels = graphs.knows_kernels || kernel != 0;
            const std::string_view name =
                kernel != 0 ? trace.strings[kernel] : triton_kernel(graphs, added.call);
            if (name.empty()) {
                added.token = LaunchTokens::kAnyKernel;
                continue;
            }
            uint32_t& token = known.try_emplace(name, 0).first->second;
            if (token == 0) token = tokens.of_kernel(name);
            added.token = token;
        }
        graphs.graphs.push_back({begin, static_cast<uint32_t>(graphs.launches.size())});
    });
    return graphs;
}

CapturedNodes::CapturedNodes(const Trace& trace, std::span<const StatedNode> nodes) {
    graphs_.trace = &trace;
    if (nodes.empty()) return;
    const std::vector<SliceRef> slices = slices_of(trace, nodes);
    // Index in `nodes` by process and node.
    std::map<std::pair<uint32_t, int64_t>, uint32_t> calls_of;
    for (uint32_t i = 0; i < nodes.size(); ++i)
        if (slices[i])
            calls_of.try_emplace({trace.lanes[slices[i].lane].process, nodes[i].node}, i);
    const CaptureFinder captures(trace);
    CallCollector calls(captures, graphs_);
    std::map<uint32_t, uint32_t> launch_of_call;
    constexpr int kMostCopies = 64;  // depth of copies; also ends cycles
    for (const auto& [key, first] : calls_of) {
        auto at = calls_of.find(key);
        for (int i = 0; i < kMostCopies && at != calls_of.end(); ++i) {
            if (nodes[at->second].original == kNoValue) break;
            at = calls_of.find({key.first, nodes[at->second].original});
        }
        if (at == calls_of.end() || nodes[at->second].original != kNoValue) continue;
        const auto next = static_cast<uint32_t>(graphs_.launches.size());
        const auto [launch, is_new] = launch_of_call.try_emplace(at->second, next);
        if (is_new) graphs_.launches.push_back({0, calls.innermost_around(slices[at->second])});
        launches_.emplace(key, launch->second);
    }
}

uint32_t CapturedNodes::launch_of(uint32_t process, int64_t node) const {
    const auto found = launches_.find({process, node});
    return found == launches_.end() ? kNoRow : found->second;
}

}  // namespace lanescope
