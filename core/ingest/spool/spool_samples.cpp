// Turns sampled stacks of a spool file into nested slices: consecutive samples in the same
// functions form a slice, and each time in which the thread did not run is a stack of its own.
#include <fmt/format.h>

#include <algorithm>

#include "core/ingest/spool/spool_state.h"
#include "core/trace/category.h"

namespace lanescope {

namespace {

constexpr uint32_t kMaxFrames = 1 << 22;  // larger numbers are damaged
constexpr uint32_t kMaxDepth = 1024;

std::string_view file_name(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos || slash + 1 == path.size() ? path
                                                                       : path.substr(slash + 1);
}

}  // namespace

void SpoolDecoder::State::take_sample_fact(const char* record, const SpoolRecord& head) {
    switch (head.kind) {
        case kSpoolImage: {
            const auto image = read_record<SpoolImage>(record, head.bytes);
            images[image.image] = out.text(file_name(out[text(head.text)]));
            return;
        }
        case kSpoolFrame:
            return take_frame(read_record<SpoolFrame>(record, head.bytes), text(head.text));
        case kSpoolSampledThread:
            return name_sampled_thread(read_record<SpoolSampledThread>(record, head.bytes),
                                       text(head.text));
        default:
            return;
    }
}

void SpoolDecoder::State::take_frame(const SpoolFrame& frame, LocalId name) {
    if (frame.frame == 0 || frame.frame > kMaxFrames) return;
    if (frame.frame > frames.size())
        frames.resize(frame.frame, {out.text("unknown code"), out.text("")});
    const auto image = images.find(frame.image);
    const LocalId module = image == images.end() ? out.text("") : image->second;
    LocalId shown = plain_name(name);
    if (out[name].empty())
        shown =
            out.text(image == images.end() ? fmt::format("{:#x}", frame.address)
                                           : fmt::format("{}+{:#x}", out[module], frame.address));
    frames[frame.frame - 1] = {shown, module};
}

// A process without a name in the file takes the name of its first thread.
void SpoolDecoder::State::name_sampled_thread(const SpoolSampledThread& thread, LocalId name) {
    out.name_lane(sampled_thread(thread.pid, thread.tid).lane,
                  out.text(fmt::format("{} · samples", out[name])), at.offset);
    if (thread.pid == thread.tid && named_pids.insert(thread.pid).second)
        out.name_process(program(thread.pid), name, at.offset);
}

SampledThread& SpoolDecoder::State::sampled_thread(uint32_t pid, uint32_t tid) {
    const auto [found, is_new] = sampled.try_emplace({pid, tid});
    if (is_new)
        found->second.lane = out.samples(program(pid), std::to_string(tid), SampleKind::cpu);
    return found->second;
}

SampledFrame SpoolDecoder::State::frame_of(uint32_t number) {
    if (number != 0 && number <= frames.size()) return frames[number - 1];
    return {out.text("unknown code"), out.text("")};
}

// Ends the calls of a stack beyond the `kept` outermost ones, at the end of their last sample.
void SpoolDecoder::State::close_calls(SampledThread& thread, std::size_t kept,
                                      const CategoryWord& category) {
    for (std::size_t i = kept; i < thread.stack.size(); ++i) {
        const SampledCall& call = thread.stack[i];
        auto& row = out.attach<SampleFacts>(add_slice(thread.lane, call.start,
                                                      std::max<Nanos>(thread.end - call.start, 0),
                                                      call.name, category, call.source));
        row.samples = call.samples;
        row.cpu_time = call.cpu_time;
        row.module = call.module;
    }
    thread.stack.resize(std::min(kept, thread.stack.size()));
}

// A sample represents `period_ns` of CPU time, and is drawn up to its own time. If more than one
// and a half periods lie between two samples, the thread was not running, and its stack ends. A
// shorter pause is drawn over, so a slice may be longer than its CPU time.
void SpoolDecoder::State::take_sample(const char* record, const SpoolRecord& head) {
    const auto sample = read_record<SpoolSample>(record, head.bytes);
    if (head.bytes < sizeof sample) return;
    const auto room = static_cast<uint32_t>((head.bytes - sizeof sample) / sizeof(uint32_t));
    const uint32_t depth = std::min({sample.frames, room, kMaxDepth});
    SampledThread& thread = sampled_thread(sample.pid, sample.tid);
    // Each sample ends later than the one before, so that no slice is as long as its parent but
    // ends earlier.
    const Nanos taken = std::max(at.process->cupti.time_of(sample.ns), thread.end + 1);
    const Nanos first = taken - Nanos{sample.period_ns};
    const bool goes_on = !thread.stack.empty() && first - thread.end <= Nanos{sample.period_ns} / 2;
    const Nanos begin = goes_on ? thread.end : std::max(first, thread.end);
    if (!goes_on) close_calls(thread, 0);
    std::size_t same = 0;
    uint32_t i = 0;
    const auto next = [&] {
        uint32_t number = 0;
        std::memcpy(&number, record + sizeof sample + i * sizeof number, sizeof number);
        return frame_of(number);
    };
    for (; i < depth && same < thread.stack.size(); ++i, ++same) {
        const SampledFrame frame = next();
        SampledCall& call = thread.stack[same];
        if (frame.name != call.name || frame.module != call.module) break;
        ++call.samples;
        call.cpu_time += sample.period_ns;
    }
    close_calls(thread, same);
    for (; i < depth; ++i) {
        const SampledFrame frame = next();
        const uint64_t source = at.offset + sizeof sample + i * sizeof(uint32_t);
        thread.stack.push_back(
            {frame.name, frame.module, begin, source, 1, Nanos{sample.period_ns}});
    }
    thread.end = taken;
    note_time(taken);
}

// A wait is not a call either, but its begin and end were observed. The innermost slice says that
// the thread was preempted, or that nothing else is known.
void SpoolDecoder::State::take_wait(const char* record, const SpoolRecord& head) {
    const auto wait = read_record<SpoolWait>(record, head.bytes);
    if (head.bytes < sizeof wait) return;
    const auto room = static_cast<uint32_t>((head.bytes - sizeof wait) / sizeof(uint32_t));
    const uint32_t depth = std::min({wait.frames, room, kMaxDepth});
    SampledThread& thread = sampled_thread(wait.pid, wait.tid);
    close_calls(thread, 0);
    const Nanos begin = std::max(at.process->cupti.time_of(wait.ns), thread.end);
    const Nanos end = std::max(at.process->cupti.time_of(wait.end_ns), begin + 1);
    for (uint32_t i = 0; i < depth; ++i) {
        const uint64_t offset = sizeof wait + i * sizeof(uint32_t);
        uint32_t number = 0;
        std::memcpy(&number, record + offset, sizeof number);
        const SampledFrame frame = frame_of(number);
        thread.stack.push_back(
            {frame.name, frame.module, begin, at.offset + offset, 1, end - begin});
    }
    const bool is_preempted = wait.state == kSpoolPreempted;
    if (is_preempted || depth == 0)
        thread.stack.push_back({out.text(is_preempted ? "[preempted]" : "[blocked]"),
                                out.text("[kernel]"), begin, at.offset, 1, end - begin});
    thread.end = end;
    close_calls(thread, 0, kSpoolWaiting);
    note_time(end);
}

}  // namespace lanescope
