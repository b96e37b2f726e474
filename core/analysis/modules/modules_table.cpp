#include "core/analysis/modules/modules.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

using enum ValueType;

constexpr std::array kColumns = {
    ColumnSpec{
        "module", text, Unit::none, "",
        "The module; in files without module frames an annotation. Rows follow each other as "
        "in the tree."},
    ColumnSpec{"path", text, Unit::none, "", "All modules around it and itself, / between."},
    ColumnSpec{"depth", integer, Unit::count, "", "How many modules are around it."},
    ColumnSpec{"calls", integer, Unit::count, "", "Calls that begin in the range."},
    ColumnSpec{"cpu_ns", integer, Unit::nanoseconds, "", "Time on the CPU, forward."},
    ColumnSpec{"cpu_self_ns", integer, Unit::nanoseconds, "", "The same without modules inside."},
    ColumnSpec{
        "device_ns", integer, Unit::nanoseconds, "no GPU activity in the trace",
        "Kernels, copies and sets launched in it, and by the backward passes of its operators."},
    ColumnSpec{"device_self_ns", integer, Unit::nanoseconds, "no GPU activity in the trace",
               "Those launched in it and in no module inside, without backward ones."},
    ColumnSpec{"device_backward_ns", integer, Unit::nanoseconds, "no GPU activity in the trace",
               "Those of backward operators."},
    ColumnSpec{"share", real, Unit::ratio, "nothing took any time",
               "Part of the time of all GPU activities in the range; without a GPU of the CPU time "
               "of all outermost modules."},
    ColumnSpec{"flop", integer, Unit::flop, "no operator in it has a model",
               "Operations by the models of operators, backward too."},
    ColumnSpec{"bytes", integer, Unit::bytes, "no operator in it has a model",
               "Minimum of bytes that must be moved, likewise."},
    ColumnSpec{"allocated_bytes", integer, Unit::bytes, "no memory recorded",
               "Bytes allocated while it ran on devices (on the CPU if there is none), including "
               "those freed since."},
    ColumnSpec{"parameters", integer, Unit::count, "none in recorded shapes",
               "Elements of the weights and biases of linear, convolution, embedding, norms and "
               "PReLU in one call of it, by their shapes."},
};

std::string_view plain_name(const Trace& trace, StringId id) {
    constexpr std::string_view prefix = "nn.Module: ";
    std::string_view name = trace.strings[id];
    if (name.starts_with(prefix)) name.remove_prefix(prefix.size());
    return name;
}

}  // namespace

const TableSpec kModulesTable = {
    "modules", "The model's modules as a tree, with the cost of each part.", kColumns, {}, true};

Table modules_table(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    const ModuleTree tree = module_tree(context, query);
    const bool has_gpu = !trace.gpu_activities.slice.empty();
    Table table(kModulesTable);
    std::vector<std::string> paths;
    for (const ModuleNode& node : tree.nodes) {
        const std::string_view name = plain_name(trace, node.name);
        paths.push_back(node.parent == kNoRow ? std::string(name)
                                              : paths[node.parent] + "/" + std::string(name));
        const Nanos all = has_gpu ? tree.all_device : tree.all_cpu;
        const Nanos own = has_gpu ? node.device : node.cpu;
        const auto device = [&](Nanos time) { return has_gpu ? Cell(time) : Cell(); };
        table.add_row({name, std::string_view(paths.back()), static_cast<int64_t>(node.depth),
                       node.calls, node.cpu, node.cpu_self, device(node.device),
                       device(node.device_self), device(node.device_backward),
                       all > 0 ? Cell(static_cast<double>(own) / static_cast<double>(all)) : Cell(),
                       node.has_flop ? Cell(node.flop.n) : Cell(),
                       node.has_bytes ? Cell(node.bytes.n) : Cell(),
                       tree.has_memory ? Cell(node.allocated_bytes) : Cell(),
                       node.parameters > 0 ? Cell(node.parameters) : Cell()},
                      {node.longest, {}});
    }
    return table;
}

}  // namespace lanescope
