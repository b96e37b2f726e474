// A page has one thread: jobs run when it has drawn a frame, in the order in which they were
// posted.
#include "ui/base/worker.h"

#include <set>
#include <utility>

#include "core/platform/web/later.h"

namespace lanescope {

namespace {

std::set<const Worker*>& living_workers() {
    static std::set<const Worker*> workers;
    return workers;
}

}  // namespace

Worker::Worker(std::function<void()> wake) : wake_(std::move(wake)) {
    living_workers().insert(this);
}

Worker::~Worker() {
    living_workers().erase(this);
}

void Worker::post(Job job) {
    jobs_.push_back(std::move(job));
    run_later([this] {
        if (living_workers().contains(this)) run();
    });
}

void Worker::run() {
    if (jobs_.empty()) return;
    const Job job = std::move(jobs_.front());
    jobs_.pop_front();
    running_ = true;
    finished_.push_back(job());
    running_ = false;
    wake_();
}

void Worker::finish_jobs() {
    for (const Finish& finish : std::exchange(finished_, {}))
        if (finish) finish();
}

bool Worker::idle() const {
    return jobs_.empty() && finished_.empty() && !running_;
}

}  // namespace lanescope
