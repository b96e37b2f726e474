#include "core/analysis/operators/operators.h"

#include <algorithm>
#include <array>
#include <map>
#include <thread>
#include <tuple>
#include <utility>

#include "core/analysis/operators/operator_groups.h"
#include "core/analysis/operators/torch_flops.h"
#include "core/analysis/structure/operator_index.h"
#include "core/analysis/structure/steps.h"
#include "core/base/flat_map.h"
#include "core/base/parallel.h"
#include "core/trace/call_key.h"

namespace lanescope {

namespace {

// Sort key; matches torch's order.
auto first_of(const OperatorRow& row) {
    return std::tuple(row.first_start, -row.first_duration, row.first_source);
}

uint64_t key_of(StringId name, TorchRow kind, uint32_t group) {
    return uint64_t{group} << 35U ^ uint64_t { name } << 3U ^ static_cast<uint64_t>(kind);
}

void add_sums(OperatorRow& row, const TorchSums& sums) {
    row.cpu_self -= sums.child_duration;
    row.device_total += sums.device_total;
    row.device_self += sums.device_self;
    row.device_total_by_launch += sums.by_launch_total;
    row.device_self_by_launch += sums.by_launch_self;
    for (const int i : {0, 1}) {
        row.memory_total[i] += sums.memory[i];
        row.memory_self[i] += sums.memory[i] - sums.child_memory[i];
    }
}

// Sums events into a row for each name, kind and `Groups::group_of(event)`.
template <typename Groups>
class RowMaker {
  public:
    RowMaker(const TraceContext& context, Groups groups, std::optional<TimeRange> range)
        : context_(context), trace_(context.trace()), groups_(std::move(groups)), range_(range) {
        std::ranges::transform(kTorchFlopNames, with_formula_.begin(),
                               [this](std::string_view name) { return trace_.strings.find(name); });
    }

    auto adder_of(LaneId lane) {
        return [this, lane](const TorchEvent& event, uint32_t place, const TorchSums* sums) {
            if (!range_ || range_->contains(event.start))
                add(event, uint64_t{lane} << 32U | place, sums);
        };
    }

    std::vector<OperatorRow>& rows() { return rows_; }
    Groups& groups() { return groups_; }

  private:
    OperatorRow& row_of(const TorchEvent& event) {
        const uint32_t group = groups_.group_of(event);
        const uint64_t key = key_of(event.name, event.kind, group);
        Recent& recent = recent_[event.name % recent_.size()];
        if (recent.key != key) recent = {key, find_or_make_row(key, event, group)};
        return rows_[recent.row];
    }

    uint32_t find_or_make_row(uint64_t key, const TorchEvent& event, uint32_t group) {
        const auto [at, added] = known_.try_emplace(key, static_cast<uint32_t>(rows_.size()));
        if (!added) return at;
        OperatorRow& row = rows_.emplace_back();
        row.name = event.name;
        row.kind = event.kind;
        row.group = group;
        set_first(row, event);
        return at;
    }

    void set_first(OperatorRow& row, const TorchEvent& event) const {
        row.first_start = event.start;
        row.first_duration = event.duration;
        row.first_source = torch_source(trace_, event.slice);
    }

    bool is_first(const TorchEvent& event, const OperatorRow& row) const {
        if (event.start != row.first_start) return event.start < row.first_start;
        return std::tuple(-event.duration, torch_source(trace_, event.slice)) <
               std::tuple(-row.first_duration, row.first_source);
    }

    void add(const TorchEvent& event, uint64_t place, const TorchSums* sums) {
        OperatorRow& row = row_of(event);
        if (event.replayed) return add_replayed(row, event, place, sums);
        ++row.calls;
        if (event.duration > row.longest_duration ||
            (event.duration == row.longest_duration && place < row.longest_place)) {
            row.longest = event.slice;
            row.longest_duration = event.duration;
            row.longest_place = place;
        }
        if (is_first(event, row)) set_first(row, event);
        if (event.kind == TorchRow::device || event.kind == TorchRow::device_annotation) {
            for (Nanos* sum : {&row.device_total, &row.device_self, &row.device_total_by_launch,
                               &row.device_self_by_launch})
                *sum += event.duration;
            return;
        }
        row.cpu_total += event.duration;
        row.cpu_self += event.duration;
        if (sums) add_sums(row, *sums);
        if (const std::optional<int64_t> flop = flop_of(event))
            row.flop = row.flop.value_or(0) + *flop;
    }

