// Follows a recording that a program still writes: publishes snapshots, then loads the whole.
#include "core/session/document_state.h"

namespace lanescope {

namespace {

using Clock = std::chrono::steady_clock;

constexpr auto kFollowEvery = std::chrono::milliseconds(100);
// Programs may still write to a spool for this long after its recorder is gone.
constexpr auto kGoneAfter = std::chrono::seconds(3);

}  // namespace

bool Document::State::grows() const {
    return is_growing_spool(files.front()->part.path);
}

void Document::State::follow() {
    if (!wait_for_file() || !grows()) return end_following(Result<void>());
    auto follower =
        SpoolFollower::open(files.front()->part.path, SpoolFollower::usual_memory_cap());
    if (!follower) return finish(follower.error());
    end_following(follow_to_end(**follower));
}

bool Document::State::wait_for_file() {
    std::unique_lock lock(mutex);
    while (waits && !cancelled()) {
        lock.unlock();
        const bool exists = is_spool_file(files.front()->part.path);
        lock.lock();
        if (exists) return true;
        rest(lock);
    }
    return !cancelled();
}

void Document::State::rest(std::unique_lock<std::mutex>& lock) {
    steered.wait_for(lock, kFollowEvery, [&] { return cancelled() || control >= 0; });
}

Result<void> Document::State::follow_to_end(SpoolFollower& follower) {
    Clock::time_point last_new = Clock::now();
    for (;;) {
        const Result<TracePtr> snapshot = follower.step();
        if (!snapshot) return snapshot.error();
        const FollowStatus status = follower.status();
        {
            const std::scoped_lock lock(mutex);
            following = status;
            if (*snapshot) trace = *snapshot;
        }
        if (*snapshot) last_new = Clock::now();
        files.front()->progress.events =
            *snapshot ? (*snapshot)->facts.events : files.front()->progress.events.load();
        wake();
        if (status.complete || cancelled()) return {};
        if (status.recorder_gone && Clock::now() - last_new > kGoneAfter) return {};
        std::unique_lock lock(mutex);
        rest(lock);
        lock.unlock();
        carry_out_control();
    }
}

void Document::State::carry_out_control() {
    const int wanted = control.exchange(-1);
    if (wanted < 0) return;
    const Result<void> done =
        control_spool(files.front()->part.path, static_cast<SpoolControl>(wanted));
    if (done) return;
    const std::scoped_lock lock(mutex);
    follow_problem = done.error();
}

void Document::State::end_following(const Result<void>& ended) {
    TracePtr so_far;
    {
        const std::scoped_lock lock(mutex);
        following.reset();
        began = Clock::now();  // of the load of the whole
        if (!ended) follow_problem = ended.error();
        so_far = trace;
    }
    {
        const std::scoped_lock lock(reader_mutex);
        readers.clear();
    }
    if (ended && !cancelled()) return finish(read(*files.front(), nullptr, {}));
    if (so_far) return finish(so_far);
    finish(ended ? Error{ErrorCode::cancelled, Error::no_offset,
                         files.front()->part.path + ": nothing was recorded yet."}
                 : ended.error());
}

}  // namespace lanescope
