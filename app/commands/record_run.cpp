#include "app/commands/record_run.h"

#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <utility>

namespace lanescope {

namespace {

constexpr Nanos kSampleEvery = 100'000'000;
constexpr Nanos kHandOver = 500'000'000;  // CUPTI's last records arrive within this time
// Short programs end before the first samples, so environments are checked more often at first.
constexpr Nanos kCheckEvery = 20'000'000;
constexpr Nanos kChecksOften = 300'000'000;

Nanos now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

}  // namespace

void RunSamplers::stop() const {
    if (stacks) stacks->stop();
    if (python) python->stop();
}

RecordedRun::RecordedRun(SpoolRecording& recording, RunTimes times, RunSamplers samplers,
                         pid_t child)
    : recording_(recording),
      times_(times),
      samplers_(samplers),
      child_(child),
      tree_(static_cast<uint32_t>(child)) {
    if (auto nvml = Nvml::open()) nvml_ = std::move(*nvml);
}

int RecordedRun::follow(const WaitedSignals& signals) {
    begin_ = now();
    Nanos next_sample = begin_;
    while (!status_) {
        const Nanos time = now();
        follow_control(time);
        if (stopped_at_ && time - *stopped_at_ >= kHandOver) finish();
        if (time >= next_sample) {
            sample(time);
            next_sample = time + kSampleEvery;
        }
        if (!stopped_at_) unreached_.look(tree_.find(time), time);
        const Nanos next =
            time - begin_ < kChecksOften ? std::min(next_sample, time + kCheckEvery) : next_sample;
        const auto signal = signals.wait(std::max<Nanos>(next - now(), 1'000'000));
        if (signal) pass_on(*signal, child_);
        reap();
    }
    finish();
    return exit_code_of(*status_);
}

// Programs and other commands begin and pause the recording as well.
void RecordedRun::follow_control(Nanos time) {
    if (times_.delay > 0 && time - begin_ >= times_.delay) {
        times_.delay = 0;
        recording_.resume();
    }
    const SpoolControl control = recording_.control();
    if (control == kSpoolRecording && !first_recorded_) first_recorded_ = time;
    has_paused_ = has_paused_ || control == kSpoolPaused;
    const bool is_over =
        times_.duration > 0 && first_recorded_ && time - *first_recorded_ >= times_.duration;
    // A reader that follows the file may have stopped it.
    if (is_over || control == kSpoolStopped) stop();
}

void RecordedRun::stop() {
    if (stopped_at_) return;
    stopped_at_ = now();
    samplers_.stop();
    recording_.stop();
    if (isatty(STDERR_FILENO))
        fmt::print(stderr, "lanescope: recording has stopped; the program continues\n");
}

// Completes the trace, while the program may still be running.
void RecordedRun::finish() {
    if (std::exchange(finished_, true)) return;
    if (has_paused_ && has_recorded())
        recording_.add_message(kSpoolNote,
                               "recording was paused for a part of the program, so nothing is "
                               "known of that time");
    samplers_.stop();
    recording_.note_ended_writers();
    report_unreached();
    recording_.give_up_old();
    recording_.finish();
}

bool RecordedRun::has_recorded() const {
    return first_recorded_ || recording_.file().header->captures > 0;
}

void RecordedRun::report_unreached() {
    // Where something was recorded, a short helper without the variables is of no interest.
    constexpr Nanos long_enough = 1'000'000'000;
    const Nanos at_least = recording_.header().next_process > 1 ? long_enough : 0;
    const auto processes =
        unreached_.found(at_least, [&](uint32_t pid) { return recording_.wrote(pid); });
    if (processes.empty()) return;
    has_unreached_ = true;
    const UnreachedProcess& first = processes.front();
    recording_.add_message(
        kSpoolWarning,
        fmt::format(
            "{} (process {}){} started without the recorder's environment variables, as "
            "by env -i or su, and was not recorded: write \"lanescope record --wrap {} "
            "--\" before its command, or start the recorder there",
            first.name, first.pid,
            processes.size() == 1 ? " was" : fmt::format(" and {} more were", processes.size() - 1),
            recording_.file().path));
}

void RecordedRun::sample(Nanos time) {
    if (stopped_at_ || recording_.control() != kSpoolRecording) return;
    const TreeUse use = tree_.sample(time);
    const auto pid = static_cast<uint32_t>(child_);
    if (use.processes > 0 && sampled_)
        recording_.add_counter("CPU of the process tree", "%", use.cpu_percent, pid, 0);
    if (use.processes > 0)
        recording_.add_counter("resident memory of the process tree", "bytes", use.resident_bytes,
                               pid, 0);
    sampled_ = true;
    recording_.note_ended_writers();
    if (nvml_)
        nvml_->sample([&](std::string_view name, std::string_view unit, double value) {
            recording_.add_counter(name, unit, value, pid, 0);
        });
    recording_.give_up_old();
}

// Descendants whose parents have ended become our children.
void RecordedRun::reap() {
    int status = 0;
    pid_t pid = 0;
    while ((pid = waitpid(-1, &status, WNOHANG)) > 0) {
        if (!finished_) recording_.add_process_end(static_cast<uint32_t>(pid), status);
        if (pid == child_) status_ = status;
    }
    left_running_ = pid == 0;
}

}  // namespace lanescope
