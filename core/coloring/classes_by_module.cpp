// The colour mode "module": calls by their innermost enclosing module, GPU work by the module of
// the operator that launched it.
#include <algorithm>
#include <unordered_map>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/lane_view.h"
#include "core/coloring/color_modes.h"
#include "core/trace/short_name.h"
#include "core/view/color.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxModules = 240;  // number of modules with a class of their own
constexpr StringId kNoModule = 0;         // the empty text

// The module of every slice, by lane; empty for lanes without calls.
using ModuleColumns = std::vector<Column<StringId>>;

ModuleColumns modules_of_calls(const TraceContext& context) {
    const Trace& trace = context.trace();
    const auto& trees = context.get<CallTrees>().by_lane;
    ModuleColumns modules(trace.lanes.size());
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const CallTree& tree = trees[id];
        const LaneView lane(trace.lanes[id]);
        if (tree.parent.empty()) continue;
        modules[id] = Column<StringId>(lane.size());
        // Parents have smaller indices than their children.
        for (uint32_t i = 0; i < lane.size(); ++i) {
            const StringId name = lane.name(i);
            const bool is_module = trace.event_class(name, lane.category(i)) == EventClass::module;
            modules[id][i] = is_module                          ? name
                             : tree.parent[i] == CallTree::none ? kNoModule
                                                                : modules[id][tree.parent[i]];
        }
    }
    // The module that the file itself records for an operator; its children inherit it.
    const Operators& ops = trace.operators;
    for (uint32_t row = 0; !ops.module_hierarchy.empty() && row < ops.slice.size(); ++row) {
        const SliceRef slice = ops.slice[row];
        if (ops.module_hierarchy[row] != kNoModule && !modules[slice.lane].empty())
            modules[slice.lane][slice.index] = ops.module_hierarchy[row];
    }
    return modules;
}

void follow_launches(const TraceContext& context, ModuleColumns& modules) {
    const Trace& trace = context.trace();
    const GpuActivities& gpu = trace.gpu_activities;
    const Attribution& owners = context.get<Attribution>();
    for (uint32_t row = 0; row < gpu.slice.size(); ++row) {
        const SliceRef caller = owners.op[row] ? owners.op[row] : owners.launch[row];
        if (!caller || modules[caller.lane].empty()) continue;
        const SliceRef slice = gpu.slice[row];
        Column<StringId>& lane = modules[slice.lane];
        if (lane.empty())
            lane = Column<StringId>::filled(trace.lanes[slice.lane].slice_count, kNoModule);
        lane[slice.index] = modules[caller.lane][caller.index];
    }
}

// Modules sorted by number of slices, descending.
std::vector<StringId> most_frequent(const ModuleColumns& modules, std::size_t texts) {
    std::vector<uint64_t> counts(texts);
    for (const Column<StringId>& lane : modules)
        for (const StringId module : lane) ++counts[module];
    std::vector<StringId> names;
    for (StringId name = 1; name < texts; ++name)
        if (counts[name] > 0) names.push_back(name);
    std::ranges::stable_sort(names, std::greater(), [&](StringId name) { return counts[name]; });
    return names;
}

}  // namespace

SliceClasses classes_by_module(const TraceContext& context) {
    const Trace& trace = context.trace();
    ModuleColumns modules = modules_of_calls(context);
    follow_launches(context, modules);
    std::vector<StringId> names = most_frequent(modules, trace.strings.size());

    SliceClasses result;
    result.table = table_of_one(trace);
    result.classes.push_back({"in no module", {}, 0});
    if (names.empty()) return result;
    const bool more = names.size() > kMaxModules;
    constexpr Slot kMore = 1;
    if (more) result.classes.push_back({"other modules", {}, 0});
    std::vector<Slot> slot_of(trace.strings.size(), kMore);
    slot_of[kNoModule] = 0;
    for (std::size_t i = 0; i < std::min(names.size(), kMaxModules); ++i) {
        const std::string_view text = trace.strings[names[i]];
        slot_of[names[i]] = static_cast<Slot>(result.classes.size());
        result.classes.push_back({std::string(short_name(text, EventClass::module)),
                                  {ColorScale::hue, static_cast<uint8_t>(hash_text(text) % kHues)},
                                  0});
    }
    for (LaneId id = 0; id < modules.size(); ++id) {
        if (modules[id].empty()) continue;
        Column<Slot>& slots = slots_of_lane(result, trace, id);
        for (uint32_t i = 0; i < modules[id].size(); ++i) slots[i] = slot_of[modules[id][i]];
        modules[id] = {};
    }
    return result;
}

}  // namespace lanescope