    // A row of replayed calls alone shows the first of them.
    static void add_replayed(OperatorRow& row, const TorchEvent& event, uint64_t place,
                             const TorchSums* sums) {
        ++row.replayed_calls;
        if (row.longest_duration < 0 && (!row.longest || place < row.longest_place)) {
            row.longest = event.slice;
            row.longest_place = place;
        }
        if (!sums) return;
        row.device_total_by_launch += sums->by_launch_total;
        row.device_self_by_launch += sums->by_launch_self;
    }

    std::optional<int64_t> flop_of(const TorchEvent& event) {
        const Operators& ops = trace_.operators;
        if (ops.input_dims.empty() ||
            std::ranges::find(with_formula_, event.name) == with_formula_.end())
            return std::nullopt;
        const uint32_t row = context_.get<OperatorIndex>().row(event.slice);
        if (row == kNoRow) return std::nullopt;
        const StringId dims = ops.input_dims[row];
        const StringId concrete =
            ops.concrete_inputs.empty() ? StringId{0} : ops.concrete_inputs[row];
        const std::tuple key(event.name, dims, concrete);
        const auto known = flops_.find(key);
        if (known != flops_.end()) return known->second;
        return flops_[key] = torch_flops(trace_.strings[event.name], trace_.strings[dims],
                                         trace_.strings[concrete]);
    }

    const TraceContext& context_;
    const Trace& trace_;
    Groups groups_;
    std::optional<TimeRange> range_;
    std::vector<OperatorRow> rows_;
    FlatMap<uint32_t> known_;
    // Caches the last lookup: most events are in the same group as the previous event of their
    // name.
    struct Recent {
        uint64_t key = ~uint64_t{0};
        uint32_t row = 0;
    };
    std::array<Recent, 256> recent_ = {};
    std::array<StringId, kTorchFlopNames.size()> with_formula_ = {};
    std::map<std::tuple<StringId, StringId, StringId>, std::optional<int64_t>> flops_;
};

// Groups by thread and step.
class ThreadSteps {
  public:
    explicit ThreadSteps(const TraceContext& context)
        : trace_(context.trace()), step_(context.get<Steps>()) {}

    uint32_t group_of(const TorchEvent& event) {
        const LaneId thread = event.slice.lane;
        if (thread != now_.thread) process_ = process_of(thread);
        const uint32_t step = step_.at(process_, event.start);
        if (thread == now_.thread && step == now_.step) return group_;
        now_ = {thread, step};
        const auto next = static_cast<uint32_t>(groups_.size());
        group_ = known_.try_emplace(uint64_t{step} << 32U | thread, next).first;
        if (group_ == next) groups_.push_back(now_);
        return group_;
    }

    std::vector<OperatorSums::Group>& groups() { return groups_; }

  private:
    // Replays belong to the steps of the process that launched them.
    uint32_t process_of(LaneId lane) const {
        return trace_.lanes[lane].kind == LaneKind::replay ? launching_process(trace_, lane)
                                                           : trace_.lanes[lane].process;
    }

