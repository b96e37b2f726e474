#include "core/analysis/modules/modules.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/forward_backward.h"
#include "core/analysis/structure/lane_view.h"
#include "core/analysis/structure/operator_index.h"
#include "core/analysis/structure/row_cursor.h"
#include "core/analysis/structure/step_finders.h"
#include "core/analysis/structure/steps.h"
#include "core/analysis/work/work_models.h"
#include "core/base/flat_map.h"
#include "core/models/arguments.h"

namespace lanescope {

namespace {

// The indices of parameters among the inputs of operators that modules call.
struct ParameterPlaces {
    std::string_view op;
    std::array<int, 2> at;
};
constexpr std::array kParameters = {
    ParameterPlaces{"aten::linear", {1, 2}},
    ParameterPlaces{"aten::conv1d", {1, 2}},
    ParameterPlaces{"aten::conv2d", {1, 2}},
    ParameterPlaces{"aten::conv3d", {1, 2}},
    ParameterPlaces{"aten::conv_transpose1d", {1, 2}},
    ParameterPlaces{"aten::conv_transpose2d", {1, 2}},
    ParameterPlaces{"aten::conv_transpose3d", {1, 2}},
    ParameterPlaces{"aten::batch_norm", {1, 2}},
    ParameterPlaces{"aten::layer_norm", {2, 3}},
    ParameterPlaces{"aten::group_norm", {2, 3}},
    ParameterPlaces{"aten::instance_norm", {1, 2}},
    ParameterPlaces{"aten::embedding", {0, -1}},
    ParameterPlaces{"aten::prelu", {1, -1}},
};

// Builds the tree, and records the node of each slice of a thread or a lane of replays.
class TreeMaker {
  public:
    TreeMaker(const TraceContext& context, const TableQuery& query)
        : context_(context), trace_(context.trace()), query_(query) {
        tree_.of_annotations = std::ranges::none_of(
            trace_.name_traits, [](uint8_t traits) { return (traits & kModuleFrame) != 0; });
        for (StringId id = 0; id < trace_.strings.size(); ++id)
            is_step_.push_back(profiler_step_index(trace_.strings[id]) >= 0);
        node_of_.resize(trace_.lanes.size());
    }

    void add_lanes() {
        for (LaneId lane = 0; lane < trace_.lanes.size(); ++lane)
            if (is_cpu_thread(trace_, trace_.lanes[lane])) add_lane(lane);
        for (LaneId lane = 0; lane < trace_.lanes.size(); ++lane)
            if (trace_.lanes[lane].kind == LaneKind::replay) add_lane(lane);
    }

    // kNoRow: in no node.
    uint32_t node_of(SliceRef slice) const {
        return slice && !node_of_[slice.lane].empty() ? node_of_[slice.lane][slice.index] : kNoRow;
    }

    // The node that runs at a time on a thread.
    uint32_t node_at(LaneId lane, Nanos t) {
        if (node_of_[lane].empty()) return kNoRow;
        RowCursor& cursor = cursors_.try_emplace(lane, trace_, lane).first->second;
        for (uint32_t depth = trace_.lanes[lane].depth_count; depth-- > 0;)
            if (const SliceRef at = cursor.slice_at(depth, t)) return node_of(at);
        return kNoRow;
    }

    ModuleTree& tree() { return tree_; }

  private:
    bool is_node(StringId name, CategoryId category) const {
        const EventClass c = trace_.categories[category].event_class;
        if (tree_.of_annotations) return c == EventClass::annotation && !is_step_[name];
        return c == EventClass::python && (trace_.name_traits[name] & kModuleFrame);
    }

    void add_lane(LaneId lane) {
        const CallTree& calls = context_.get<CallTrees>().by_lane[lane];
        const LaneView view(trace_.lanes[lane]);
        Column<uint32_t>& node_of = node_of_[lane];
        node_of = Column<uint32_t>::filled(calls.parent.size(), kNoRow);
        for (const uint32_t i : calls.order) {
            const uint32_t above =
                calls.parent[i] == CallTree::none ? kNoRow : node_of[calls.parent[i]];
            node_of[i] = above;
            if (!is_node(view.name(i), view.category(i))) continue;
            if (!query_.has(view.start(i))) continue;
            node_of[i] = node_below(above, view.name(i));
            if (trace_.lanes[lane].kind == LaneKind::replay)
                count_replay(node_of[i], {lane, i});
            else
                count_call(node_of[i], {lane, i}, view.duration(i));
        }
    }

