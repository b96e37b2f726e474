#include "core/capture/python/python_sampler.h"

#include <fmt/format.h>
#include <sched.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <csignal>
#include <filesystem>
#include <map>
#include <mutex>
#include <random>
#include <set>
#include <string>
#include <thread>

#include "core/capture/process/file_limit.h"
#include "core/capture/process/process_tree.h"
#include "core/capture/python/python_sampled.h"

namespace lanescope {

namespace {

using Clock = std::chrono::steady_clock;

constexpr Nanos kNanosOfSecond = 1'000'000'000;
constexpr Nanos kLookForProcesses = 150'000'000;
// Programs that load Python later are found by looking again, less and less often.
constexpr Nanos kLookAgainAtFirst = 50'000'000;
constexpr Nanos kLookAgainAtMost = 2'000'000'000;
constexpr std::size_t kMaxPythons = 1024;
// So many failures without a success mean that the layout is another one.
constexpr uint64_t kFailuresOfOtherLayout = 50;

Nanos steady_now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now().time_since_epoch())
        .count();
}

std::string executable_of(uint32_t pid) {
    std::error_code failed;
    return std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), failed).string();
}

// Where the sampler shares a processor with the program, Linux 6.12 and later let it run at once if
// it asks for short turns. Otherwise it may wait until the program enters the kernel, and samples
// would favour such places.
void ask_for_short_turns() {
    constexpr uint64_t shortest_turn_ns = 100'000;
    struct {
        uint32_t size, policy;
        uint64_t flags;
        int32_t nice;
        uint32_t priority;
        uint64_t runtime, deadline, period;
    } attributes = {48, SCHED_OTHER, 0, 0, 0, shortest_turn_ns, 0, 0};  // sched_attr of sched(7)
    errno = 0;
    attributes.nice = getpriority(PRIO_PROCESS, 0);
    if (errno == 0) syscall(SYS_sched_setattr, 0, &attributes, 0);
}

}  // namespace

struct PythonSampler::State {
    // A process of the tree, with or without Python.
    struct Process {
        explicit Process(uint32_t id) : pid(id), memory(static_cast<pid_t>(id)) {}

        uint32_t pid;
        ProcessMemory memory;
        std::string executable;
        Nanos next_look = 0;
        Nanos look_delay = kLookAgainAtFirst;
        std::unique_ptr<SampledPython> python;
    };

    State(const SpoolFile& file, pid_t root, uint32_t rate)
        : writer(file),
          tree(static_cast<uint32_t>(root), kLookForProcesses),
          period(kNanosOfSecond / std::clamp<uint32_t>(rate, 1, kMaxPythonRate)) {
        raise_file_limit();
    }

    void run();
    void find_processes(Nanos now);
    void look_at(Process& process, Nanos now);
    void report(const Process& process, const PythonSearch& search);
    void report_once(const std::string& text);
    void end(Process& process);
    void sample_all(Nanos now);
    bool wait_until(Nanos time);

    PythonWriter writer;
    ProcessTree tree;
    Nanos period;
    Nanos found_processes = 0;
    PythonFinder finder;
    std::map<uint32_t, std::unique_ptr<Process>> processes;
    std::set<std::string> reported;
    PythonSampleCounts counts;
    std::mutex mutex;
    std::condition_variable changed;
    bool stopping = false;
    std::thread thread;
};

void PythonSampler::State::report_once(const std::string& text) {
    if (reported.insert(text).second) writer.add_message(kSpoolWarning, text);
}

void PythonSampler::State::report(const Process& process, const PythonSearch& search) {
    const std::string version = python_version_text(search.target.version);
    switch (search.finding) {
        case PythonFinding::refused:
            report_once(
                "Python functions are not sampled: the kernel does not let this user read the "
                "memory of the program. Set kernel.yama.ptrace_scope to 1 or less; in a "
                "container, allow process_vm_readv in its seccomp profile, or give it "
                "CAP_SYS_PTRACE");
            return;
        case PythonFinding::unsupported:
            report_once(fmt::format(
                "Python functions of {} (process {}) are not sampled: it is Python {}, and the "
                "layouts of 3.11 to 3.14 are known",
                process.executable, process.pid,
                !search.has_version          ? "3.10 or older"
                : search.target.version == 0 ? "without the symbols of its types"
                                             : version));
            return;
        case PythonFinding::unavailable:
            report_once(
                "Python functions are not sampled: Lanescope was built without support for "
                "symbol tables (LANESCOPE_SYMBOLS)");
            return;
        case PythonFinding::none:
        case PythonFinding::found:
            return;
    }
}