    const Trace& trace_;
    StepCursor step_;
    std::vector<OperatorSums::Group> groups_;
    FlatMap<uint32_t> known_;
    OperatorSums::Group now_{SliceRef::no_index, kNoRow};  // of the event before
    uint32_t process_ = 0;
    uint32_t group_ = 0;
};

OperatorRows rows_by(const TraceContext& context, OperatorsBy grouping,
                     std::optional<TimeRange> range) {
    RowMaker maker(context, OperatorGroups(context, grouping), range);
    for (LaneId lane = 0; lane < context.trace().lanes.size(); ++lane)
        context.get<TorchEvents>().visit_kept(lane, maker.adder_of(lane));
    std::ranges::sort(maker.rows(), {}, first_of);
    return {std::move(maker.rows()), std::move(maker.groups()).texts()};
}

void add_row(OperatorRow& row, const OperatorRow& more) {
    row.calls += more.calls;
    row.replayed_calls += more.replayed_calls;
    row.cpu_total += more.cpu_total;
    row.cpu_self += more.cpu_self;
    row.device_total += more.device_total;
    row.device_self += more.device_self;
    row.device_total_by_launch += more.device_total_by_launch;
    row.device_self_by_launch += more.device_self_by_launch;
    for (const int i : {0, 1}) {
        row.memory_total[i] += more.memory_total[i];
        row.memory_self[i] += more.memory_self[i];
    }
    if (more.flop) row.flop = row.flop.value_or(0) + *more.flop;
    if (std::tuple(-more.longest_duration, more.longest_place) <
        std::tuple(-row.longest_duration, row.longest_place)) {
        row.longest = more.longest;
        row.longest_duration = more.longest_duration;
        row.longest_place = more.longest_place;
    }
    if (first_of(more) < first_of(row)) {
        row.first_start = more.first_start;
        row.first_duration = more.first_duration;
        row.first_source = more.first_source;
    }
}

// Sums by name, thread or step.
OperatorRows summed(const TraceContext& context, std::span<const OperatorSums> lanes,
                    OperatorsBy grouping) {
    const Trace& trace = context.trace();
    TextGroups texts;
    const auto group_of = [&](const OperatorSums::Group& lane_group) {
        if (grouping == OperatorsBy::thread)
            return texts.group_of(std::string(trace.strings[trace.lanes[lane_group.thread].name]));
        if (grouping == OperatorsBy::step && lane_group.step != kNoRow)
            return texts.group_of(full_step_label(trace, context.get<Steps>(), lane_group.step));
        return 0U;
    };
    std::vector<OperatorRow> rows;
    FlatMap<uint32_t> known;
    for (const OperatorSums& lane : lanes) {
        std::vector<uint32_t> groups(lane.groups.size());
        std::ranges::transform(lane.groups, groups.begin(), group_of);
        for (const OperatorRow& row : lane.rows) {
            const uint32_t group = groups[row.group];
            const auto [at, added] = known.try_emplace(key_of(row.name, row.kind, group),
                                                       static_cast<uint32_t>(rows.size()));
            if (added)
                rows.emplace_back(row).group = group;
            else
                add_row(rows[at], row);
        }
    }
    std::ranges::sort(rows, {}, first_of);
    return {std::move(rows), std::move(texts).texts()};
}

OperatorRows summed(const TraceContext& context, OperatorsBy grouping,
                    std::optional<TimeRange> range) {
    return range ? summed(context, operator_sums(context, range), grouping)
                 : summed(context, context.get<OperatorSumsByLane>().by_lane, grouping);
}

}  // namespace

std::vector<OperatorSums> operator_sums(const TraceContext& context,
                                        std::optional<TimeRange> range) {
    std::vector<OperatorSums> lanes(context.trace().lanes.size());
    const unsigned workers = std::max(1U, std::thread::hardware_concurrency());
    parallel_for(workers, lanes.size(), [&](std::size_t i) {
        const auto lane = static_cast<LaneId>(i);
        RowMaker maker(context, ThreadSteps(context), range);
        context.get<TorchEvents>().visit(lane, maker.adder_of(lane));
        lanes[i] = {std::move(maker.rows()), std::move(maker.groups().groups())};
    });
    return lanes;
}

OperatorRows operators_by_name(const TraceContext& context, std::optional<TimeRange> range) {
    return summed(context, OperatorsBy::name, range);
}

OperatorRows operator_rows(const TraceContext& context, OperatorsBy grouping,
                           std::optional<TimeRange> range) {
    if (!OperatorGroups::has_any(context, grouping))
        return range ? operators_by_name(context, range) : context.get<AllOperators>().by_name;
    return grouping == OperatorsBy::step || grouping == OperatorsBy::thread
               ? summed(context, grouping, range)
               : rows_by(context, grouping, range);
}

OperatorSumsByLane OperatorSumsByLane::compute(const TraceContext& context) {
    return {operator_sums(context, {})};
}

AllOperators AllOperators::compute(const TraceContext& context) {
    return {operators_by_name(context, {})};
}

}  // namespace lanescope
