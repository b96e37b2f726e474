// Turns sampled stacks of Python functions into nested slices: consecutive samples in the same
// functions form a slice, whatever their lines are.
#include <fmt/format.h>

#include <algorithm>

#include "core/ingest/spool/spool_state.h"
#include "core/trace/category.h"

namespace lanescope {

namespace {

constexpr uint32_t kMaxPythonFrameNumber = 1 << 22;  // larger numbers are damaged
constexpr uint32_t kMaxPythonDepth = 1024;

// Counts one more sample, of which it is known or not whether something holds.
void count_known(int64_t& count, bool is_known, bool holds) {
    if (!is_known) return;
    count = (count == kNoValue ? 0 : count) + (holds ? 1 : 0);
}

void count_sample(PythonSampledCall& call, uint32_t flags) {
    ++call.samples;
    count_known(call.gil_samples, (flags & kSpoolKnowsGil) != 0, (flags & kSpoolHoldsGil) != 0);
    count_known(call.running_samples, (flags & kSpoolKnowsRunning) != 0,
                (flags & kSpoolRunning) != 0);
}

}  // namespace

void SpoolDecoder::State::take_python(const char* record, const SpoolRecord& head) {
    switch (head.kind) {
        case kSpoolPythonSample:
            return take_python_sample(record, head);
        case kSpoolPythonFrame:
            return take_python_frame(read_record<SpoolPythonFrame>(record, head.bytes),
                                     text(head.text));
        case kSpoolPythonThread: {
            const auto thread = read_record<SpoolPythonThread>(record, head.bytes);
            out.name_lane(python_thread(thread.pid, thread.tid).lane,
                          out.text(fmt::format("{} · Python", out[text(head.text)])), at.offset);
            return;
        }
        default:
            return;
    }
}

void SpoolDecoder::State::take_python_frame(const SpoolPythonFrame& frame, LocalId name) {
    if (frame.frame == 0 || frame.frame > kMaxPythonFrameNumber) return;
    if (frame.frame > python_frames.size())
        python_frames.resize(frame.frame, {out.text("unknown function"), out.text(""), 0});
    const LocalId file = text(frame.file);
    const auto next = static_cast<uint32_t>(python_functions.size() + 1);
    const uint32_t function =
        python_functions.try_emplace({name, file, frame.first_line}, next).first->second;
    const std::string_view path = out[file];
    const LocalId module = out.text(path.substr(path.rfind('/') + 1));
    python_frames[frame.frame - 1] = {name, module, function};
}

PythonSampledThread& SpoolDecoder::State::python_thread(uint32_t pid, uint32_t tid) {
    const auto [found, is_new] = python.try_emplace({pid, tid});
    if (is_new)
        found->second.lane = out.samples(program(pid), std::to_string(tid), SampleKind::python);
    return found->second;
}

PythonSampledFrame SpoolDecoder::State::python_frame_of(uint32_t number) {
    if (number != 0 && number <= python_frames.size()) return python_frames[number - 1];
    return {out.text("unknown function"), out.text(""), 0};
}

// Ends the calls of a stack beyond the `kept` outermost ones, at the time of their last sample.
void SpoolDecoder::State::close_python_calls(PythonSampledThread& thread, std::size_t kept) {
    for (std::size_t i = kept; i < thread.stack.size(); ++i) {
        const PythonSampledCall& call = thread.stack[i];
        auto& row = out.attach<SampleFacts>(
            add_slice(thread.lane, call.start, std::max<Nanos>(thread.end - call.start, 0),
                      call.frame.name, kSpoolPythonSampled, call.source));
        row.samples = call.samples;
        row.module = call.frame.module;
        row.gil_samples = call.gil_samples;
        row.running_samples = call.running_samples;
    }
    thread.stack.resize(std::min(kept, thread.stack.size()));
}

// A sample stands for the wall-clock time since the thread's previous one, and is drawn up to its
// own time. If more than half a period lies between the two, the thread was in no Python function
// meanwhile, and its stack ends.
void SpoolDecoder::State::take_python_sample(const char* record, const SpoolRecord& head) {
    const auto sample = read_record<SpoolPythonSample>(record, head.bytes);
    if (head.bytes < sizeof sample) return;
    const auto room = static_cast<uint32_t>((head.bytes - sizeof sample) / sizeof(uint32_t));
    const uint32_t depth = std::min({sample.frames, room, kMaxPythonDepth});
    PythonSampledThread& thread = python_thread(sample.pid, sample.tid);
    // Each sample ends later than the one before, so that no slice is as long as its parent but
    // ends earlier.
    const Nanos taken = std::max(time.of_ticks(sample.ticks), thread.end + 1);
    const Nanos first = taken - Nanos{sample.period_ns};
    const bool goes_on = !thread.stack.empty() && first - thread.end <= Nanos{sample.period_ns} / 2;
    const Nanos begin = goes_on ? thread.end : std::max(first, thread.end);
    if (!goes_on) close_python_calls(thread, 0);
    const auto frame_at = [&](uint32_t i) {
        uint32_t number = 0;
        std::memcpy(&number, record + sizeof sample + i * sizeof number, sizeof number);
        return python_frame_of(number);
    };
    uint32_t i = 0;
    for (; i < depth && i < thread.stack.size(); ++i) {
        const PythonSampledFrame frame = frame_at(i);
        PythonSampledCall& call = thread.stack[i];
        if (frame.function != call.frame.function || frame.name != call.frame.name) break;
        count_sample(call, sample.flags);
    }
    close_python_calls(thread, i);
    for (; i < depth; ++i) {
        const uint64_t source = at.offset + sizeof sample + i * sizeof(uint32_t);
        thread.stack.push_back({frame_at(i), begin, source, 0, kNoValue, kNoValue});
        count_sample(thread.stack.back(), sample.flags);
    }
    thread.end = taken;
    note_time(taken);
}

}  // namespace lanescope
