#include "core/analysis/collectives/collectives.h"

#include <algorithm>
#include <array>
#include <limits>
#include <string>
#include <utility>

#include "core/analysis/collectives/message_shape.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/gpu_work.h"
#include "core/analysis/structure/lane_view.h"
#include "core/trace/communication.h"

namespace lanescope {

namespace {

// Lower case without "_", so that all spellings of a word are equal.
std::string plain(std::string_view name) {
    std::string word;
    for (const char c : name)
        if (c != '_') word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return word;
}

// Longer words precede words that they contain.
constexpr std::array kWords = {
    std::pair{"allreduce", CollectiveType::all_reduce},
    std::pair{"allgather", CollectiveType::all_gather},
    std::pair{"reducescatter", CollectiveType::reduce_scatter},
    std::pair{"alltoall", CollectiveType::all_to_all},
    std::pair{"broadcast", CollectiveType::broadcast},
    std::pair{"sendrecv", CollectiveType::send_receive},
    std::pair{"barrier", CollectiveType::barrier},
    std::pair{"scatter", CollectiveType::scatter},
    std::pair{"gather", CollectiveType::gather},
    std::pair{"reduce", CollectiveType::reduce},
    std::pair{"send", CollectiveType::send_receive},
    std::pair{"recv", CollectiveType::send_receive},
};

// The keys of the kernel itself, else of the innermost call that led to it and has some.
uint32_t keys_of(const TraceContext& context, SliceRef kernel, std::span<const SliceRef> calls) {
    const Column<SliceRef>& slices = context.trace().collectives.slice;
    const uint32_t own = find_row(slices, kernel);
    if (own != kNoRow) return own;
    for (const SliceRef call : calls)
        if (const uint32_t row = find_row(slices, call); row != kNoRow) return row;
    return kNoRow;
}

// Sends and receives do not reduce anything.
bool made_of_sends(CollectiveType type) {
    return type == CollectiveType::all_to_all || type == CollectiveType::all_gather ||
           type == CollectiveType::gather || type == CollectiveType::scatter;
}

// Caches collective_type_of() for the trace's texts.
class TypesOfNames {
  public:
    explicit TypesOfNames(const Trace& trace) : trace_(trace), types_(trace.strings.size()) {}

    CollectiveType type_of(StringId name) {
        if (!types_[name]) types_[name] = collective_type_of(trace_.strings[name]);
        return *types_[name];
    }

