#include "core/capture/python/python_sampled.h"

#include <sched.h>

#include <algorithm>
#include <chrono>
#include <string_view>

namespace lanescope {

namespace {

constexpr std::size_t kMaxShownCalls = 512;
constexpr int kMaxReadsOfNewCode = 4;
constexpr std::string_view kDeeperCalls = "[deeper calls]";
// A longer time since a thread's last sample is not drawn as one slice.
constexpr Nanos kLongestPeriod = 1'000'000'000;

Nanos monotonic_time() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

// Moves the calling thread to a processor, so that no other thread runs there meanwhile.
class StayOn {
  public:
    explicit StayOn(int processor) {
        cpu_set_t one = {};
        if (processor < 0 || processor >= CPU_SETSIZE ||
            sched_getaffinity(0, sizeof all_, &all_) != 0)
            return;
        CPU_SET(static_cast<std::size_t>(processor), &one);
        moved_ = sched_setaffinity(0, sizeof one, &one) == 0;
    }
    ~StayOn() {
        if (moved_) sched_setaffinity(0, sizeof all_, &all_);
    }
    StayOn(const StayOn&) = delete;
    StayOn& operator=(const StayOn&) = delete;

  private:
    cpu_set_t all_ = {};
    bool moved_ = false;
};

}  // namespace

SampledPython::SampledPython(uint32_t pid, TargetMemory& memory, const PythonTarget& target,
                             PythonWriter& writer)
    : pid_(pid),
      memory_(memory),
      target_(target),
      writer_(writer),
      stacks_(memory, target.layout, target.runtime),
      codes_(memory, target.layout, target.types),
      watch_(pid) {}

bool SampledPython::is_there() const {
    uint64_t version = 0;
    return memory_.read_value(target_.version_address, version) && version == target_.version;
}

void SampledPython::sample(Nanos period) {
    std::vector<PythonThreadState> threads = stacks_.threads();
    // After a fork, a Python may keep the thread's number of the parent.
    if (threads.size() == 1 && !watch_.look(threads[0].tid)) threads[0].tid = pid_;
    for (const PythonThreadState& thread : threads) sample_thread(thread, period);
    const Nanos now = monotonic_time();
    std::erase_if(sampled_, [&](const auto& last) { return last.second < now - kLongestPeriod; });
}

// Reads the stack and its code objects until all of these were known before. Then they existed
// before the stack was read and after it, so they are those that ran. A code object that was read
// for the first time may have replaced another one since the stack was read.
PythonRead SampledPython::read_calls(uint64_t thread) {
    PythonRead read = PythonRead::failed;
    for (int reads = 0; reads < kMaxReadsOfNewCode; ++reads) {
        read = stacks_.read(thread, calls_);
        if (read == PythonRead::failed) return read;
        is_cut_ = calls_.size() > kMaxShownCalls;
        if (is_cut_) calls_.resize(kMaxShownCalls);
        addresses_.clear();
        for (const PythonFrame& call : calls_) addresses_.push_back(call.code);
        found_ = codes_.find(addresses_);
        if (std::ranges::none_of(found_, &PythonCodes::Found::is_new)) break;
    }
    const auto doubtful = std::ranges::find_if(
        found_, [](const PythonCodes::Found& found) { return !found.code || found.is_new; });
    if (doubtful == found_.end()) return read;
    calls_.resize(static_cast<std::size_t>(doubtful - found_.begin()));
    is_cut_ = false;
    return calls_.empty() ? PythonRead::failed : PythonRead::partial;
}

void SampledPython::number_calls() {
    numbers_.clear();
    for (std::size_t i = 0; i < calls_.size(); ++i) {
        PythonCode& code = *found_[i].code;
        numbers_.push_back(writer_.frame(code, code.line_of(calls_[i].instruction)));
    }
    if (is_cut_) numbers_.push_back(writer_.frame(kDeeperCalls));
}

void SampledPython::sample_thread(const PythonThreadState& state, Nanos period) {
    PythonSample sample;
    sample.pid = pid_;
    sample.tid = state.tid;
    const std::optional<bool> holds_gil = stacks_.holds_gil(state);
    PythonRead read = read_calls(state.address);
    if (read == PythonRead::complete && calls_.empty()) return;
    const std::optional<ThreadNow> thread = watch_.look(state.tid);
    if (!thread) return;  // it has ended
    if (read != PythonRead::complete) {
        // The thread calls functions faster than they can be read. On its processor, it waits while
        // this thread runs there.
        const StayOn its_processor(thread->processor);
        read = read_calls(state.address);
    }
    sample.ticks = writer_.ticks();
    const Nanos now = monotonic_time();
    if (read == PythonRead::failed) {
        ++counts_.failed;
        return;
    }
    if (read == PythonRead::partial) ++counts_.partial;
    ++counts_.samples;
    writer_.name(pid_, state.tid, thread->name);
    if (holds_gil) sample.flags |= kSpoolKnowsGil | (*holds_gil ? kSpoolHoldsGil : 0u);
    sample.flags |= kSpoolKnowsRunning | (thread->running ? kSpoolRunning : 0u);
    const auto [last, is_first] = sampled_.try_emplace(state.tid, now);
    sample.period = is_first ? period : now - last->second;
    last->second = now;
    number_calls();
    sample.frames = numbers_;
    writer_.add(sample);
}

}  // namespace lanescope
