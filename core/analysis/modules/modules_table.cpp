#include <cmath>
#include <optional>
#include <string>
#include <vector>

#include "core/analysis/modules/modules.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

constexpr std::string_view kNoActivity = "no GPU activity in the trace";
constexpr std::string_view kNoTimesKnown = "the file has no times of calls";
constexpr std::string_view kNoFloorKnown = "no kernel of it has a model, or no peaks of the device";
constexpr std::string_view kNoModelled = "no operator in it has a model";

std::string_view plain_name(const Trace& trace, StringId id) {
    constexpr std::string_view prefix = "nn.Module: ";
    std::string_view name = trace.strings[id];
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    return name;
}

}  // namespace

struct ModuleTableRow {
    const Trace& trace;
    const ModuleTree& tree;
    const ModuleNode& node;
    std::string_view path;
    bool has_gpu = !trace.gpu_activities.slice.empty();

    std::optional<Nanos> cpu(Nanos time) const {
        return trace.facts.calls_have_times ? std::optional(time) : std::nullopt;
    }
    std::optional<Nanos> device(Nanos time) const {
        return has_gpu ? std::optional(time) : std::nullopt;
    }
    std::optional<int64_t> of_floors(double nanoseconds) const {
        return node.modelled_device > 0 || node.floor_ns > 0
                   ? std::optional(std::llround(nanoseconds))
                   : std::nullopt;
    }
    std::optional<int64_t> uncertain() const {
        return of_floors(0) ? std::optional<int64_t>(node.uncertain) : std::nullopt;
    }
    std::optional<double> share() const {
        if (!has_gpu && !trace.facts.calls_have_times) return std::nullopt;
        const Nanos own = has_gpu ? node.device : node.cpu;
        const Nanos all = has_gpu ? tree.all_device : tree.all_cpu;
        return known_ratio(static_cast<double>(own), static_cast<double>(all));
    }
};

namespace {

constexpr auto kModuleColumns = columns<ModuleTableRow>({
    {{"module", Unit::none, kDistinct, "",
      "The module; in files without module frames an annotation. Rows follow each other as in the "
      "tree."},
     [](const ModuleTableRow& row) { return plain_name(row.trace, row.node.name); }},
    {{"path", Unit::none, kDistinct, "",
      "All enclosing modules and the module itself, separated by /.", Priority::detail},
     [](const ModuleTableRow& row) { return row.path; }},
    {{"depth", Unit::count, kMax, "", "Number of enclosing modules.", Priority::detail},
     [](const ModuleTableRow& row) { return row.node.depth; }},
    {{"calls", Unit::count, kSum, "", "Calls that begin in the range."},
     [](const ModuleTableRow& row) { return row.node.calls; }},
    {{"replayed_calls", Unit::count, kSum, "",
      "How often a graph replay repeated it; these calls took no time on the CPU.",
      Priority::detail},
     [](const ModuleTableRow& row) { return row.node.replayed_calls; }},
    {{"cpu_ns", Unit::nanoseconds, kNoAggregate, kNoTimesKnown, "Time on the CPU, forward."},
     [](const ModuleTableRow& row) { return row.cpu(row.node.cpu); }},
    {{"cpu_self_ns", Unit::nanoseconds, kSum, kNoTimesKnown, "The same without modules inside."},
     [](const ModuleTableRow& row) { return row.cpu(row.node.cpu_self); }},
    {{"device_ns", Unit::nanoseconds, kNoAggregate, kNoActivity,
      "Kernels, copies and sets launched in it, and by the backward passes of its operators."},
     [](const ModuleTableRow& row) { return row.device(row.node.device); }},
    {{"device_self_ns", Unit::nanoseconds, kSum, kNoActivity,
      "Kernels, copies and sets launched in it and in no module inside, without backward passes."},
     [](const ModuleTableRow& row) { return row.device(row.node.device_self); }},
    {{"device_backward_ns", Unit::nanoseconds, kNoAggregate, kNoActivity,
      "Kernels, copies and sets launched by the backward passes of its operators."},
     [](const ModuleTableRow& row) { return row.device(row.node.device_backward); }},
    {{"share", Unit::ratio, kNoAggregate, "nothing took any time",
      "Part of the time of all GPU activities in the range; without a GPU of the CPU time of all "
      "outermost modules."},
     [](const ModuleTableRow& row) { return row.share(); }},
    {{"floor_ns", Unit::nanoseconds, kNoAggregate, kNoFloorKnown,
      "Sum of the floors of its kernels: the larger of operations ÷ peak and bytes ÷ bandwidth.",
      Priority::normal, kByUncertain},
     [](const ModuleTableRow& row) { return row.of_floors(row.node.floor_ns); }},
    {{"lost_ns", Unit::nanoseconds, kNoAggregate, kNoFloorKnown,
      "Time of its kernels beyond their floors.", Priority::normal, kByUncertain},
     [](const ModuleTableRow& row) { return row.of_floors(row.node.lost_ns); }},
    {{"modelled", Unit::ratio, kNoAggregate, "no time on a GPU",
      "Fraction of device_ns that has a floor.", Priority::detail},
     [](const ModuleTableRow& row) {
         return known_ratio(static_cast<double>(row.node.modelled_device),
                            static_cast<double>(row.node.device));
     }},
    {{"flop", Unit::flop, kNoAggregate, kNoModelled,
      "Operations by the models of operators, including backward passes."},
     [](const ModuleTableRow& row) {
         return row.node.has_flop ? std::optional(row.node.flop.n) : std::nullopt;
     }},
    {{"bytes", Unit::bytes, kNoAggregate, kNoModelled,
      "Minimum of bytes that must be moved, including backward passes."},
     [](const ModuleTableRow& row) {
         return row.node.has_bytes ? std::optional(row.node.bytes.n) : std::nullopt;
     }},
    {{"allocated_bytes", Unit::bytes, kNoAggregate, "no memory recorded",
      "Bytes allocated on devices (on the CPU if there is none) while it ran, including memory "
      "freed since."},
     [](const ModuleTableRow& row) {
         return row.tree.has_memory ? std::optional(row.node.allocated_bytes) : std::nullopt;
     }},
    {{"parameters", Unit::count, kNoAggregate, "none in recorded shapes",
      "Elements of the weights and biases of linear, convolution, embedding, norms and PReLU in "
      "one call of it, by their shapes."},
     [](const ModuleTableRow& row) { return known(row.node.parameters, 0); }},
    kUncertainColumn,
});

}  // namespace

// Sums of a node include its descendants, which have rows of their own: those have no aggregate.
const TableOf<ModuleTableRow> kModulesTable = {
    {"modules", "The model's modules as a tree, with the cost of each part.", {}, true},
    kModuleColumns,
    [](const ModuleTableRow& row) {
        return RowTarget{row.node.longest, {}};
    }};

Table modules_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const ModuleTree tree = module_tree(context, query);
    TableBuilder table(kModulesTable);
    std::vector<std::string> paths;
    for (const ModuleNode& node : tree.nodes) {
        const std::string_view name = plain_name(trace, node.name);
        paths.push_back(node.parent == kNoRow ? std::string(name)
                                              : paths[node.parent] + "/" + std::string(name));
        table.add({trace, tree, node, paths.back()});
    }
    return table.take();
}

}  // namespace lanescope