  private:
    const Trace& trace_;
    std::vector<std::optional<CollectiveType>> types_;  // by StringId
};

CollectiveType type_without_keys(const TraceContext& context, TypesOfNames& types, SliceRef kernel,
                                 std::span<const SliceRef> calls) {
    const Trace& trace = context.trace();
    const CollectiveType own = types.type_of(trace.name_id(kernel));
    if (own != CollectiveType::unknown && own != CollectiveType::send_receive) return own;
    for (const SliceRef call : calls) {
        if (trace.event_class(call) != EventClass::communication) continue;
        const CollectiveType type = types.type_of(trace.name_id(call));
        if (own == CollectiveType::unknown ? type != own : made_of_sends(type)) return type;
    }
    return own;
}

// The call of the collective that has recorded the shapes of its inputs.
uint32_t operator_with_shapes(const Trace& trace, std::span<const SliceRef> calls,
                              CollectiveType type) {
    const Operators& ops = trace.operators;
    if (ops.input_dims.empty() || ops.input_types.empty()) return kNoRow;
    for (const SliceRef call : calls) {
        const std::string_view name = trace.name(call);
        // Servers define operators such as vllm::all_reduce.
        const bool is_alike = type != CollectiveType::unknown && collective_type_of(name) == type;
        if (!name.starts_with("nccl:") && !name.starts_with("gloo:") && !is_alike) continue;
        const uint32_t row = find_row(ops.slice, call);
        if (row != kNoRow && ops.input_dims[row] != 0) return row;
    }
    return kNoRow;
}

void take_keys(const Trace& trace, CollectiveRow& row) {
    const Collectives& c = trace.collectives;
    if (!c.in_elements.empty()) row.in_elements = c.in_elements[row.keys];
    if (!c.out_elements.empty()) row.out_elements = c.out_elements[row.keys];
    if (!c.group_size.empty()) row.group_size = c.group_size[row.keys];
    if (!c.dtype.empty()) row.dtype = trace.strings[c.dtype[row.keys]];
}

// Takes the input's size from the shapes of the call if the file has no keys of collectives.
void take_shapes(const Trace& trace, std::span<const SliceRef> calls, CollectiveRow& row) {
    const uint32_t op = operator_with_shapes(trace, calls, row.type);
    if (op == kNoRow) return;
    const std::optional<MessageShape> shape =
        message_shape(trace.strings[trace.operators.input_dims[op]],
                      trace.strings[trace.operators.input_types[op]]);
    if (!shape) return;
    row.in_elements = shape->elements;
    row.dtype = shape->dtype;
    const bool gathers =
        row.type == CollectiveType::all_gather || row.type == CollectiveType::gather;
    if (gathers && row.group_size != kNoValue &&
        __builtin_mul_overflow(row.in_elements, row.group_size, &row.out_elements))
        row.out_elements = kNoValue;
}

int64_t message_bytes(const CollectiveRow& row) {
    const bool gathers =
        row.type == CollectiveType::all_gather || row.type == CollectiveType::gather;
    const int64_t elements = gathers ? row.out_elements : row.in_elements;
    const std::optional<int64_t> size = bytes_of_dtype(row.dtype);
    int64_t bytes = 0;
    if (!size || elements == kNoValue || __builtin_mul_overflow(*size, elements, &bytes))
        return kNoValue;
    return bytes;
}

double bus_factor_of(const TraceContext& context, const CollectiveRow& row) {
    const Trace& trace = context.trace();
    const Collectives& c = trace.collectives;
    if (row.type == CollectiveType::all_to_all && row.keys != kNoRow && !c.in_split.empty() &&
        row.in_elements > 0 && row.out_elements != kNoValue) {
        const std::string_view ranks = trace.strings[c.group_ranks[row.keys]];
        const int64_t rank = own_rank(trace);
        const auto sent = sent_share(trace.strings[c.in_split[row.keys]], ranks, rank);
        const auto got = sent_share(trace.strings[c.out_split[row.keys]], ranks, rank);
        const double received =
            static_cast<double>(row.out_elements) / static_cast<double>(row.in_elements);
        if (sent && got) return std::max(*sent, *got * received);
    }
    return bus_factor(row.type, row.group_size == kNoValue ? 0 : row.group_size)
        .value_or(std::numeric_limits<double>::quiet_NaN());
}

// The calls that led to a kernel, or a call on a CPU and those around it; the innermost first.
std::vector<SliceRef> calls_of(const TraceContext& context, const CollectiveRow& row) {
    const std::vector<CallTree>& trees = context.get<CallTrees>().by_lane;
    if (row.activity != kNoRow) return calls_to(context.get<Attribution>(), trees, row.activity);
    std::vector<SliceRef> calls = enclosing(trees, row.slice);
    calls.insert(calls.begin(), row.slice);
    return calls;
}

// `world`: the number of ranks, kNoValue: unknown.
void fill(const TraceContext& context, int64_t world, TypesOfNames& types, CollectiveRow& row) {
    const Trace& trace = context.trace();
    const std::vector<SliceRef> calls = calls_of(context, row);
    row.keys = keys_of(context, row.slice, calls);
    if (row.keys != kNoRow) {
        take_keys(trace, row);
        row.type = types.type_of(trace.collectives.name[row.keys]);
    }
    if (row.type == CollectiveType::unknown)
        row.type = type_without_keys(context, types, row.slice, calls);
    // A group has at least two ranks.
    if (row.group_size == kNoValue && world == 2) row.group_size = 2;
    if (row.in_elements == kNoValue) take_shapes(trace, calls, row);
    row.bytes = message_bytes(row);
    row.bus_factor = bus_factor_of(context, row);
}

void add_kernels(const TraceContext& context, const GpuDevice& device, const TableQuery& query,
                 std::vector<CollectiveRow>& rows) {
    std::vector<TimeRange> ranges;
    for (const GpuWork& work : device.work)
        if (work.kind == WorkKind::compute) ranges.push_back(work.range);
    const Intervals compute = merged(std::move(ranges));
    for (const GpuWork& work : device.work) {
        if (work.kind != WorkKind::communication) continue;
        if (!query.has_work(work.row, work.range.begin)) continue;
        CollectiveRow& row = rows.emplace_back();
        row.slice = context.trace().gpu_activities.slice[work.row];
        row.launch = context.get<Attribution>().launch[work.row];
        row.activity = work.row;
        row.exposed = work.range.length() - covered_length(compute, work.range);
    }
}

void add_calls_of_gloo(const Trace& trace, const TableQuery& query,
                       std::vector<CollectiveRow>& rows) {
    std::vector<bool> is_gloo(trace.strings.size());
    bool any = false;
    for (StringId id = 0; id < trace.strings.size(); ++id)
        any = (is_gloo[id] = trace.strings[id].starts_with("gloo:")) || any;
    if (!any) return;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        if (trace.lanes[lane].kind != LaneKind::thread) continue;
        const LaneView view(trace.lanes[lane]);
        for (uint32_t i = 0; i < view.size(); ++i) {
            if (!is_gloo[view.name(i)]) continue;
            if (!query.has(view.start(i))) continue;
            rows.emplace_back().slice = {lane, i};
        }
    }
}

}  // namespace

