#include "core/trace/join_tables.h"

#include <algorithm>
#include <type_traits>

#include "core/trace/shifted.h"

namespace lanescope {

namespace {

using Parts = std::vector<PlacedPart>;

// Calls visit(table of the whole, function that returns the same table of a part) for each table.
template <typename Visit>
void for_each_joined(Trace& whole, const Visit& visit) {
    for_each_table_number([&](auto i) {
        visit(
            side_table<i>(whole),
            [](const Trace& part) -> const auto& { return side_table<decltype(i)::value>(part); });
    });
}

// If a column is empty in one part but not in all, its rows of that part are filled with `none`.
template <typename Table>
void join_facts(const Parts& parts, const auto& table_of, Table& whole) {
    std::size_t rows = 0;
    for (const PlacedPart& part : parts) rows += table_of(*part.trace).rows();
    for_each_fact_number<Table>([&](auto i) {
        auto& column = fact<i>(whole);
        const auto column_of = [&](const PlacedPart& part) -> const auto& {
            return fact<i>(table_of(*part.trace));
        };
        if (std::ranges::all_of(parts, [&](const PlacedPart& p) { return column_of(p).empty(); }))
            return;
        std::remove_reference_t<decltype(column)> joined(rows);
        auto* to = joined.data();
        for (const PlacedPart& part : parts) {
            const auto& from = column_of(part);
            to = std::copy(from.begin(), from.end(), to);
            to = std::fill_n(to, table_of(*part.trace).rows() - from.size(),
                             KindOfFact<i, Table>::none);
        }
        column = std::move(joined);
    });
}

void join_places(const Parts& parts, const auto& table_of, auto& whole) {
    for (const PlacedPart& part : parts) {
        const auto& own = table_of(*part.trace);
        if constexpr (requires { whole.slice; }) {
            for (const SliceRef slice : own.slice) whole.slice.push_back(moved(slice, part));
        } else {
            for (const Nanos time : own.time) whole.time.push_back(time + part.shift);
            for (const LaneId lane : own.lane)
                whole.lane.push_back(lane - part.lane_from + part.lane_to);
        }
    }
}

// Launch configurations are numbered by part.
void join_configs(const Parts& parts, Trace& whole) {
    std::size_t activity = 0;
    for (const PlacedPart& part : parts) {
        const Trace& from = *part.trace;
        const auto configs = from.launch_configs.begin() + part.config_from;
        whole.launch_configs.insert(whole.launch_configs.end(), configs,
                                    configs + part.config_count);
        for (std::size_t i = 0; i < from.gpu_activities.rows(); ++i, ++activity) {
            if (whole.gpu_activities.config.empty()) continue;
            uint32_t& config = whole.gpu_activities.config[activity];
            if (config != kNoRow) config += part.config_to - part.config_from;
        }
    }
}

}  // namespace

void join_tables(const Parts& parts, Trace& whole) {
    for_each_joined(whole, [&](auto& table, const auto& table_of) {
        join_facts(parts, table_of, table);
        join_places(parts, table_of, table);
    });
    join_configs(parts, whole);
    for (const PlacedPart& part : parts) {
        for (const Link& link : part.trace->links)
            whole.links.push_back({moved(link.from, part), moved(link.to, part), link.kind});
        for (const uint32_t link : part.trace->links_by_target)
            whole.links_by_target.push_back(link + part.link_to);
    }
}

void take_tables(const Parts& parts, std::size_t index, const std::shared_ptr<const Trace>& whole,
                 Trace& part) {
    const PlacedPart& placed = parts[index];
    for_each_joined(part, [&](auto& table, const auto& table_of) {
        std::size_t first = 0;
        for (std::size_t i = 0; i < index; ++i) first += table_of(*parts[i].trace).rows();
        const auto& own = table_of(*placed.trace);
        const auto& all = table_of(*whole);
        const auto take = [&](const auto& column) {
            return column.shared(whole, first, own.rows());
        };
        // Columns that are empty in the part's file stay empty.
        for_each_fact(
            [&](auto, auto& to, const auto& from, const auto& in_file) {
                if (!in_file.empty()) to = take(from);
            },
            table, all, own);
        if constexpr (requires { table.slice; }) {
            table.slice = take(all.slice);
        } else {
            table.time = take(all.time);
            table.lane = take(all.lane);
        }
    });
    part.launch_configs = whole->launch_configs;
    const auto first = whole->links.begin() + placed.link_to;
    part.links.assign(first, first + static_cast<std::ptrdiff_t>(placed.trace->links.size()));
    part.links_by_target = placed.trace->links_by_target;
}

}  // namespace lanescope
