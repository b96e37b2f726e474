#include "core/analysis/structure/time_range.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/device_steps.h"
#include "core/analysis/structure/steps.h"
#include "core/base/format.h"

namespace lanescope {

namespace {

std::string_view trimmed(std::string_view text) {
    while (text.starts_with(' ')) text.remove_prefix(1);
    while (text.ends_with(' ')) text.remove_suffix(1);
    return text;
}

std::optional<Nanos> nanos_of_unit(std::string_view unit) {
    constexpr std::array<std::pair<std::string_view, Nanos>, 6> units = {
        std::pair{"ns", Nanos{1}}, {"us", Nanos{1'000}},     {"µs", Nanos{1'000}},
        {"μs", Nanos{1'000}},      {"ms", Nanos{1'000'000}}, {"s", Nanos{1'000'000'000}},
    };
    for (const auto& [name, nanos] : units)
        if (name == unit) return nanos;
    return std::nullopt;
}

Error usage(std::string text) {
    return {ErrorCode::usage, Error::no_offset, std::move(text)};
}

// "3, 4, 5": the first few.
std::string indices_of(const Steps& steps) {
    constexpr std::size_t listed = 8;
    std::vector<int64_t> indices;
    for (const Step& step : steps.all)
        if (std::ranges::find(indices, step.index) == indices.end()) indices.push_back(step.index);
    std::string list;
    for (std::size_t i = 0; i < indices.size() && i < listed; ++i)
        list += fmt::format("{}{}", i > 0 ? ", " : "", indices[i]);
    return indices.size() > listed ? list + ", …" : list;
}

// "3" or "3@2": a step's number, and its recorded window.
struct StepNumber {
    std::string_view index;
    std::string_view window;  // empty: the first one that has the step
    bool fits(const Step& step) const {
        return fmt::format("{}", step.index) == index &&
               (window.empty() || fmt::format("{}", step.window) == window);
    }
};

// The numbers of the first and last step of a range.
struct StepRange {
    const Step* first = nullptr;
    const Step* last = nullptr;
    std::string note;

