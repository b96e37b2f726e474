#include "core/capture/kineto/attach.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <random>

#include "core/capture/kineto/dynolog_client.h"
#include "core/capture/kineto/kineto_daemon.h"
#include "core/capture/process/process_facts.h"

namespace lanescope {

namespace {

using std::chrono::seconds;

// A process asks every five seconds; its profiler then needs two seconds to start.
constexpr seconds kUntilAllHaveAsked(7);
// dynolog does not report progress: nothing is known until the trace file exists.
constexpr seconds kWritesAtMost(60);

uint64_t new_trace_id() {
    std::random_device random;
    return (uint64_t{random()} << 31) ^ random();
}

CapturePlan plan_for(const CaptureOptions& options, uint64_t id, const std::string& folder) {
    CapturePlan plan;
    plan.options = options;
    plan.file = fmt::format("{}/lanescope_{:x}.json", folder.empty() ? "/tmp" : folder, id);
    plan.trace_id = id;
    return plan;
}

Error failed(std::string text) {
    return {ErrorCode::io, Error::no_offset, std::move(text)};
}

}  // namespace

const char* const kHowToStart =
    "Start it with KINETO_USE_DAEMON=1 in its environment (PyTorch 2 on Linux); in a container, "
    "with the host's network, or with KINETO_IPC_SOCKET_DIR on both sides.";

Result<void> begin_captures(KinetoTargets& targets, std::span<const int32_t> pids,
                            const CaptureOptions& options, CaptureTime now) {
    const uint64_t id = new_trace_id();
    for (const int32_t pid : pids) {
        CapturePlan plan =
            plan_for(options, id, facts_of_process(pid).value_or(ProcessFacts{}).trace_folder);
        if (pids.size() > 1) plan.start = now + options.warm_up + kUntilAllHaveAsked;
        const Result<void> requested = targets.request(pid, plan);
        if (!requested) return requested.error();
    }
    return {};
}

bool any_under_way(const KinetoTargets& targets, std::span<const int32_t> pids) {
    return std::ranges::any_of(pids, [&](int32_t pid) {
        const KinetoTarget* target = targets.find(pid);
        return target && target->under_way();
    });
}

Result<std::vector<KinetoTarget>> begin_by_dynolog(uint16_t port, const std::vector<int32_t>& pids,
                                                   const CaptureOptions& options, CaptureTime now) {
    const CapturePlan plan = plan_for(options, new_trace_id(), "");
    const Result<std::string> config = kineto_config(plan);
    if (!config) return config.error();
    const Result<DynologReply> reply = request_by_dynolog(port, *config, pids);
    if (!reply) return reply.error();
    if (reply->triggered.empty())
        return failed(
            fmt::format("dynolog knows {} of these processes, {} are busy, and started none",
                        reply->matched.size(), reply->busy));
    std::vector<KinetoTarget> targets;
    for (const int32_t pid : reply->triggered) {
        KinetoTarget& target = targets.emplace_back();
        target.pid = target.own_pid = pid;
        target.plan = plan;
        target.file = file_of_process(pid, kineto_file_name(plan.file, pid));
        target.begins = now + kUntilAllHaveAsked + options.warm_up;
        target.ends = target.begins + options.duration;
        target.state = CaptureState::waiting;
    }
    return targets;
}

void follow_by_file(KinetoTarget& target, CaptureTime now) {
    if (!target.under_way()) return;
    struct stat facts {};
    if (lstat(target.file.c_str(), &facts) == 0 && S_ISREG(facts.st_mode)) {
        target.state = CaptureState::complete;
    } else if (!is_alive(target.pid)) {
        target.state = CaptureState::failed;
        target.problem = "The process ended before its trace was written";
    } else if (now > target.ends + kWritesAtMost) {
        target.state = CaptureState::failed;
        target.problem = "No trace appeared at " + target.file;
    } else if (now >= target.begins) {
        target.state = now < target.ends ? CaptureState::collecting : CaptureState::writing;
    }
}

std::string trace_name(const std::string& requested, int32_t pid, bool several) {
    if (requested.empty()) return fmt::format("trace_{}.json", pid);
    if (!several) return requested;
    const std::string named = kineto_file_name(requested, pid);
    return named != requested ? named : fmt::format("{}_{}", requested, pid);
}

Result<void> check_trace_folder(const std::string& requested) {
    const std::size_t slash = requested.rfind('/');
    const std::string folder = slash == std::string::npos ? "." : requested.substr(0, slash + 1);
    struct stat facts {};
    if (stat(folder.c_str(), &facts) != 0 || !S_ISDIR(facts.st_mode))
        return failed(fmt::format("{}: there is no folder {}", requested, folder));
    if (access(folder.c_str(), W_OK | X_OK) != 0)
        return failed(fmt::format("{}: files cannot be written to this folder", folder));
    if (stat(requested.c_str(), &facts) == 0 && S_ISDIR(facts.st_mode))
        return failed(requested + " is a folder");
    return {};
}

CaptureOutcome take_capture(const KinetoTarget& target, const std::string& name,
                            const MoveTrace& move) {
    CaptureOutcome outcome{target.pid, name_of(target.state), "", target.problem};
    if (target.state != CaptureState::complete) {
        if (target.under_way() && target.state != CaptureState::waiting)
            outcome.problem =
                fmt::format("Interrupted; the process may still write {}", target.file);
        return outcome;
    }
    if (!has_work(target.file)) {
        unlink(target.file.c_str());
        outcome.state = kUnused;
        outcome.problem = "The process recorded nothing, as a launcher of other processes does";
        return outcome;
    }
    const Result<void> taken = move(target.file, name);
    if (taken) {
        outcome.file = name;
    } else {
        outcome.state = name_of(CaptureState::failed);
        outcome.problem =
            fmt::format("{}; the trace remains at {}", taken.error().text, target.file);
    }
    return outcome;
}

CaptureOutcome take_capture(const KinetoTarget& target, const std::string& name) {
    return take_capture(target, name, [](const std::string& from, const std::string& to) {
        return take_trace(from, to);
    });
}

}  // namespace lanescope
