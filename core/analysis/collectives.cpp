#include "core/analysis/collectives.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "core/analysis/gpu_work.h"

namespace lanescope {

namespace {

// Lower case without "_", so that all spellings of one word are one.
std::string plain(std::string_view name) {
    std::string word;
    for (const char c : name)
        if (c != '_') word += c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    return word;
}

// Longer words stand before those that they hold.
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

// The keys of the kernel itself, else of the call around its launch that has some.
uint32_t keys_of(const TraceContext& context, SliceRef kernel, SliceRef launch) {
    const Column<SliceRef>& slices = context.trace().collectives.slice;
    const uint32_t own = find_row(slices, kernel);
    if (own != kNoRow || !launch) return own;
    for (const SliceRef call : enclosing(context.call_trees(), launch))
        if (const uint32_t row = find_row(slices, call); row != kNoRow) return row;
    return kNoRow;
}

// Sends and receives do not add anything up.
bool made_of_sends(CollectiveType type) {
    return type == CollectiveType::all_to_all || type == CollectiveType::all_gather ||
           type == CollectiveType::gather || type == CollectiveType::scatter;
}

CollectiveType type_without_keys(const TraceContext& context, SliceRef kernel, SliceRef launch) {
    const Trace& trace = context.trace();
    const CollectiveType own = collective_type_of(trace.name(kernel));
    if (!launch || (own != CollectiveType::unknown && own != CollectiveType::send_receive))
        return own;
    for (const SliceRef call : enclosing(context.call_trees(), launch)) {
        if (trace.event_class(call) != EventClass::communication) continue;
        const CollectiveType type = collective_type_of(trace.name(call));
        if (own == CollectiveType::unknown ? type != own : made_of_sends(type)) return type;
    }
    return own;
}

int64_t message_bytes(const Trace& trace, uint32_t keys, CollectiveType type) {
    const Collectives& c = trace.collectives;
    const auto& elements = type == CollectiveType::all_gather ? c.out_elements : c.in_elements;
    if (c.dtype.empty() || elements.empty() || elements[keys] == kNoValue) return kNoValue;
    const std::optional<int64_t> size = bytes_of_dtype(trace.strings[c.dtype[keys]]);
    int64_t bytes = 0;
    if (!size || __builtin_mul_overflow(*size, elements[keys], &bytes)) return kNoValue;
    return bytes;
}

void add_rows(const TraceContext& context, const GpuDevice& device, const TableQuery& query,
              std::vector<CollectiveRow>& rows) {
    const Trace& trace = context.trace();
    std::vector<TimeRange> ranges;
    for (const GpuWork& work : device.work)
        if (work.kind == WorkKind::compute) ranges.push_back(work.range);
    const Intervals compute = merged(std::move(ranges));
    for (const GpuWork& work : device.work) {
        if (work.kind != WorkKind::communication) continue;
        if (query.range && !query.range->contains(work.range.begin)) continue;
        const SliceRef kernel = trace.gpu_activities.slice[work.row];
        const SliceRef launch = context.attribution().launch[work.row];
        CollectiveRow row;
        row.activity = work.row;
        row.keys = keys_of(context, kernel, launch);
        if (row.keys != kNoRow)
            row.type = collective_type_of(trace.strings[trace.collectives.name[row.keys]]);
        if (row.type == CollectiveType::unknown)
            row.type = type_without_keys(context, kernel, launch);
        if (row.keys != kNoRow) row.bytes = message_bytes(trace, row.keys, row.type);
        row.exposed = work.range.length() - covered_length(compute, work.range);
        rows.push_back(row);
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
    const std::string word = plain(name);
    for (const auto& [part, type] : kWords)
        if (word.find(part) != std::string::npos) return type;
    return CollectiveType::unknown;
}

std::optional<int64_t> bytes_of_dtype(std::string_view dtype) {
    constexpr std::array<std::pair<std::string_view, int64_t>, 11> sizes = {
        std::pair{"Float", 4}, {"Half", 2}, {"BFloat16", 2},    {"Double", 8},
        {"Long", 8},           {"Int", 4},  {"Short", 2},       {"Byte", 1},
        {"Char", 1},           {"Bool", 1}, {"ComplexFloat", 8}};
    for (const auto& [name, bytes] : sizes)
        if (name == dtype) return bytes;
    if (dtype.starts_with("Float8_")) return 1;
    return std::nullopt;
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
    for (const GpuDevice& device : context.gpu_devices()) add_rows(context, device, query, rows);
    std::ranges::stable_sort(rows, {}, [&](const CollectiveRow& row) {
        return trace.start(trace.gpu_activities.slice[row.activity]);
    });
    return rows;
}

}  // namespace lanescope
