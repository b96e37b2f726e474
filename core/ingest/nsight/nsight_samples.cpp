// Turns sampled stacks and thread switches into nested slices. Consecutive samples in the same
// functions form a slice; a time in which the thread did not run is a pause between stacks.
#include <algorithm>
#include <array>
#include <tuple>

#include "core/ingest/nsight/nsight_state.h"

namespace lanescope {

namespace {

constexpr Nanos kUnknownPeriod = 1'000'000;
constexpr Nanos kLongestPeriod = 1'000'000'000;
constexpr std::size_t kDeepestStack = 1024;

std::string_view last_part(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos || slash + 1 == path.size() ? path
                                                                       : path.substr(slash + 1);
}

}  // namespace

void NsightReader::read_switches(const SqliteTable& table) {
    constexpr std::array<std::string_view, 3> columns = {"start", "globalTid", "isSchedIn"};
    read_table(table.name, columns, &NsightReader::take_switch);
}

void NsightReader::take_switch(const SqliteRows& rows) {
    const std::optional<Nanos> at = time(rows, 0);
    if (!at) return add_unreadable(source(rows));
    samples_.push_back({rows.number(1, 0), *at, kNoValue, rows.number(2, 0) != 0, source(rows)});
}

void NsightReader::read_samples(const SqliteTable& table) {
    constexpr std::array<std::string_view, 3> columns = {"start", "globalTid", "id"};
    read_table(table.name, columns, &NsightReader::take_sample);
    constexpr std::array<std::string_view, 4> of_frames = {"id", "stackDepth", "symbol", "module"};
    read_table("SAMPLING_CALLCHAINS", of_frames, &NsightReader::take_frame);
    // Innermost frames come last.
    std::ranges::sort(frames_, [](const StackFrame& a, const StackFrame& b) {
        return std::tie(a.stack, b.depth) < std::tie(b.stack, a.depth);
    });
}

void NsightReader::take_sample(const SqliteRows& rows) {
    const std::optional<Nanos> at = time(rows, 0);
    if (!at) return add_unreadable(source(rows));
    samples_.push_back({rows.number(1, 0), *at, rows.number(2, 0), true, source(rows)});
}

void NsightReader::take_frame(const SqliteRows& rows) {
    frames_.push_back({rows.number(0), rows.number(1, 0), rows.number(2), rows.number(3)});
}

void NsightReader::add_samples() {
    std::ranges::stable_sort(samples_, [](const StackSample& a, const StackSample& b) {
        return std::tie(a.thread, a.time) < std::tie(b.thread, b.time);
    });
    for (auto first = samples_.begin(); first != samples_.end() && !is_stopped();) {
        const auto last = std::find_if(
            first, samples_.end(), [&](const StackSample& s) { return s.thread != first->thread; });
        add_samples_of_thread({first, last});
        first = last;
    }
    samples_ = {};
    frames_ = {};
}

void NsightReader::add_pause(LocalId lane, Nanos begin, Nanos end, uint64_t where) {
    const LocalId name = sink_.text("[not running]");
    auto& row = sink_.attach<SampleFacts>(
        sink_.slice(lane, begin, end - begin, name, sink_.category(kNsightPause), where));
    row.samples = 1;
    row.cpu_time = end - begin;
    row.module = sink_.text("[kernel]");
}

NsightReader::Sampling NsightReader::sampling_of(std::span<const StackSample> samples) {
    std::vector<Nanos> distances;
    const StackSample* before = nullptr;
    for (const StackSample& sample : samples) {
        const bool is_stack = sample.id != kNoValue;
        if (is_stack && before) distances.push_back(sample.time - before->time);
        before = is_stack ? &sample : nullptr;
    }
    Sampling sampling;
    sampling.period = kUnknownPeriod;
    if (distances.empty()) return sampling;
    const auto middle = distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
    std::ranges::nth_element(distances, middle);
    sampling.period = std::clamp<Nanos>(*middle, 1, kLongestPeriod);
    return sampling;
}

// Ends all calls but the `kept` outermost ones, at the end of their last sample.
void NsightReader::close_calls(Sampling& at, std::size_t kept) {
    for (std::size_t i = kept; i < at.stack.size(); ++i) {
        const SampledCallOfStack& call = at.stack[i];
        auto& row = sink_.attach<SampleFacts>(
            sink_.slice(at.lane, call.begin, std::max<Nanos>(at.end - call.begin, 0), call.name,
                        sink_.category(kNsightSample), call.source));
        row.samples = call.samples;
        row.cpu_time = call.cpu_time;
        row.module = call.module;
    }
    at.stack.resize(std::min(kept, at.stack.size()));
}

// The functions of a stack, the outermost first; at least one.
std::vector<std::pair<LocalId, LocalId>> NsightReader::functions_of(int64_t stack) {
    std::vector<std::pair<LocalId, LocalId>> functions;
    for (auto frame = std::ranges::lower_bound(frames_, stack, {}, &StackFrame::stack);
         frame != frames_.end() && frame->stack == stack && functions.size() < kDeepestStack;
         ++frame) {
        const auto [module, is_new] = modules_.try_emplace(frame->module, 0);
        if (is_new) module->second = sink_.text(last_part(text_of(frame->module)));
        functions.emplace_back(string(frame->symbol), module->second);
    }
    if (functions.empty()) functions.emplace_back(sink_.text("unknown code"), sink_.text(""));
    return functions;
}

// A sample is drawn for one period before its time, or from the previous sample if that is closer
// than one and a half periods.
void NsightReader::add_stack(Sampling& at, const StackSample& sample) {
    const Nanos taken = std::max(sample.time, at.end + 1);
    const Nanos first = taken - at.period;
    const bool goes_on = !at.stack.empty() && first - at.end <= at.period / 2;
    const Nanos begin = goes_on ? at.end : std::max(first, at.end);
    if (!goes_on) close_calls(at, 0);
    const auto functions = functions_of(sample.id);
    std::size_t same = 0;
    for (; same < functions.size() && same < at.stack.size(); ++same) {
        SampledCallOfStack& call = at.stack[same];
        if (std::pair(call.name, call.module) != functions[same]) break;
        ++call.samples;
        call.cpu_time += at.period;
    }
    close_calls(at, same);
    for (std::size_t i = same; i < functions.size(); ++i)
        at.stack.push_back(
            {functions[i].first, functions[i].second, begin, sample.source, 1, at.period});
    at.end = taken;
}

void NsightReader::add_samples_of_thread(std::span<const StackSample> samples) {
    const int64_t global_tid = samples.front().thread;
    Sampling at = sampling_of(samples);
    at.lane =
        sink_.samples(process(global_tid), std::to_string(nsight_tid(global_tid)), SampleKind::cpu);
    at.end = samples.front().time - at.period;
    sampled_threads_[global_tid] = at.lane;
    std::optional<Nanos> stopped;
    uint64_t where = 0;
    for (const StackSample& sample : samples) {
        if (sample.id != kNoValue) {
            add_stack(at, sample);
            stopped.reset();  // a switch is missing
        } else if (!sample.runs) {
            close_calls(at, 0);
            stopped = std::max(sample.time, at.end);
            where = sample.source;
        } else if (stopped) {
            const Nanos end = std::max(sample.time, *stopped + 1);
            add_pause(at.lane, *stopped, end, where);
            at.end = end;
            stopped.reset();
        }
    }
    close_calls(at, 0);
}

}  // namespace lanescope
