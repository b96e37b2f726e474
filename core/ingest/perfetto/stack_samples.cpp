// Reads sampled stacks, and turns them into nested slices: consecutive samples in the same
// functions form a slice.
#include <fmt/format.h>

#include <algorithm>
#include <tuple>

#include "core/ingest/perfetto/pftrace_reader.h"
#include "core/ingest/perfetto/wire.h"

namespace lanescope {

namespace {

constexpr Nanos kUsualPeriod = 1'000'000;
constexpr Nanos kMostPeriod = 1'000'000'000;
constexpr std::size_t kDeepestSample = 1024;
constexpr CategoryWord kPftraceSample = {kSampleCategory, EventClass::other, kSampledCall};

std::string_view file_of_path(std::string_view path) {
    const std::size_t slash = path.rfind('/');
    return slash == std::string_view::npos || slash + 1 == path.size() ? path
                                                                       : path.substr(slash + 1);
}

}  // namespace

uint32_t PftraceReader::stack_number(std::vector<std::pair<LocalId, LocalId>> frames) {
    const auto [found, is_new] =
        stack_numbers_.try_emplace(std::move(frames), static_cast<uint32_t>(stacks_.size()));
    if (is_new) stacks_.push_back(&found->first);
    return found->second;
}

// Interned stacks are stored with the outermost function first.
std::optional<uint32_t> PftraceReader::stack_of(const PftraceSequence& state, uint64_t id) {
    const std::vector<uint64_t>* const ids = state.stacks.find(id);
    if (!ids) return std::nullopt;
    std::vector<std::pair<LocalId, LocalId>> frames;
    for (const uint64_t frame_id : *ids) {
        if (frames.size() >= kDeepestSample) break;
        const PftraceFrame* const frame = state.frames.find(frame_id);
        if (!frame) continue;
        const std::string* const function = state.functions.find(frame->function);
        const std::vector<uint64_t>* const mapping = state.mappings.find(frame->mapping);
        const std::string* const path =
            mapping && !mapping->empty() ? state.paths.find(mapping->back()) : nullptr;
        const LocalId module = sink_.text(path ? file_of_path(*path) : "");
        const LocalId name = function && !function->empty()
                                 ? sink_.text(*function)
                                 : sink_.text(fmt::format("{:#x}", frame->address));
        frames.emplace_back(name, module);
    }
    return frames.empty() ? std::nullopt : std::optional(stack_number(std::move(frames)));
}

// Reads an InlineCallstack: frames {1 function, 2 file, 3 line}, the outermost first.
uint32_t PftraceReader::inline_stack(std::string_view message) {
    std::vector<std::pair<LocalId, LocalId>> frames;
    for (WireMessage in(message); in.next();) {
        if (in.field() != 1 || !in.is_bytes() || frames.size() >= kDeepestSample) continue;
        std::string_view name = "unknown code", file;
        for (WireMessage of(in.bytes()); of.next();) {
            if (of.field() == 1 && of.is_bytes()) name = of.bytes();
            if (of.field() == 2 && of.is_bytes()) file = of.bytes();
        }
        frames.emplace_back(sink_.text(name), sink_.text(file_of_path(file)));
    }
    if (frames.empty()) frames.emplace_back(sink_.text("unknown code"), sink_.text(""));
    return stack_number(std::move(frames));
}

void PftraceReader::read_perf_sample(const Packet& packet, std::string_view message) {
    int64_t pid = 0, tid = 0;
    uint64_t stack = 0;
    bool is_skipped = false;
    for (WireMessage in(message); in.next();) {
        if (in.is_bytes()) continue;
        if (in.field() == 2) pid = in.signed_number();
        if (in.field() == 3) tid = in.signed_number();
        if (in.field() == 4) stack = in.number();
        is_skipped |= in.field() == 18;
    }
    if (stack == 0 || is_skipped) return;  // the sample is only counted
    const std::optional<Nanos> time = time_of(packet);
    const std::optional<uint32_t> number = stack_of(*packet.state, stack);
    if (!time || !number) return;
    const std::string thread = pid_text(packet, tid);
    tracks_.set_process_of(thread, pid_text(packet, pid));
    samples_.push_back({thread, *time, *number, packet.source});
}

void PftraceReader::read_stack_sample(const Packet& packet, std::string_view message) {
    std::pair<int64_t, int64_t> task{0, 0};
    std::optional<uint32_t> number;
    for (WireMessage in(message); in.next();) {
        if (in.field() == 1 && in.is_bytes())
            for (WireMessage of(in.bytes()); of.next();) {
                if (of.is_bytes()) continue;
                if (of.field() == 2) task.first = of.signed_number();
                if (of.field() == 3) task.second = of.signed_number();
            }
        if (in.field() == 2 && !in.is_bytes())
            if (const auto* const known = packet.state->tasks.find(in.number())) task = *known;
        if (in.field() == 5 && in.is_bytes()) number = inline_stack(in.bytes());
        if (in.field() == 6 && !in.is_bytes()) number = stack_of(*packet.state, in.number());
    }
    if (!number) return;
    if (task.second == 0) {
        ++counts_.stacks_elsewhere;
        return;
    }
    const std::optional<Nanos> time = time_of(packet);
    if (!time) return;
    const std::string thread = pid_text(packet, task.second);
    tracks_.set_process_of(thread, pid_text(packet, task.first));
    samples_.push_back({thread, *time, *number, packet.source});
}

namespace {

// Builds the slices of one thread's samples.
class SampledStacks {
  public:
    SampledStacks(TraceSink& sink, LocalId lane, Nanos period, Nanos first)
        : sink_(sink), lane_(lane), period_(period), end_(first - period) {}

