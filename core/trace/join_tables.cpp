#include "core/trace/join_tables.h"

#include <algorithm>
#include <tuple>

#include "core/trace/shifted.h"

namespace lanescope {

namespace {

// A column of a table, and the value that stands for "none" in it.
template <typename Table, typename T>
struct Member {
    Column<T> Table::*column;
    T none;
};
template <typename Table, typename T>
Member(Column<T> Table::*, T) -> Member<Table, T>;

// All columns of a table except the first, which has a value in each row.
constexpr auto columns_of(const GpuActivities*) {
    using T = GpuActivities;
    return std::tuple(Member{&T::correlation, kNoValue}, Member{&T::external_id, kNoValue},
                      Member{&T::device, int32_t{-1}}, Member{&T::stream, int32_t{-1}},
                      Member{&T::config, kNoRow}, Member{&T::bytes, kNoValue},
                      Member{&T::graph_node, kNoValue});
}
constexpr auto columns_of(const RuntimeCalls*) {
    using T = RuntimeCalls;
    return std::tuple(Member{&T::correlation, kNoValue}, Member{&T::external_id, kNoValue});
}
constexpr auto columns_of(const Operators*) {
    using T = Operators;
    constexpr StringId no_text = 0;
    return std::tuple(Member{&T::external_id, kNoValue}, Member{&T::sequence, kNoValue},
                      Member{&T::forward_thread, kNoValue}, Member{&T::input_dims, no_text},
                      Member{&T::input_types, no_text}, Member{&T::input_strides, no_text},
                      Member{&T::concrete_inputs, no_text}, Member{&T::call_stack, no_text},
                      Member{&T::module_hierarchy, no_text}, Member{&T::kernel_gigabytes, no_text},
                      Member{&T::kernel_flop, no_text});
}
constexpr auto columns_of(const PythonFrames*) {
    using T = PythonFrames;
    return std::tuple(Member{&T::python_id, kNoValue}, Member{&T::parent_id, kNoValue},
                      Member{&T::module_id, kNoValue});
}
constexpr auto columns_of(const MemoryEvents*) {
    using T = MemoryEvents;
    return std::tuple(Member{&T::address, kNoValue}, Member{&T::bytes, kNoValue},
                      Member{&T::total_allocated, kNoValue}, Member{&T::total_reserved, kNoValue},
                      Member{&T::device_type, int32_t{0}}, Member{&T::device_id, int32_t{-1}});
}
constexpr auto columns_of(const Collectives*) {
    using T = Collectives;
    constexpr StringId no_text = 0;
    return std::tuple(Member{&T::name, no_text}, Member{&T::dtype, no_text},
                      Member{&T::group_name, no_text}, Member{&T::group_ranks, no_text},
                      Member{&T::group_description, no_text}, Member{&T::in_split, no_text},
                      Member{&T::out_split, no_text}, Member{&T::in_elements, kNoValue},
                      Member{&T::out_elements, kNoValue}, Member{&T::group_size, kNoValue});
}
constexpr auto columns_of(const Synchronisations*) {
    using T = Synchronisations;
    return std::tuple(Member{&T::kind, StringId{0}}, Member{&T::correlation, kNoValue},
                      Member{&T::stream, kNoValue}, Member{&T::wait_on_stream, kNoValue},
                      Member{&T::wait_on_event_correlation, kNoValue},
                      Member{&T::wait_on_event, kNoValue});
}

constexpr auto columns_of(const SampledCalls*) {
    using T = SampledCalls;
    return std::tuple(Member{&T::samples, int64_t{0}}, Member{&T::cpu_time, kNoValue},
                      Member{&T::module, StringId{0}}, Member{&T::gil_samples, kNoValue},
                      Member{&T::running_samples, kNoValue});
}

template <typename Table>
std::size_t rows_of(const Table& table) {
    return table.slice.size();
}
std::size_t rows_of(const MemoryEvents& table) {
    return table.time.size();
}

template <typename Table, typename Do>
void each_column(Do&& act) {
    std::apply([&](const auto&... member) { (act(member), ...); },
               columns_of(static_cast<const Table*>(nullptr)));
}

// If a column is empty in one part but not in all, its rows of that part are filled with `none`.
template <typename Table, typename T>
void join_column(const std::vector<PlacedPart>& parts, Table Trace::*table, Member<Table, T> member,
                 Trace& whole) {
    std::size_t rows = 0;
    bool any = false;
    for (const PlacedPart& part : parts) {
        rows += rows_of(part.trace->*table);
        any = any || !(part.trace->*table.*member.column).empty();
    }
    if (!any) return;
    Column<T> joined(rows);
    T* to = joined.data();
    for (const PlacedPart& part : parts) {
        const Column<T>& from = part.trace->*table.*member.column;
        to = std::copy(from.begin(), from.end(), to);
        to = std::fill_n(to, rows_of(part.trace->*table) - from.size(), member.none);
    }
    whole.*table.*member.column = std::move(joined);
}

template <typename Table>
void join_table(const std::vector<PlacedPart>& parts, Table Trace::*table, Trace& whole) {
    each_column<Table>([&](const auto& member) { join_column(parts, table, member, whole); });
}

template <typename Table>
void join_slices(const std::vector<PlacedPart>& parts, Table Trace::*table, Trace& whole) {
    join_table(parts, table, whole);
    for (const PlacedPart& part : parts)
        for (const SliceRef slice : (part.trace->*table).slice)
            (whole.*table).slice.push_back(moved(slice, part));
}

// The rows of part `index`. Columns that are empty in its file stay empty.
template <typename Table>
void take_rows(const std::vector<PlacedPart>& parts, std::size_t index, Table Trace::*table,
               const std::shared_ptr<const Trace>& whole, Trace& to, auto first_columns) {
    std::size_t first = 0;
    for (std::size_t i = 0; i < index; ++i) first += rows_of(parts[i].trace->*table);
    const Table& own = parts[index].trace->*table;
    const std::size_t rows = rows_of(own);
    each_column<Table>([&](const auto& member) {
        if ((own.*member.column).empty()) return;
        to.*table.*member.column = ((*whole).*table.*member.column).shared(whole, first, rows);
    });
    first_columns((*whole).*table, to.*table, first, rows);
}

}  // namespace

void join_tables(const std::vector<PlacedPart>& parts, Trace& whole) {
    join_slices(parts, &Trace::gpu_activities, whole);
    join_slices(parts, &Trace::runtime_calls, whole);
    join_slices(parts, &Trace::operators, whole);
    join_slices(parts, &Trace::python_frames, whole);
    join_slices(parts, &Trace::collectives, whole);
    join_slices(parts, &Trace::synchronisations, whole);
    join_slices(parts, &Trace::sampled_calls, whole);
    join_table(parts, &Trace::memory_events, whole);
    std::size_t activity = 0;
    for (const PlacedPart& part : parts) {
        const Trace& from = *part.trace;
        const auto configs = from.launch_configs.begin() + part.config_from;
        whole.launch_configs.insert(whole.launch_configs.end(), configs,
                                    configs + part.config_count);
        for (std::size_t i = 0; i < from.gpu_activities.slice.size(); ++i, ++activity) {
            if (whole.gpu_activities.config.empty()) continue;
            uint32_t& config = whole.gpu_activities.config[activity];
            if (config != kNoRow) config += part.config_to - part.config_from;
        }
        for (const Nanos time : from.memory_events.time)
            whole.memory_events.time.push_back(time + part.shift);
        for (const LaneId lane : from.memory_events.lane)
            whole.memory_events.lane.push_back(lane - part.lane_from + part.lane_to);
        for (const Link& link : from.links)
            whole.links.push_back({moved(link.from, part), moved(link.to, part), link.kind});
        for (const uint32_t link : from.links_by_target)
            whole.links_by_target.push_back(link + part.link_to);
    }
}

void take_tables(const std::vector<PlacedPart>& parts, std::size_t index,
                 const std::shared_ptr<const Trace>& whole, Trace& part) {
    const auto slices = [&](const auto& from, auto& to, std::size_t first, std::size_t rows) {
        to.slice = from.slice.shared(whole, first, rows);
    };
    const auto times = [&](const auto& from, auto& to, std::size_t first, std::size_t rows) {
        to.time = from.time.shared(whole, first, rows);
        to.lane = from.lane.shared(whole, first, rows);
    };
    take_rows(parts, index, &Trace::gpu_activities, whole, part, slices);
    take_rows(parts, index, &Trace::runtime_calls, whole, part, slices);
    take_rows(parts, index, &Trace::operators, whole, part, slices);
    take_rows(parts, index, &Trace::python_frames, whole, part, slices);
    take_rows(parts, index, &Trace::collectives, whole, part, slices);
    take_rows(parts, index, &Trace::synchronisations, whole, part, slices);
    take_rows(parts, index, &Trace::sampled_calls, whole, part, slices);
    take_rows(parts, index, &Trace::memory_events, whole, part, times);
    part.launch_configs = whole->launch_configs;
    const PlacedPart& placed = parts[index];
    const auto first = whole->links.begin() + placed.link_to;
    part.links.assign(first, first + static_cast<std::ptrdiff_t>(placed.trace->links.size()));
    part.links_by_target = placed.trace->links_by_target;
}

}  // namespace lanescope
