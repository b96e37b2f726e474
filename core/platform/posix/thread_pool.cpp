#include "core/base/thread_pool.h"

#include <algorithm>
#include <system_error>
#include <utility>

#if defined(__x86_64__) || defined(__i386__)
#include <immintrin.h>
#endif

namespace lanescope {

namespace {

// About 20 µs, which is what it costs to be woken.
constexpr int kSpins = 500;

void pause() {
#if defined(__x86_64__) || defined(__i386__)
    _mm_pause();
#endif
}

}  // namespace

void Task::State::run() {
    try {
        work(stop.get_token());
    } catch (...) {
        thrown = std::current_exception();
    }
    work = nullptr;  // frees the captures before anyone learns that the task has ended
    done = true;
    done.notify_all();
}

void Task::request_stop() {
    if (state_) state_->stop.request_stop();
}

bool Task::is_done() const {
    return !state_ || state_->done;
}

void Task::wait() {
    if (!state_) return;
    state_->done.wait(false);
    if (state_->thrown) std::rethrow_exception(std::exchange(state_->thrown, nullptr));
}

void Task::end() {
    if (!state_) return;
    state_->stop.request_stop();
    state_->done.wait(false);
}

ThreadPool::~ThreadPool() {
    {
        const std::scoped_lock lock(mutex_);
        ending_ = true;
    }
    work_.notify_all();
    for (std::thread& thread : threads_) thread.join();
}

Task ThreadPool::submit(std::function<void(std::stop_token)> work) {
    auto state = std::make_shared<Task::State>();
    state->work = std::move(work);
    std::unique_lock lock(mutex_);
    if (idle_ > tasks_.size() || start_thread()) {
        tasks_.push_back(state);
        lock.unlock();
        work_.notify_one();
    } else {
        lock.unlock();
        state->run();
    }
    return Task(std::move(state));
}

void ThreadPool::run(Loop& loop, unsigned workers) {
    const auto helpers =
        static_cast<unsigned>(std::min<std::size_t>(workers, loop.count)) - (loop.count > 0);
    if (workers < 2 || helpers == 0) {
        for (std::size_t i = 0; i < loop.count; ++i) loop.call(loop.work, i);
        return;
    }
    loop.limit = std::max(cores_, workers) - 1;
    offer(loop, helpers);
    run_calls(loop);
    withdraw(loop);
    if (loop.thrown) std::rethrow_exception(loop.thrown);
}

void ThreadPool::run_calls(Loop& loop) {
    try {
        for (std::size_t i = loop.next.fetch_add(1); i < loop.count; i = loop.next.fetch_add(1))
            loop.call(loop.work, i);
    } catch (...) {
        loop.next = loop.count;
        const std::scoped_lock lock(mutex_);
        if (!loop.thrown) loop.thrown = std::current_exception();
    }
}

void ThreadPool::offer(Loop& loop, unsigned helpers) {
    {
        const std::scoped_lock lock(mutex_);
        loop.wanted = helpers;
        loop.older = std::exchange(newest_, &loop);
        helpers = std::min(helpers, loop.limit - std::min(loop.limit, helpers_));
        while (idle_ < tasks_.size() + helpers && start_thread()) {
        }
    }
    for (; helpers > 0; --helpers) work_.notify_one();
}

// No helper joins from now on, and all helpers that joined have left when this returns.
void ThreadPool::withdraw(Loop& loop) {
    {
        const std::scoped_lock lock(mutex_);
        Loop** at = &newest_;
        while (*at != &loop) at = &(*at)->older;
        *at = loop.older;
    }
    // All helpers have come to the end of the same loop, so this usually takes microseconds.
    for (int i = 0; i < kSpins && loop.joined > 0; ++i) pause();
    std::unique_lock lock(mutex_);
    left_loop_.wait(lock, [&] { return loop.joined == 0; });
}

void ThreadPool::help(Loop& loop, std::unique_lock<std::mutex>& lock) {
    --loop.wanted;
    ++loop.joined;
    ++helpers_;
    lock.unlock();
    run_calls(loop);
    lock.lock();
    --helpers_;
    if (--loop.joined == 0)
        left_loop_.notify_all();  // the loop may no longer exist once the mutex is unlocked
}

ThreadPool::Loop* ThreadPool::joinable_loop() const {
    Loop* loop = newest_;
    while (loop && (loop->wanted == 0 || helpers_ >= loop->limit || loop->next >= loop->count))
        loop = loop->older;
    return loop;
}

// Returns false if the system refuses a thread. The caller holds the mutex.
bool ThreadPool::start_thread() {
    try {
        threads_.reserve(threads_.size() + 1);
        threads_.emplace_back([this] { run_thread(); });
    } catch (const std::system_error&) {
        return false;
    }
    ++idle_;
    return true;
}

void ThreadPool::run_thread() {
    std::unique_lock lock(mutex_);
    for (;;) {
        Loop* loop = nullptr;
        work_.wait(lock, [&] {
            loop = tasks_.empty() ? joinable_loop() : nullptr;
            return loop || !tasks_.empty() || ending_;
        });
        if (tasks_.empty() && !loop) return;
        --idle_;
        if (loop) {
            help(*loop, lock);
        } else {
            const std::shared_ptr<Task::State> task = std::move(tasks_.front());
            tasks_.pop_front();
            lock.unlock();
            task->run();
            lock.lock();
        }
        ++idle_;
    }
}

}  // namespace lanescope
