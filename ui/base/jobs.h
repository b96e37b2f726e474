// Jobs: work that would block a frame. It runs on background threads; results are taken on the
// window's thread, and only while they are still wanted.
#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>

#include "ui/base/worker.h"

namespace lanescope {

// The purpose of a job. The owner is an address, for example of a trace: when a JobOwner is
// destroyed, the results of jobs with its address are dropped.
struct JobKey {
    const void* owner = nullptr;
    std::string what;
    friend auto operator<=>(const JobKey&, const JobKey&) = default;
};

// Each queue is a thread, and runs its jobs in order.
enum class JobQueue {
    quick,     // short work, which the next frames wait for
    analysis,  // tables and models: up to seconds
    reading,   // reads a whole file again
    queries,   // SQL, for as long as the user lets a query run
};

// All functions belong to the window's thread.
class Jobs {
  public:
    // Threads of jobs call `wake` when a result can be taken.
    explicit Jobs(std::function<void()> wake);

    // Runs `work` in the background, and passes its result to `take`. A request of the same key
    // replaces an earlier one: its work does not begin, or its result is dropped.
    template <class Work, class Take>
    void ask(const JobKey& key, Work work, Take take, JobQueue queue = JobQueue::quick) {
        std::shared_ptr<std::atomic<bool>> wanted = begin(key);
        post(queue, [this, key, wanted, work = std::move(work), take = std::move(take)]() mutable {
            if (!*wanted) return Worker::Finish();
            auto result = std::make_shared<decltype(work())>(work());
            return Worker::Finish([this, key, wanted, result, take = std::move(take)]() mutable {
                if (!*wanted) return;
                current_.erase(key);
                take(std::move(*result));
            });
        });
    }
    // Runs work that nothing replaces and nobody can drop, such as saving a file.
    template <class Work, class Take>
    void run(Work work, Take take, JobQueue queue = JobQueue::quick) {
        post(queue, [work = std::move(work), take = std::move(take)]() mutable {
            auto result = std::make_shared<decltype(work())>(work());
            return Worker::Finish(
                [result, take = std::move(take)]() mutable { take(std::move(*result)); });
        });
    }
    // Destroys an object in the background, because its destructor waits.
    template <class T>
    void destroy(std::shared_ptr<T> object) {
        post(JobQueue::quick, [object = std::move(object)]() mutable {
            object.reset();
            return Worker::Finish();
        });
    }

    // Whether a result was requested that was neither taken nor dropped yet.
    bool busy(const JobKey& key) const { return current_.contains(key); }
    void drop(const JobKey& key);
    void drop_all_of(const void* owner);

    // Passes finished results to the code that requested them. Call it once a frame.
    void take_results();
    // No work is waiting or running, and every result was taken or dropped.
    bool idle() const;
    bool idle(JobQueue queue) const { return open_[static_cast<std::size_t>(queue)] == 0; }

  private:
    std::shared_ptr<std::atomic<bool>> begin(const JobKey& key);
    // std::function requires a copyable function, so a function that can only be moved is shared.
    template <class Job>
    void post(JobQueue queue, Job job) {
        auto shared = std::make_shared<Job>(std::move(job));
        post_job(queue, [shared] { return (*shared)(); });
    }
    void post_job(JobQueue queue, Worker::Job job);

    static constexpr std::size_t kQueues = 4;
    std::map<JobKey, std::shared_ptr<std::atomic<bool>>> current_;  // false: dropped
    std::size_t open_[kQueues] = {};  // jobs whose ends are not yet taken, by queue
    Worker queries_;                  // the last members: their jobs use all others
    Worker reading_;
    Worker analysis_;
    Worker quick_;
};

// When it is destroyed, drops the results that were requested under its address.
class JobOwner {
  public:
    explicit JobOwner(Jobs& jobs) : jobs_(&jobs) {}
    JobOwner(const JobOwner&) = delete;
    JobOwner& operator=(const JobOwner&) = delete;
    ~JobOwner() { jobs_->drop_all_of(this); }
    Jobs& jobs() const { return *jobs_; }
    JobKey key(std::string what) const { return {this, std::move(what)}; }

  private:
    Jobs* jobs_;
};

// Holds one result for a part of the window that lives as long as the window's jobs.
class JobSlot {
  public:
    JobSlot() = default;
    JobSlot(const JobSlot&) = delete;
    JobSlot& operator=(const JobSlot&) = delete;

    template <class Work, class Take>
    void ask(Jobs& jobs, Work work, Take take, JobQueue queue = JobQueue::quick) {
        jobs_ = &jobs;
        jobs.ask({this, {}}, std::move(work), std::move(take), queue);
    }
    bool busy() const { return jobs_ && jobs_->busy({this, {}}); }
    void drop() {
        if (jobs_) jobs_->drop({this, {}});
    }

  private:
    Jobs* jobs_ = nullptr;  // set by the first request
};

}  // namespace lanescope
