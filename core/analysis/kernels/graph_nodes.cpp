#include "core/analysis/kernels/graph_nodes.h"

#include <algorithm>
#include <map>
#include <optional>

#include "core/analysis/kernels/kernel_columns.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/kernel_families.h"
#include "core/analysis/structure/short_names.h"
#include "core/replays/layers.h"
#include "core/trace/replay_link.h"

namespace lanescope {

struct GraphNodeTableRow {
    const TraceContext& context;
    const GraphNode& node;
    const Trace& trace = context.trace();
    SliceRef first = trace.gpu_activities.slice[node.members.front()];

    std::string_view short_name() const {
        return context.get<ShortNames>().of(trace, trace.name_id(first));
    }
    KernelFamily family() const {
        return context.get<KernelFamilies>().by_row[node.members.front()];
    }

    std::optional<std::string_view> module() const {
        for (const SliceRef call : calls_to(context.get<Attribution>(),
                                            context.get<CallTrees>().by_lane, node.members.front()))
            if (trace.event_class(call) == EventClass::module) return trace.name(call);
        return std::nullopt;
    }
};

namespace {

// The work of graph launches, by the launch's begin, each sorted by begin.
std::vector<std::vector<uint32_t>> replays_in(const TraceContext& context) {
    const Trace& trace = context.trace();
    const Attribution& attribution = context.get<Attribution>();
    std::vector<std::vector<uint32_t>> replays;
    SliceRef last;
    for (const uint32_t row : attribution.by_launch) {
        const SliceRef launch = attribution.launch[row];
        if (launch != last && launches_graph(trace.name(launch))) replays.emplace_back();
        last = launch;
        if (launches_graph(trace.name(launch))) replays.back().push_back(row);
    }
    const auto start_of = [&](uint32_t row) {
        return trace.start(trace.gpu_activities.slice[row]);
    };
    for (std::vector<uint32_t>& replay : replays) std::ranges::stable_sort(replay, {}, start_of);
    std::ranges::stable_sort(replays, {}, [&](const std::vector<uint32_t>& replay) {
        return trace.start(attribution.launch[replay.front()]);
    });
    return replays;
}

void add_times(const Trace& trace, GraphNode& node) {
    std::vector<Nanos> durations;
    Nanos longest = -1;
    for (const uint32_t row : node.members) {
        const SliceRef slice = trace.gpu_activities.slice[row];
        durations.push_back(trace.duration(slice));
        if (durations.back() > longest) node.longest = slice;
        longest = std::max(longest, durations.back());
    }
    node.drift = drift(durations);
    std::ranges::sort(durations);
    node.durations = distribution_of(durations);
}

constexpr auto kNodeColumns = columns<GraphNodeTableRow>({
    {{"graph", Unit::none, kDistinct, "", "Number of the graph, in order of the first replays."},
     [](const GraphNodeTableRow& row) { return row.node.graph; }},
    {{"node", Unit::none, kDistinct, "",
      "Place in the graph, in order of time: 1 is the first that begins."},
     [](const GraphNodeTableRow& row) { return row.node.node; }},
    {{"layer", Unit::none, kDistinct, "nothing repeats here",
      "Number of its layer: a sequence of names that repeats at least three times without a gap, "
      "over half of the graph or more."},
     [](const GraphNodeTableRow& row) { return known(row.node.layer, 0U); }},
    {{"position", Unit::none, kDistinct, "in no layer",
      "Place in the layer: the same position of all layers is one kernel of the model."},
     [](const GraphNodeTableRow& row) { return known(row.node.position, 0U); }},
    {kName, [](const GraphNodeTableRow& row) { return row.trace.name(row.first); }},
    kShortNameColumn,
    {kKind, [](const GraphNodeTableRow& row) { return kind_of(row.trace, row.first); }},
    kFamily,
    {{"operator", Unit::none, kDistinct, "none is known",
      "The operator that launched it in the capture; without one, that around the graph launch."},
     [](const GraphNodeTableRow& row) {
         const Attribution& attribution = row.context.get<Attribution>();
         return known_name(row.trace, attribution.op[row.node.members.front()]);
     }},
    {{"module", Unit::none, kDistinct, "none is known",
      "The innermost module around its captured call, or around the graph launch."},
     [](const GraphNodeTableRow& row) { return row.module(); }},
    {{"replays", Unit::count, kMax, "", "Replays of the graph."},
     [](const GraphNodeTableRow& row) { return row.node.durations.count; }},
    {shown_first({"total_ns", Unit::nanoseconds, kSum, "", "Time in all replays."}),
     [](const GraphNodeTableRow& row) { return row.node.durations.total; }},
    {shown_first({"per_replay_ns", Unit::nanoseconds, kSum, "", "Mean time in a replay."}),
     [](const GraphNodeTableRow& row) { return row.node.durations.mean; }},
    {{"sd_ns", Unit::nanoseconds, kNoAggregate, "a single replay", "Standard deviation (n - 1)."},
     [](const GraphNodeTableRow& row) { return row.node.durations.sd; }},
    {{"p50_ns", Unit::nanoseconds, kNoAggregate, "", "Median."},
     [](const GraphNodeTableRow& row) { return row.node.durations.p50; }},
    {{"min_ns", Unit::nanoseconds, kMin, "", "Shortest."},
     [](const GraphNodeTableRow& row) { return row.node.durations.min; }},
    {{"max_ns", Unit::nanoseconds, kMax, "", "Longest."},
     [](const GraphNodeTableRow& row) { return row.node.durations.max; }},
    {{"outliers", Unit::count, kSum, "",
      "Replays above p50 + 3 × 1.4826 × median absolute deviation."},
     [](const GraphNodeTableRow& row) { return row.node.durations.outliers; }},
    {{"drift", Unit::ratio, kNoAggregate, "fewer than eight replays",
      "By how much the median of the last quarter exceeds that of the first, relative to the "
      "first."},
     [](const GraphNodeTableRow& row) { return row.node.drift; }},
});

}  // namespace

const TableOf<GraphNodeTableRow> kKernelsByNodeTable = {
    {"kernels", "Kernels, copies and sets of graph replays, by their place in the graph.", "node"},
    kNodeColumns,
    [](const GraphNodeTableRow& row) {
        return RowTarget{row.node.longest, {}};
    }};

std::vector<GraphNode> graph_nodes(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    struct Graph {
        std::size_t first = 0;  // its first node
        uint32_t number = 0;
    };
    std::map<std::vector<StringId>, Graph> graphs;
    std::vector<GraphNode> nodes;
    for (const std::vector<uint32_t>& replay : replays_in(context)) {
        std::vector<StringId> names;
        names.reserve(replay.size());
        for (const uint32_t row : replay)
            names.push_back(trace.name_id(trace.gpu_activities.slice[row]));
        const auto number = static_cast<uint32_t>(graphs.size() + 1);
        const auto [graph, added] = graphs.try_emplace(names, Graph{nodes.size(), number});
        if (added) {
            const RepeatedLayers layers = find_layers(names);
            for (uint32_t i = 0; i < names.size(); ++i) {
                GraphNode& node = nodes.emplace_back();
                node.graph = number;
                node.node = i + 1;
                if (!layers.contains(i)) continue;
                node.layer = layers.layer_of(i) + 1;
                node.position = layers.position_of(i) + 1;
            }
        }
        for (std::size_t i = 0; i < replay.size(); ++i) {
            const SliceRef slice = trace.gpu_activities.slice[replay[i]];
            if (query.has_work(replay[i], trace.start(slice)))
                nodes[graph->second.first + i].members.push_back(replay[i]);
        }
    }
    std::erase_if(nodes, [](const GraphNode& node) { return node.members.empty(); });
    for (GraphNode& node : nodes) add_times(trace, node);
    return nodes;
}

const GraphNode* GraphNodes::of(const Trace& trace, SliceRef slice) const {
    const uint32_t row = find_row(trace.gpu_activities.slice, slice);
    return row == kNoRow || of_row[row] == kNoRow ? nullptr : &all[of_row[row]];
}

GraphNodes GraphNodes::compute(const TraceContext& context) {
    GraphNodes nodes;
    nodes.all = graph_nodes(context, {});
    nodes.of_row.assign(context.trace().gpu_activities.slice.size(), kNoRow);
    for (uint32_t i = 0; i < nodes.all.size(); ++i)
        for (const uint32_t row : nodes.all[i].members) nodes.of_row[row] = i;
    return nodes;
}

Table kernels_by_node_table(const TraceContext& context, const TableQuery& query) {
    const std::vector<GraphNode> nodes = graph_nodes(context, query);
    TableBuilder table(kKernelsByNodeTable);
    for (const GraphNode& node : nodes) table.add({context, node});
    return table.take();
}

}  // namespace lanescope