    TimeRange time() const { return {first->range.begin, last->range.end}; }
    bool contains(const Step& step) const {
        const auto number = [](const Step& one) { return std::pair(one.window, one.index); };
        return number(step) >= number(*first) && number(step) <= number(*last);
    }
};

// The step of the first window that has this number; if several processes have one, the longest.
Result<const Step*> find_step(const Steps& steps, StepNumber number) {
    const Step* found = nullptr;
    for (const Step& step : steps.all) {
        if (!number.fits(step)) continue;
        if (!found || step.window < found->window ||
            (step.window == found->window && step.range.length() > found->range.length()))
            found = &step;
    }
    if (found) return found;
    if (steps.all.empty())
        return usage(fmt::format("There is no step {}: this trace has no steps.", number.index));
    if (!number.window.empty())
        return usage(fmt::format("There is no step {} in a recorded window {} of this trace.",
                                 number.index, number.window));
    return usage(fmt::format("There is no step {} in this trace; it has {}.", number.index,
                             indices_of(steps)));
}

StepNumber number_in(std::string_view text) {
    const std::size_t at = text.find('@');
    return {text.substr(0, at),
            at == std::string_view::npos ? std::string_view() : text.substr(at + 1)};
}

// Says which step a number without a window is, if several windows have it.
std::string note_on(const Steps& steps, const Step& step, StepNumber number) {
    if (!step.repeated || !number.window.empty()) return {};
    uint32_t windows = 0;
    uint32_t next = 0;
    for (const Step& other : steps.all) {
        if (other.process != step.process || other.index != step.index) continue;
        ++windows;
        if (next == 0 && other.window > step.window) next = other.window;
    }
    return fmt::format(
        "Step {0} occurs in {1} recorded windows; step:{0} is that of window {2}, step:{0}@{3} the "
        "next one.",
        step.index, windows, step.window, next);
}

// "3", or "3..5": from the begin of the first one to the end of the last one.
Result<StepRange> parse_steps(const Steps& steps, std::string_view numbers) {
    const std::size_t dots = numbers.find("..");
    const StepNumber first_number = number_in(numbers.substr(0, dots));
    const Result<const Step*> first = find_step(steps, first_number);
    if (!first) return first.error();
    StepRange range{*first, *first, note_on(steps, **first, first_number)};
    if (dots == std::string_view::npos) return range;
    StepNumber last_number = number_in(numbers.substr(dots + 2));
    const std::string window = fmt::format("{}", range.first->window);
    if (last_number.window.empty() && range.first->repeated) last_number.window = window;
    const Result<const Step*> last = find_step(steps, last_number);
    if (!last) return last.error();
    range.last = *last;
    if (range.time().end <= range.time().begin)
        return usage(
            fmt::format("The range step:{} is empty: its last step ends before the first "
                        "one begins.",
                        numbers));
    return range;
}

constexpr std::string_view kStepPrefix = "step:";

WorkOfSteps work_of(const TraceContext& context, const StepRange& range) {
    const Trace& trace = context.trace();
    const Steps& steps = context.get<Steps>();
    const DeviceSteps& device_steps = context.get<DeviceSteps>();
    const std::vector<SliceRef>& launch = context.get<Attribution>().launch;
    std::vector<bool> has_steps(trace.processes.size(), false);
    std::vector<bool> chosen(steps.all.size(), false);
    WorkOfSteps work;
    work.time = range.time();
    for (uint32_t i = 0; i < steps.all.size(); ++i) {
        has_steps[steps.all[i].process] = true;
        chosen[i] = range.contains(steps.all[i]);
        if (!chosen[i]) continue;
        const TimeRange window = device_steps.all[i].window;
        if (&steps.all[i] == range.first) work.time.begin = window.begin;
        if (&steps.all[i] == range.last) work.time.end = window.end;
    }
    work.rows.resize(device_steps.step_of_work.size());
    for (uint32_t row = 0; row < work.rows.size(); ++row) {
        const uint32_t step = device_steps.step_of_work[row];
        // Work of a process without steps has only its time.
        const bool by_time =
            step == kNoRow && (!launch[row] || !has_steps[trace.lanes[launch[row].lane].process]);
        work.rows[row] =
            step != kNoRow
                ? chosen[step]
                : by_time && work.time.contains(trace.start(trace.gpu_activities.slice[row]));
    }
    return work;
}

// "A..B" with times.
Result<TimeRange> parse_times(const Trace& trace, std::string_view text) {
    const std::size_t dots = text.find("..");
    if (dots == std::string_view::npos)
        return usage(fmt::format(
            "\"{}\" is not a range of time: write A..B, such as 1.2ms..3ms, step:N or step:N..M.",
            text));
    const std::string_view first = trimmed(text.substr(0, dots));
    const std::string_view last = trimmed(text.substr(dots + 2));
    const std::optional<Nanos> begin = first.empty() ? Nanos{0} : parse_duration(first);
    const std::optional<Nanos> end = last.empty() ? trace.end - trace.origin : parse_duration(last);
    if (!begin || !end)
        return usage(fmt::format("\"{}\" is not a time: write a number and ns, us, ms or s.",
                                 begin ? last : first));
    if (*begin >= *end)
        return usage(fmt::format("The range {} is empty: its end is not after its begin.", text));
    return TimeRange{trace.origin + *begin, trace.origin + *end};
}

}  // namespace

std::optional<Nanos> parse_duration(std::string_view text) {
    text = trimmed(text);
    const std::size_t number_end = std::min(text.find_first_not_of("0123456789."), text.size());
    const std::string_view number = text.substr(0, number_end);
    const std::size_t point = std::min(number.find('.'), number.size());
    const std::string_view whole = number.substr(0, point);
    const std::string_view fraction = number.substr(std::min(point + 1, number.size()));
    if (whole.empty() && fraction.empty()) return std::nullopt;
    const std::optional<Nanos> unit =
        text == "0" ? Nanos{1} : nanos_of_unit(trimmed(text.substr(number_end)));
    if (!unit) return std::nullopt;

    Nanos nanos = 0;
    const auto add = [&](Nanos digit, Nanos worth) {
        Nanos part = 0;
        return !__builtin_mul_overflow(digit, worth, &part) &&
               !__builtin_add_overflow(nanos, part, &nanos);
    };
    for (const char digit : whole)
        if (__builtin_mul_overflow(nanos, Nanos{10}, &nanos) || !add(digit - '0', *unit))
            return std::nullopt;
    Nanos place = *unit;  // one unit of the next digit
    for (const char digit : fraction) {
        place /= 10;
        if (digit == '.' || (place == 0 && digit != '0'))
            return std::nullopt;  // digits below a nanosecond
        if (!add(digit - '0', place)) return std::nullopt;
    }
    return nanos;
}

Result<TimeRange> parse_time_range(const TraceContext& context, std::string_view text) {
    if (!text.starts_with(kStepPrefix)) return parse_times(context.trace(), text);
    const Result<StepRange> steps =
        parse_steps(context.get<Steps>(), text.substr(kStepPrefix.size()));
    if (!steps) return steps.error();
    return steps->time();
}

Result<ParsedQuery> parse_query(const TraceContext& context, std::string_view text) {
    ParsedQuery parsed;
    if (!text.starts_with(kStepPrefix)) {
        const Result<TimeRange> times = parse_times(context.trace(), text);
        if (!times) return times.error();
        parsed.query.range = *times;
        return parsed;
    }
    Result<StepRange> steps = parse_steps(context.get<Steps>(), text.substr(kStepPrefix.size()));
    if (!steps) return steps.error();
    parsed.query.range = steps->time();
    parsed.note = std::move(steps->note);
    if (!context.trace().gpu_activities.slice.empty())
        parsed.query.work = std::make_shared<const WorkOfSteps>(work_of(context, *steps));
    return parsed;
}

TableQuery marked_query(const TraceContext& context, const std::optional<TimeRange>& range) {
    TableQuery query;
    query.range = range;
    if (!range || context.trace().gpu_activities.slice.empty()) return query;
    const std::vector<Step>& steps = context.get<Steps>().all;
    const auto step = std::ranges::find(steps, *range, &Step::range);
    if (step != steps.end())
        query.work = std::make_shared<const WorkOfSteps>(work_of(context, {&*step, &*step, {}}));
    return query;
}

Result<TimeRange> parse_shown_range(const TraceContext& context, std::string_view text) {
    const Result<ParsedQuery> parsed = parse_query(context, text);
    if (!parsed) return parsed.error();
    const Trace& trace = context.trace();
    if (parsed->query.range->begin > trace.end)
        return usage(fmt::format("The trace is over before {} begins: it ends at {}.", text,
                                 format_duration(trace.end - trace.origin)));
    return *parsed->query.shown_range();
}

}  // namespace lanescope
