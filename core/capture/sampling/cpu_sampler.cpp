#include "core/capture/sampling/cpu_sampler.h"

#include <fmt/format.h>
#include <poll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <csignal>
#include <ctime>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "core/capture/machine/machine_facts.h"
#include "core/capture/process/clock.h"
#include "core/capture/process/file_limit.h"
#include "core/capture/sampling/perf_events.h"
#include "core/capture/sampling/perf_records.h"
#include "core/capture/sampling/process_code.h"
#include "core/capture/sampling/sample_writer.h"

namespace lanescope {

namespace {

constexpr int kRoundMs = 50;
// Rings of wait stacks are read at these times only, and have little room for programs that wait
// often.
constexpr int kRoundWithWaitsMs = 20;
// The maximum time between a record's time and its arrival in the ring.
constexpr Nanos kMaxRecordDelay = 2'000'000;
// The maximum size of rounds that wait to be written, in bytes. Beyond the first one samples lose
// their copied stacks, beyond the second one samples are lost.
constexpr std::size_t kManyWaiting = std::size_t{48} << 20;
constexpr std::size_t kMaxWaiting = std::size_t{64} << 20;
// The maximum number of descriptors for poll(); with more, only the timer is used.
constexpr std::size_t kMaxPolled = 256;

// The contents of the rings, and the time up to which they are complete.
struct Round {
    std::string bytes;
    Nanos complete_to = 0;
    uint64_t lost = 0;  // samples lost for lack of memory
};

// A queue of rounds from the reading thread to the writing thread.
class Rounds {
  public:
    void put(Round round) {
        const std::lock_guard lock(mutex_);
        waiting_ += round.bytes.size();
        rounds_.push_back(std::move(round));
        changed_.notify_one();
    }
    void close() {
        const std::lock_guard lock(mutex_);
        closed_ = true;
        changed_.notify_one();
    }
    // Empty once the queue is closed and empty.
    std::optional<Round> next() {
        std::unique_lock lock(mutex_);
        changed_.wait(lock, [&] { return closed_ || !rounds_.empty(); });
        if (rounds_.empty()) return std::nullopt;
        Round round = std::move(rounds_.front());
        rounds_.pop_front();
        waiting_ -= round.bytes.size();
        return round;
    }
    std::size_t waiting() {
        const std::lock_guard lock(mutex_);
        return waiting_;
    }

  private:
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Round> rounds_;
    std::size_t waiting_ = 0;
    bool closed_ = false;
};

// Passes records to the writer in order of time. Each processor's ring is in order, but records of
// different rings are not.
class RecordSorter {
  public:
    explicit RecordSorter(SampleWriter& writer) : writer_(writer) {}

    void take(const Round& round) {
        read_perf_records(round.bytes,
                          [&](PerfRecord&& record) { pending_.push_back(std::move(record)); });
        std::ranges::stable_sort(pending_, {}, &PerfRecord::time);
        const auto late =
            std::ranges::lower_bound(pending_, round.complete_to, {}, &PerfRecord::time);
        for (auto record = pending_.begin(); record != late; ++record) writer_.take(*record);
        pending_.erase(pending_.begin(), late);
    }

  private:
    SampleWriter& writer_;
    std::vector<PerfRecord> pending_;
};

Nanos period_of(const SamplerOptions& options) {
    return kNanosPerSecond / std::clamp<uint32_t>(options.rate, 1, kMaxSampleRate);
}

Error refused(const PerfRefusal& why) {
    return {ErrorCode::io, Error::no_offset,
            fmt::format("CPU stacks are not sampled: {}. {}", why.problem, why.advice)};
}

bool is_own(pid_t pid) {
    struct stat info = {};
    return geteuid() == 0 ||
           (stat(fmt::format("/proc/{}", pid).c_str(), &info) == 0 && info.st_uid == geteuid());
}

// The recorder waits for signals, which must not be delivered to these threads.
void block_signals() {
    sigset_t all = {};
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);
}

}  // namespace

struct CpuSampler::State {
    State(PerfEvents opened, const SamplerOptions& chosen)
        : events(std::move(opened)), options(chosen), wake(eventfd(0, EFD_CLOEXEC)) {}
    ~State() {
        if (wake >= 0) close(wake);
    }
    State(const State&) = delete;
    State& operator=(const State&) = delete;

    void take_rounds();
    void write_rounds();
    void wait() const;
    Round next_round(Nanos complete_to);

    void take_running();

    PerfEvents events;
    SamplerOptions options;
    std::vector<RunningThread> running;  // that existed before the sampling
    int wake;
    std::atomic<Nanos> stopped = 0;
    std::atomic<bool> stopping = false;
    Rounds rounds;
    std::unique_ptr<SampleWriter> writer;
    std::thread taker, writing;
};

void CpuSampler::State::wait() const {
    std::vector<pollfd> waited = {{wake, POLLIN, 0}};
    const std::vector<int> fds = events.descriptors();
    // A descriptor whose processes have all ended is always ready.
    if (fds.size() < kMaxPolled)
        for (const int fd : fds) waited.push_back({fd, POLLIN, 0});
    const int time = options.off_cpu ? kRoundWithWaitsMs : kRoundMs;
    poll(waited.data(), waited.size(), time);
    if (std::ranges::any_of(waited, [](const pollfd& one) { return one.revents & POLLHUP; }))
        poll(waited.data(), 1, time);
}

// Beyond the limit, samples are dropped, but never the records of code mappings.
Round CpuSampler::State::next_round(Nanos complete_to) {
    Round round{events.take(), complete_to, 0};
    const std::size_t waiting = rounds.waiting();
    if (waiting > kManyWaiting) drop_stacks(round.bytes);
    if (waiting <= kMaxWaiting) return round;
    round.lost = drop_samples(round.bytes);
    return round;
}