    uint32_t node_below(uint32_t above, StringId name) {
        const uint64_t key = uint64_t{above} << 32U | name;
        const auto next = static_cast<uint32_t>(tree_.nodes.size());
        const uint32_t found = known_.try_emplace(key, next).first;
        if (found == next) {
            ModuleNode node;
            node.name = name;
            node.parent = above;
            node.depth = above == kNoRow ? 0 : tree_.nodes[above].depth + 1;
            tree_.nodes.push_back(node);
        }
        return found;
    }

    void count_call(uint32_t at, SliceRef slice, Nanos duration) {
        ModuleNode& node = tree_.nodes[at];
        ++node.calls;
        node.cpu += duration;
        node.cpu_self += duration;
        if (!node.longest || duration > trace_.duration(node.longest)) node.longest = slice;
        if (node.parent != kNoRow)
            tree_.nodes[node.parent].cpu_self -= duration;
        else
            tree_.all_cpu += duration;
    }

    void count_replay(uint32_t at, SliceRef slice) {
        ModuleNode& node = tree_.nodes[at];
        ++node.replayed_calls;
        if (!node.longest) node.longest = slice;
    }

    const TraceContext& context_;
    const Trace& trace_;
    const TableQuery& query_;
    std::vector<bool> is_step_;
    FlatMap<uint32_t> known_;  // by parent node and name
    std::vector<Column<uint32_t>> node_of_;
    std::map<LaneId, RowCursor> cursors_;  // of lanes with memory events
    ModuleTree tree_;
};

// Sums the costs of the nodes themselves; children are added later.
class CostsOfNodes {
  public:
    CostsOfNodes(const TraceContext& context, const TableQuery& query, TreeMaker& maker)
        : context_(context),
          trace_(context.trace()),
          query_(query),
          maker_(maker),
          trees_(context.get<CallTrees>().by_lane),
          index_(context.get<OperatorIndex>()),
          pairs_(context.trace()) {}

    void add_activities() {
        const WorkModels& models = context_.get<WorkModels>();
        const Attribution& attribution = context_.get<Attribution>();
        for (uint32_t row = 0; row < trace_.gpu_activities.slice.size(); ++row) {
            const SliceRef slice = trace_.gpu_activities.slice[row];
            if (!query_.has_work(row, trace_.start(slice))) continue;
            const Nanos duration = trace_.duration(slice);
            maker_.tree().all_device += duration;
            bool backward = false;
            const uint32_t at = node_after(attribution.caller(row), backward);
            if (at == kNoRow) continue;
            ModuleNode& node = maker_.tree().nodes[at];
            node.device += duration;
            (backward ? node.device_backward : node.device_self) += duration;
            add_work(node, models.costs[row].flop, models.costs[row].bytes);
            add_floor(node, models.costs[row], duration);
        }
        if (!trace_.gpu_activities.slice.empty()) return;
        for (const ModelledOperator& op : models.instances) {
            bool backward = false;
            if (!query_.has(trace_.start(op.slice))) continue;
            const uint32_t at = node_after(op.slice, backward);
            if (at == kNoRow) continue;
            if (models.calls[op.call].modelled.cut) continue;
            const Work& work = models.work(op);
            const Count bytes = work.bytes_read + work.bytes_written;
            add_work(maker_.tree().nodes[at], work.flops.n, bytes.n);
        }
    }

    void add_memory() {
        const MemoryEvents& events = trace_.memory_events;
        const bool on_device =
            std::ranges::any_of(events.device_type, [](int32_t type) { return type == 1; });
        for (uint32_t row = 0; row < events.time.size(); ++row) {
            maker_.tree().has_memory = true;
            if (events.bytes[row] <= 0 || (events.device_type[row] == 1) != on_device) continue;
            if (!query_.has(events.time[row])) continue;
            const uint32_t at = maker_.node_at(events.lane[row], events.time[row]);
            if (at != kNoRow) maker_.tree().nodes[at].allocated_bytes += events.bytes[row];
        }
    }

    // Uses the call with most parameters.
    void add_parameters() {
        const Operators& ops = trace_.operators;
        if (ops.input_dims.empty()) return;
        std::vector<const ParameterPlaces*> places(trace_.strings.size(), nullptr);
        for (const ParameterPlaces& one : kParameters)
            if (const StringId id = trace_.strings.find(one.op); id != StringPool::none)
                places[id] = &one;
        std::vector<int64_t> all(maker_.tree().nodes.size(), 0);
        for (uint32_t row = 0; row < ops.slice.size(); ++row) {
            const ParameterPlaces* const at = places[trace_.name_id(ops.slice[row])];
            const uint32_t node = at ? maker_.node_of(ops.slice[row]) : kNoRow;
            if (node != kNoRow) all[node] += parameters_of(ops.input_dims[row], *at);
        }
        for (uint32_t i = 0; i < all.size(); ++i) {
            ModuleNode& node = maker_.tree().nodes[i];
            node.parameters = all[i] / std::max<int64_t>(node.calls + node.replayed_calls, 1);
        }
    }

