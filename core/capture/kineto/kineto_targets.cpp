#include "core/capture/kineto/kineto_targets.h"

#include <fmt/format.h>

#include <algorithm>

namespace lanescope {

namespace {

using std::chrono::seconds;

constexpr seconds kForgetAfter(60);  // the time that dynolog uses
// A process asks every five seconds, unless its configuration file says otherwise, and more slowly
// while it writes a large trace.
constexpr seconds kGoneAfter(60);
// The process is idle again, but has not written a file.
constexpr seconds kMaxIdle(20);
// Kineto's controller ticks once a second, and needs two ticks to start.
constexpr seconds kControllerTicks(2);
constexpr const char* kNoSteps =
    "The process began no capture: it may make no optimizer steps, so capture a duration; or its "
    "steps take longer than 2 s, and it still writes its trace";
constexpr std::size_t kMaxTargets = 1024;

// The state after the process has taken its configuration: by the clock or, with iterations, by
// what the process reports.
CaptureState state_at(const KinetoTarget& target, CaptureTime now) {
    if (target.plan.options.iterations > 0) {
        if (!target.was_busy) return CaptureState::warming_up;
        return target.is_idle ? CaptureState::writing : CaptureState::collecting;
    }
    if (now < target.begins) return CaptureState::warming_up;
    return now < target.ends ? CaptureState::collecting : CaptureState::writing;
}

}  // namespace

const char* name_of(CaptureState state) {
    switch (state) {
        case CaptureState::idle:
            return "idle";
        case CaptureState::busy:
            return "busy";
        case CaptureState::waiting:
            return "waiting";
        case CaptureState::warming_up:
            return "warming up";
        case CaptureState::collecting:
            return "collecting";
        case CaptureState::writing:
            return "writing";
        case CaptureState::complete:
            return "complete";
        case CaptureState::failed:
            return "failed";
    }
    return "";
}

KinetoTarget* KinetoTargets::target(int32_t pid) {
    const auto at = std::ranges::find(targets_, pid, &KinetoTarget::pid);
    return at == targets_.end() ? nullptr : &*at;
}

const KinetoTarget* KinetoTargets::find(int32_t pid) const {
    const auto at = std::ranges::find(targets_, pid, &KinetoTarget::pid);
    return at == targets_.end() ? nullptr : &*at;
}

std::string KinetoTargets::answer(const KinetoMessage& message, int32_t pid, CaptureTime now) {
    KinetoTarget* known = target(pid);
    if (!known) {
        if (targets_.size() >= kMaxTargets) return config_datagram("");
        known = &targets_.emplace_back();
        known->pid = known->own_pid = pid;
    }
    known->heard = now;
    if (const auto* context = std::get_if<KinetoContext>(&message)) {
        known->own_pid = context->pid;
        known->job_id = context->job_id;
        return context_datagram(static_cast<int32_t>(
            std::ranges::count(targets_, context->job_id, &KinetoTarget::job_id)));
    }
    const auto& request = std::get<KinetoRequest>(message);
    known->own_pid = request.pids.front();
    known->job_id = request.job_id;
    known->takes_activities = request.takes_activities;
    if (known->state == CaptureState::idle || known->state == CaptureState::busy)
        known->state = request.takes_activities ? CaptureState::idle : CaptureState::busy;
    note_rest(*known, now);
    // A busy process would lose the configuration.
    if (known->state != CaptureState::waiting || !request.takes_activities)
        return config_datagram("");
    std::string reply = config_datagram(known->config);
    give_config(*known, now);
    return reply;
}

void KinetoTargets::note_rest(KinetoTarget& target, CaptureTime now) {
    if (!target.takes_activities) target.was_busy = true;
    if (target.takes_activities && !target.is_idle) target.idle_since = now;
    target.is_idle = target.takes_activities;
}

void KinetoTargets::give_config(KinetoTarget& target, CaptureTime now) {
    target.config.clear();
    target.was_busy = target.is_idle = false;
    target.file = system_.file_of(target.pid, kineto_file_name(target.plan.file, target.own_pid));
    const CaptureOptions& options = target.plan.options;
    target.begins = target.plan.start != CaptureTime{} ? target.plan.start
                                                       : now + options.warm_up + kControllerTicks;
    target.ends = target.begins + options.duration;
    target.state = CaptureState::warming_up;
}

Result<void> KinetoTargets::request(int32_t pid, const CapturePlan& plan) {
    KinetoTarget* known = target(pid);
    if (!known)
        return Error{ErrorCode::usage, Error::no_offset,
                     fmt::format("Process {} has not asked for a profiling daemon", pid)};
    if (known->under_way())
        return Error{ErrorCode::usage, Error::no_offset,
                     fmt::format("Process {} is being captured already", pid)};
    Result<std::string> config = kineto_config(plan);
    if (!config) return config.error();
    known->plan = plan;
    known->config = std::move(*config);
    known->file.clear();
    known->problem.clear();
    known->state = CaptureState::waiting;
    return {};
}

void KinetoTargets::cancel(int32_t pid) {
    KinetoTarget* known = target(pid);
    if (!known || !known->under_way()) return;
    known->config.clear();
    known->state = known->takes_activities ? CaptureState::idle : CaptureState::busy;
}

void KinetoTargets::update(CaptureTime now) {
    std::erase_if(targets_, [&](const KinetoTarget& target) {
        const bool has_no_capture =
            target.state == CaptureState::idle || target.state == CaptureState::busy;
        return has_no_capture &&
               (now - target.heard > kForgetAfter || !system_.is_alive(target.pid));
    });
    for (KinetoTarget& target : targets_) {
        if (target.under_way()) follow(target, now);
    }
}

// A trace is complete when its file exists: the process renames it at the end.
void KinetoTargets::follow(KinetoTarget& target, CaptureTime now) {
    const bool taken = target.state != CaptureState::waiting;
    if (taken && system_.is_written(target.file)) {
        target.state = CaptureState::complete;
        return;
    }
    if (taken) target.state = state_at(target, now);
    const bool finished = target.plan.options.iterations > 0 || now - target.ends > kMaxIdle;
    if (!system_.is_alive(target.pid)) {
        target.problem = taken ? "The process ended before its trace was written"
                               : "The process ended before it asked for its configuration";
    } else if (now - target.heard > kGoneAfter) {
        target.problem = "The process has sent no message for a minute";
    } else if (taken && finished && target.is_idle && now - target.idle_since > kMaxIdle) {
        const bool never_began = target.plan.options.iterations > 0 && !target.was_busy;
        target.problem = never_began
                             ? kNoSteps
                             : fmt::format(
                                   "No trace appeared at {}: the process may be running its own "
                                   "profiler, or may not be "
                                   "allowed to write there; with KINETO_LOG_LEVEL=0 it prints more",
                                   target.file);
    } else {
        return;
    }
    target.state = CaptureState::failed;
}

}  // namespace lanescope