void CpuSampler::State::take_rounds() {
    block_signals();
    prctl(PR_SET_NAME, "sampler");
    while (!stopping) {
        wait();
        // All events before this time are in the rings, except those still being written.
        const Nanos before = time_of_clock(CLOCK_MONOTONIC) - kMaxRecordDelay;
        rounds.put(next_round(before));
    }
    rounds.put(next_round(INT64_MAX));
    rounds.close();
}

void CpuSampler::State::write_rounds() {
    block_signals();
    prctl(PR_SET_NAME, "sample writer");
    RecordSorter sorted(*writer);
    Nanos tied = time_of_clock(CLOCK_MONOTONIC);
    writer->tie_clock();
    uint64_t lost = 0;
    while (const std::optional<Round> round = rounds.next()) {
        sorted.take(*round);
        lost += round->lost;
        if (time_of_clock(CLOCK_MONOTONIC) - tied < kNanosPerSecond) continue;
        tied = time_of_clock(CLOCK_MONOTONIC);
        writer->tie_clock();
    }
    if (options.off_cpu) writer->end_waits(stopped);
    writer->tie_clock();
    writer->name_rest();
    writer->record_lost(lost);
}

CpuSampler::CpuSampler(std::unique_ptr<State> state) : state_(std::move(state)) {}

CpuSampler::~CpuSampler() {
    stop();
}

Result<std::unique_ptr<CpuSampler>> CpuSampler::open(pid_t pid, const SamplerOptions& options) {
    PerfRefusal why;
    std::optional<PerfEvents> events =
        PerfEvents::open({{pid}, period_of(options), true, options.off_cpu}, why);
    if (!events) return refused(why);
    return std::unique_ptr<CpuSampler>(
        new CpuSampler(std::make_unique<State>(std::move(*events), options)));
}

Result<std::unique_ptr<CpuSampler>> CpuSampler::attach(pid_t pid, const SamplerOptions& options) {
    std::vector<RunningThread> running = running_threads(static_cast<uint32_t>(pid));
    if (running.empty())
        return Error{ErrorCode::usage, Error::no_offset,
                     fmt::format("there is no process {}", pid)};
    raise_file_limit();
    PerfRequest request{{}, period_of(options), false, options.off_cpu};
    for (const RunningThread& thread : running)
        request.threads.push_back(static_cast<pid_t>(thread.tid));
    PerfRefusal why;
    std::optional<PerfEvents> events = PerfEvents::open(request, why);
    if (!events && !is_own(pid))
        why = {fmt::format("process {} belongs to another user", pid),
               "Run lanescope as that user, or as root."};
    if (!events) return refused(why);
    auto state = std::make_unique<State>(std::move(*events), options);
    state->running = std::move(running);
    return std::unique_ptr<CpuSampler>(new CpuSampler(std::move(state)));
}

// Creates the records of mappings and names that the kernel would have written if the recording had
// begun before the processes. The kernel already records new mappings when this function reads the
// existing ones, so no mapping is missed.
void CpuSampler::State::take_running() {
    const Nanos now = time_of_clock(CLOCK_MONOTONIC);
    // A thread may have stopped running before the events were enabled, but after it was listed.
    running = running_threads(running.front().pid);
    std::set<uint32_t> known;
    for (const RunningThread& thread : running) {
        if (known.insert(thread.pid).second)
            for (const PerfRecord& mapping : code_of_process(thread.pid)) writer->take(mapping);
        PerfRecord name;
        name.kind = PerfKind::name;
        name.pid = thread.pid;
        name.tid = thread.tid;
        name.text = thread.name;
        writer->take(name);
        if (options.off_cpu && !thread.is_running) writer->add_waiting(thread.pid, thread.tid, now);
    }
}

void CpuSampler::start(const SpoolFile& file) {
    state_->writer = std::make_unique<SampleWriter>(file, period_of(state_->options),
                                                    state_->options.shortest_wait);
    if (!state_->running.empty()) {
        state_->events.enable();
        state_->take_running();
    }
    state_->taker = std::thread([this] { state_->take_rounds(); });
    state_->writing = std::thread([this] { state_->write_rounds(); });
}

void CpuSampler::stop() {
    if (!state_->taker.joinable()) return;
    state_->events.disable();
    state_->stopped = time_of_clock(CLOCK_MONOTONIC);
    state_->stopping = true;
    const uint64_t one = 1;
    if (write(state_->wake, &one, sizeof one) < 0) state_->stopping = true;  // it looks again soon
    state_->taker.join();
    state_->writing.join();
    state_->writer->seal();
}

uint64_t CpuSampler::samples() const {
    return state_->writer ? state_->writer->samples() : 0;
}

uint64_t CpuSampler::waits() const {
    return state_->writer ? state_->writer->waits() : 0;
}

bool CpuSampler::sees_wait_stacks() const {
    return state_->events.sees_wait_stacks();
}

uint64_t CpuSampler::lost() const {
    return state_->writer ? state_->writer->lost() : 0;
}

bool CpuSampler::sees_kernel_time() const {
    return state_->events.sees_kernel_time();
}

SamplingFacts sampling_facts() {
    PerfRefusal why;
    const std::optional<PerfEvents> events =
        PerfEvents::open({{0}, kNanosPerSecond / kUsualSampleRate, true, false}, why);
    SamplingFacts facts;
    facts.works = events.has_value();
    facts.sees_kernel_time = events && events->sees_kernel_time();
    facts.names_functions = CodeSymbols::available();
    facts.problem = why.problem;
    facts.advice = why.advice;
    return facts;
}

}  // namespace lanescope