  private:
    // The node of a call or, if it belongs to a backward pass, the node of its forward operator.
    uint32_t node_after(SliceRef call, bool& backward) const {
        if (!call) return kNoRow;
        const uint32_t at = maker_.node_of(call);
        if (at != kNoRow) return at;
        SliceRef around = call;
        const Column<uint32_t>& parents = trees_[call.lane].parent;
        for (;;) {
            if (const SliceRef forward = pairs_.forward_of_row(index_.row(around))) {
                backward = true;
                return maker_.node_of(forward);
            }
            const uint32_t parent = parents[around.index];
            if (parent == CallTree::none) return kNoRow;
            around.index = parent;
        }
    }

    static void add_floor(ModuleNode& node, const KernelCost& cost, Nanos duration) {
        if (std::isnan(cost.floor_ns)) return;
        node.modelled_device += duration;
        node.floor_ns += cost.floor_ns;
        node.lost_ns += lost_ns(static_cast<double>(duration), cost.floor_ns);
        node.uncertain = node.uncertain || cost.uncertain;
    }
    static void add_work(ModuleNode& node, int64_t flop, int64_t bytes) {
        if (flop != kNoValue) node.flop = node.flop + Count(flop);
        if (bytes != kNoValue) node.bytes = node.bytes + Count(bytes);
        node.has_flop = node.has_flop || flop != kNoValue;
        node.has_bytes = node.has_bytes || bytes != kNoValue;
    }

    int64_t parameters_of(StringId dims, const ParameterPlaces& places) {
        const auto shapes = parse_dims(trace_.strings[dims]);
        if (!shapes) return 0;
        Count all = 0;
        for (const int at : places.at) {
            if (at < 0 || static_cast<std::size_t>(at) >= shapes->size()) continue;
            const Shape& shape = (*shapes)[static_cast<std::size_t>(at)].shape;
            if (!shape.empty()) all = all + product_of(shape);
        }
        return all.saturated ? 0 : all.n;
    }

    const TraceContext& context_;
    const Trace& trace_;
    const TableQuery& query_;
    TreeMaker& maker_;
    std::span<const CallTree> trees_;
    const OperatorIndex& index_;
    ForwardBackward pairs_;
};

// A node precedes its descendants.
void add_up(std::vector<ModuleNode>& nodes) {
    for (std::size_t i = nodes.size(); i-- > 0;) {
        const ModuleNode& node = nodes[i];
        if (node.parent == kNoRow) continue;
        ModuleNode& around = nodes[node.parent];
        around.device += node.device;
        around.device_backward += node.device_backward;
        around.flop = around.flop + node.flop;
        around.bytes = around.bytes + node.bytes;
        around.modelled_device += node.modelled_device;
        around.floor_ns += node.floor_ns;
        around.lost_ns += node.lost_ns;
        around.uncertain = around.uncertain || node.uncertain;
        around.has_flop = around.has_flop || node.has_flop;
        around.has_bytes = around.has_bytes || node.has_bytes;
        around.allocated_bytes += node.allocated_bytes;
        around.parameters += node.parameters;
    }
}

// Preorder: a parent, then everything inside it, by first call.
std::vector<ModuleNode> in_tree_order(const std::vector<ModuleNode>& nodes) {
    std::vector<std::vector<uint32_t>> inside(nodes.size() + 1);
    for (uint32_t i = 0; i < nodes.size(); ++i)
        inside[nodes[i].parent == kNoRow ? nodes.size() : nodes[i].parent].push_back(i);
    std::vector<ModuleNode> ordered;
    std::vector<uint32_t> place(nodes.size());
    std::vector<uint32_t> open(inside.back().rbegin(), inside.back().rend());
    while (!open.empty()) {
        const uint32_t i = open.back();
        open.pop_back();
        place[i] = static_cast<uint32_t>(ordered.size());
        ordered.push_back(nodes[i]);
        if (nodes[i].parent != kNoRow) ordered.back().parent = place[nodes[i].parent];
        open.insert(open.end(), inside[i].rbegin(), inside[i].rend());
    }
    return ordered;
}

}  // namespace

ModuleTree module_tree(const TraceContext& context, const TableQuery& query) {
    TreeMaker maker(context, query);
    maker.add_lanes();
    if (maker.tree().nodes.empty()) return std::move(maker.tree());
    CostsOfNodes costs(context, query, maker);
    costs.add_activities();
    costs.add_memory();
    costs.add_parameters();
    add_up(maker.tree().nodes);
    maker.tree().nodes = in_tree_order(maker.tree().nodes);
    return std::move(maker.tree());
}

}  // namespace lanescope
