#include "ui/base/jobs.h"

#include <algorithm>

namespace lanescope {

Jobs::Jobs(std::function<void()> wake)
    : queries_(wake), reading_(wake), analysis_(wake), quick_(std::move(wake)) {}

std::shared_ptr<std::atomic<bool>> Jobs::begin(const JobKey& key) {
    drop(key);
    auto wanted = std::make_shared<std::atomic<bool>>(true);
    current_[key] = wanted;
    return wanted;
}

void Jobs::drop(const JobKey& key) {
    const auto found = current_.find(key);
    if (found == current_.end()) return;
    *found->second = false;
    current_.erase(found);
}

void Jobs::drop_all_of(const void* owner) {
    std::erase_if(current_, [owner](const auto& entry) {
        if (entry.first.owner != owner) return false;
        *entry.second = false;
        return true;
    });
}

void Jobs::post_job(JobQueue queue, Worker::Job job) {
    std::size_t& open = open_[static_cast<std::size_t>(queue)];
    ++open;
    Worker& worker = queue == JobQueue::quick      ? quick_
                     : queue == JobQueue::analysis ? analysis_
                     : queue == JobQueue::reading  ? reading_
                                                   : queries_;
    worker.post([&open, job = std::move(job)]() -> Worker::Finish {
        return [&open, finish = job()] {
            --open;
            if (finish) finish();
        };
    });
}

void Jobs::take_results() {
    quick_.finish_jobs();
    analysis_.finish_jobs();
    reading_.finish_jobs();
    queries_.finish_jobs();
}

bool Jobs::idle() const {
    return std::ranges::all_of(open_, [](std::size_t open) { return open == 0; });
}

}  // namespace lanescope