void PythonSampler::State::end(Process& process) {
    if (!process.python) return;
    const PythonSampleCounts& ended = process.python->counts();
    counts.samples += ended.samples;
    counts.partial += ended.partial;
    counts.failed += ended.failed;
    if (ended.samples == 0 && ended.failed >= kFailuresOfOtherLayout)
        report_once(
            fmt::format("Python functions of {} (process {}) are not sampled: its stacks do not "
                        "have the layout of its version; is it a debug build?",
                        process.executable, process.pid));
    process.python.reset();
}

void PythonSampler::State::look_at(Process& process, Nanos now) {
    std::string executable = executable_of(process.pid);
    const bool is_other = executable != process.executable;
    if (process.python && (is_other || !process.python->is_there())) end(process);
    if (is_other) {
        process.executable = std::move(executable);
        process.look_delay = kLookAgainAtFirst;
        process.next_look = now;
    }
    if (process.python || now < process.next_look) return;
    process.next_look = now + process.look_delay;
    process.look_delay = std::min(2 * process.look_delay, kLookAgainAtMost);
    const PythonSearch search = finder.look(process.pid, process.memory);
    report(process, search);
    if (search.finding == PythonFinding::found)
        process.python =
            std::make_unique<SampledPython>(process.pid, process.memory, search.target, writer);
}

void PythonSampler::State::find_processes(Nanos now) {
    const std::span<const uint32_t> pids = tree.find(now);
    std::erase_if(processes, [&](auto& known) {
        if (std::ranges::find(pids, known.first) != pids.end()) return false;
        end(*known.second);
        return true;
    });
    for (const uint32_t pid : pids) {
        if (processes.size() >= kMaxPythons) break;
        std::unique_ptr<Process>& process = processes[pid];
        if (!process) process = std::make_unique<Process>(pid);
        look_at(*process, now);
    }
}

void PythonSampler::State::sample_all(Nanos now) {
    if (!writer.is_recording()) return;
    for (auto& [pid, process] : processes)
        if (process->python) process->python->sample(period);
    if (now - found_processes < std::min(period * 2, kLookForProcesses)) return;
    found_processes = now;
    find_processes(now);
}

// False if the sampler stops.
bool PythonSampler::State::wait_until(Nanos time) {
    std::unique_lock lock(mutex);
    const Clock::time_point until{std::chrono::nanoseconds(time)};
    return !changed.wait_until(lock, until, [&] { return stopping; });
}

void PythonSampler::State::run() {
    sigset_t all = {};
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, nullptr);  // the recorder waits for signals
    prctl(PR_SET_NAME, "python sampler");
    ask_for_short_turns();
    // Times vary at random, so that samples do not stay in step with periodic work.
    std::minstd_rand random;
    std::uniform_int_distribution<Nanos> vary(-period / 4, period / 4);
    Nanos begin = steady_now();
    do {
        const Nanos now = steady_now();
        sample_all(now);
        const Nanos end = steady_now();
        // The sampler takes at most half of a processor, however many threads there are.
        begin = std::max({begin + period, now, end + (end - now) - period / 4});
    } while (wait_until(begin + vary(random)));
    for (auto& [pid, process] : processes) this->end(*process);
    if (counts.failed > 0)
        writer.add_message(
            kSpoolNote,
            fmt::format("{} samples of Python stacks were left out, since the stacks changed while "
                        "they were read; {} were taken, {} of them without the innermost functions",
                        counts.failed, counts.samples, counts.partial));
    writer.seal();
}

PythonSampler::PythonSampler(const SpoolFile& file, pid_t root, uint32_t rate)
    : state_(std::make_unique<State>(file, root, rate)) {
    state_->thread = std::thread([this] { state_->run(); });
}

PythonSampler::~PythonSampler() {
    stop();
}

void PythonSampler::stop() {
    if (!state_->thread.joinable()) return;
    {
        const std::lock_guard lock(state_->mutex);
        state_->stopping = true;
    }
    state_->changed.notify_all();
    state_->thread.join();
}

PythonSampleCounts PythonSampler::counts() const {
    return state_->counts;
}

}  // namespace lanescope