std::string_view collective_type_name(CollectiveType type) {
    constexpr std::array<std::string_view, 11> names = {
        "",       "all_reduce", "all_gather", "reduce_scatter", "all_to_all", "broadcast",
        "reduce", "gather",     "scatter",    "send_receive",   "barrier"};
    return names[static_cast<std::size_t>(type)];
}

CollectiveType collective_type_of(std::string_view name) {
    const std::optional<CommunicationKernel> kernel = communication_kernel(name);
    const std::string word = plain(kernel && !kernel->operation.empty() ? kernel->operation : name);
    for (const auto& [part, type] : kWords)
        if (word.find(part) != std::string::npos) return type;
    return CollectiveType::unknown;
}

std::optional<int64_t> bytes_of_dtype(std::string_view dtype) {
    constexpr std::array<std::pair<std::string_view, int64_t>, 22> sizes = {
        std::pair{"Float", 4}, {"Half", 2},          {"BFloat16", 2},     {"Double", 8},
        {"Long", 8},           {"Int", 4},           {"Short", 2},        {"Byte", 1},
        {"Char", 1},           {"Bool", 1},          {"ComplexFloat", 8}, {"float", 4},
        {"c10::Half", 2},      {"c10::BFloat16", 2}, {"double", 8},       {"long int", 8},
        {"long", 8},           {"int", 4},           {"short int", 2},    {"unsigned char", 1},
        {"signed char", 1},    {"bool", 1}};
    for (const auto& [name, bytes] : sizes)
        if (name == dtype) return bytes;
    if (dtype.starts_with("Float8_") || dtype.starts_with("c10::Float8_")) return 1;
    return std::nullopt;
}

KernelVariant kernel_variant(std::string_view kernel) {
    constexpr std::array<std::string_view, 9> algorithms = {
        "COLLNET_DIRECT", "COLLNET_CHAIN", "COLLNET", "NVLS_TREE", "NVLSTREE",
        "NVLS",           "RING",          "TREE",    "PAT"};
    constexpr std::array<std::string_view, 3> protocols = {"LL128", "LL", "SIMPLE"};
    kernel = kernel.substr(0, kernel.find('('));
    const auto find = [&](std::span<const std::string_view> words) -> std::string_view {
        for (const std::string_view word : words) {
            const std::size_t at = kernel.find("_" + std::string(word));
            if (at == std::string_view::npos) continue;
            const std::size_t end = at + 1 + word.size();
            if (end == kernel.size() || kernel[end] == '_') return word;
        }
        return {};
    };
    if (kernel.find("ccl") == std::string_view::npos) return {};
    return {find(algorithms), find(protocols)};
}

std::optional<double> bus_factor(CollectiveType type, int64_t group_size) {
    const auto n = static_cast<double>(group_size);
    switch (type) {
        case CollectiveType::unknown:
        case CollectiveType::barrier:
            return std::nullopt;
        case CollectiveType::all_reduce:
            if (group_size < 2) return std::nullopt;
            return 2 * (n - 1) / n;
        case CollectiveType::all_gather:
        case CollectiveType::reduce_scatter:
        case CollectiveType::all_to_all:
        case CollectiveType::gather:
        case CollectiveType::scatter:
            if (group_size < 2) return std::nullopt;
            return (n - 1) / n;
        default:
            if (group_size == 1) return std::nullopt;
            return 1;
    }
}

std::vector<CollectiveRow> collective_rows(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    std::vector<CollectiveRow> rows;
    for (const GpuDevice& device : context.get<GpuDevices>().all)
        add_kernels(context, device, query, rows);
    add_calls_of_gloo(trace, query, rows);
    const int64_t world = world_size(trace);
    TypesOfNames types(trace);
    for (CollectiveRow& row : rows) fill(context, world, types, row);
    std::ranges::stable_sort(rows, {},
                             [&](const CollectiveRow& row) { return trace.start(row.slice); });
    return rows;
}

AllCollectives AllCollectives::compute(const TraceContext& context) {
    return {collective_rows(context, {})};
}

}  // namespace lanescope