    // A sample represents one period before its time, or the time since the previous sample if that
    // is less than one and a half periods ago.
    void add(const std::vector<std::pair<LocalId, LocalId>>& stack, Nanos time, uint64_t source) {
        const Nanos taken = std::max(time, end_ + 1);
        const Nanos first = taken - period_;
        const bool goes_on = !open_.empty() && first - end_ <= period_ / 2;
        const Nanos begin = goes_on ? end_ : std::max(first, end_);
        if (!goes_on) close(0);
        std::size_t same = 0;
        for (; same < stack.size() && same < open_.size(); ++same) {
            if (open_[same].function != stack[same]) break;
            ++open_[same].samples;
        }
        close(same);
        for (std::size_t i = same; i < stack.size(); ++i)
            open_.push_back({stack[i], begin, source, 1});
        end_ = taken;
    }

    void close(std::size_t kept) {
        for (std::size_t i = kept; i < open_.size(); ++i) {
            const OpenCall& call = open_[i];
            auto& row = sink_.attach<SampleFacts>(
                sink_.slice(lane_, call.begin, std::max<Nanos>(end_ - call.begin, 0),
                            call.function.first, sink_.category(kPftraceSample), call.source));
            row.samples = call.samples;
            row.cpu_time = call.samples * period_;
            row.module = call.function.second;
        }
        open_.resize(std::min(kept, open_.size()));
    }

  private:
    struct OpenCall {
        std::pair<LocalId, LocalId> function;
        Nanos begin;
        uint64_t source;
        int64_t samples;
    };
    TraceSink& sink_;
    LocalId lane_;
    Nanos period_;
    Nanos end_;
    std::vector<OpenCall> open_;
};

}  // namespace

void PftraceReader::add_samples() {
    std::ranges::stable_sort(samples_, [](const StackOfSample& a, const StackOfSample& b) {
        return std::tie(a.tid, a.time) < std::tie(b.tid, b.time);
    });
    for (auto first = samples_.begin(); first != samples_.end() && stopped_;) {
        const auto last = std::find_if(first, samples_.end(),
                                       [&](const StackOfSample& s) { return s.tid != first->tid; });
        std::vector<Nanos> distances;
        for (auto at = first + 1; at != last; ++at) distances.push_back(at->time - (at - 1)->time);
        Nanos period = kUsualPeriod;
        if (!distances.empty()) {
            const auto middle =
                distances.begin() + static_cast<std::ptrdiff_t>(distances.size() / 2);
            std::ranges::nth_element(distances, middle);
            period = std::clamp<Nanos>(*middle, 1, kMostPeriod);
        }
        const LocalId lane = tracks_.samples_of(first->tid);
        SampledStacks stacks(sink_, lane, period, first->time);
        for (; first != last; ++first)
            stacks.add(*stacks_[first->stack], first->time, first->source);
        stacks.close(0);
    }
}

}  // namespace lanescope
