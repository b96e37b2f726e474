// A page's program has one thread: loops run their calls one after the other, and tasks wait until
// the page has drawn.
#include "core/base/thread_pool.h"

#include <utility>

#include "core/base/parallel.h"
#include "core/platform/web/later.h"

namespace lanescope {

void Task::State::run() {
    if (done) return;
    try {
        std::exchange(work, nullptr)(stop.get_token());
    } catch (...) {
        thrown = std::current_exception();
    }
    done = true;
}

void Task::request_stop() {
    if (state_) state_->stop.request_stop();
}

bool Task::is_done() const {
    return !state_ || state_->done;
}

void Task::wait() {
    if (!state_) return;
    state_->run();
    if (state_->thrown) std::rethrow_exception(std::exchange(state_->thrown, nullptr));
}

// Work that has not begun is dropped with its captures.
void Task::end() {
    if (!state_) return;
    state_->stop.request_stop();
    state_->work = nullptr;
    state_->done = true;
}

ThreadPool::~ThreadPool() = default;

Task ThreadPool::submit(std::function<void(std::stop_token)> work) {
    auto state = std::make_shared<Task::State>();
    state->work = std::move(work);
    run_later([state] { state->run(); });
    return Task(std::move(state));
}

void ThreadPool::run(Loop& loop, unsigned /*workers*/) {
    for (std::size_t i = 0; i < loop.count; ++i) loop.call(loop.work, i);
}

ThreadPool& thread_pool() {
    static ThreadPool pool(1);
    return pool;
}

}  // namespace lanescope
