#include "app/commands/record_attached.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <optional>

#include "core/capture/process/process_facts.h"
#include "core/capture/process/process_tree.h"

namespace lanescope {

namespace {

constexpr Nanos kAttachedEvery = 100'000'000;

Nanos time_now() {
    return std::chrono::duration_cast<std::chrono::nanoseconds>(
               std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

void add_use(SpoolRecording& recording, const TreeUse& use, uint32_t pid, bool is_first) {
    if (use.processes == 0) return;
    if (!is_first) recording.add_counter("CPU of the process tree", "%", use.cpu_percent, pid, 0);
    recording.add_counter("resident memory of the process tree", "bytes", use.resident_bytes, pid,
                          0);
}

}  // namespace

Result<AttachedProcess> AttachedProcess::find(uint32_t pid) {
    const auto facts = pid > INT32_MAX ? std::nullopt : facts_of_process(static_cast<int32_t>(pid));
    if (!facts || !is_alive(static_cast<int32_t>(pid)))
        return Error{ErrorCode::usage, Error::no_offset,
                     fmt::format("there is no process {}", pid)};
    AttachedProcess process;
    process.pid = static_cast<pid_t>(pid);
    process.command = facts->command;
    const std::string program = process.command.substr(0, process.command.find(' '));
    process.name = std::filesystem::path(program).filename().string();
    if (process.name.empty()) process.name = fmt::format("process-{}", pid);
    return process;
}

void record_attached(SpoolRecording& recording, RunSamplers samplers,
                     const AttachedProcess& process, Nanos duration, const WaitedSignals& signals) {
    const auto pid = static_cast<uint32_t>(process.pid);
    recording.record();
    recording.add_process(pid, process.name, process.command);
    samplers.stacks->start(recording.file());
    ProcessTree tree(pid);
    const Nanos begin = time_now();
    Nanos next = begin;
    bool is_first = true;
    while (is_alive(process.pid) && recording.control() != kSpoolStopped) {
        const Nanos time = time_now();
        if (duration > 0 && time - begin >= duration) break;
        if (time >= next) {
            if (recording.control() == kSpoolRecording)
                add_use(recording, tree.sample(time), pid, is_first);
            is_first = false;
            recording.give_up_old();
            next = time + kAttachedEvery;
        }
        const Nanos until = duration > 0 ? std::min(next, begin + duration) : next;
        const auto signal = signals.wait(std::max<Nanos>(until - time_now(), 1'000'000));
        if (signal && signal->si_signo != SIGCHLD) break;
    }
    samplers.stop();
    if (!is_alive(process.pid)) recording.add_process_end(pid, -1);
    recording.give_up_old();
    recording.finish();
}

}  // namespace lanescope
