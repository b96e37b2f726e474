#include "core/base/threads.h"

#include <pthread.h>
#include <sched.h>

#include <system_error>
#include <thread>
#include <vector>

namespace lanescope {

namespace {

// The cores that a group of threads may use, dealt out among them. Kernels often wake a thread on
// the core of whoever wakes it, though another is idle (seen in virtual machines above all), and
// those that hand work to each other then share one core for milliseconds.
class Cores {
  public:
    explicit Cores(unsigned threads) : threads_(threads), around_(of_group_) {
        if (threads < 2 || sched_getaffinity(0, sizeof own_, &own_) != 0) return;
        if (around_) return;  // all have their share already: more threads go where there is room
        const int here = sched_getcpu();
        for (int core = 0; core < CPU_SETSIZE; ++core) {
            if (!CPU_ISSET(core, &own_)) continue;
            if (core == here) first_ = cores_.size();
            cores_.push_back(core);
        }
        enough_ = cores_.size() >= threads;
    }

    // `thread` keeps to its share from now on. The first, which is the calling one, has the core
    // that it is on.
    void deal_out(unsigned number, pthread_t thread) const {
        cpu_set_t share;
        CPU_ZERO(&share);
        if (around_ && number > 0)
            share = around_->own_;
        else if (enough_)
            for (std::size_t i = number; i < cores_.size(); i += threads_)
                CPU_SET(cores_[(first_ + i) % cores_.size()], &share);
        else
            return;
        (void)pthread_setaffinity_np(thread, sizeof share, &share);  // a refusal costs time only
    }

    // The calling thread works in this group, or on in the one around it.
    void enter() const {
        if (threads_ > 1) of_group_ = around_ ? around_ : this;
    }

    // The first thread is as it was before.
    void leave() const {
        of_group_ = around_;
        if (enough_) (void)sched_setaffinity(0, sizeof own_, &own_);
    }

  private:
    static thread_local const Cores* of_group_;

    std::size_t threads_;
    const Cores* around_;  // of the group that the first thread works in already; none: null
    cpu_set_t own_{};
    std::vector<int> cores_;
    std::size_t first_ = 0;
    bool enough_ = false;
};

thread_local const Cores* Cores::of_group_ = nullptr;

}  // namespace

void on_threads(unsigned threads, const std::function<void(unsigned)>& work) {
    const Cores cores(threads);
    std::vector<std::thread> others;
    others.reserve(threads);
    const auto run = [&](unsigned number) {
        cores.enter();
        work(number);
    };
    try {
        for (unsigned i = 1; i < threads; ++i) {
            others.emplace_back(run, i);
            cores.deal_out(i, others.back().native_handle());
        }
    } catch (const std::system_error&) {  // NOLINT(bugprone-empty-catch): goes on with fewer
    }
    cores.deal_out(0, pthread_self());
    run(0);
    cores.leave();
    for (std::thread& other : others) other.join();
}

}  // namespace lanescope
