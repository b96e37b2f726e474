#include "core/base/thread_pool.h"

#include <doctest/doctest.h>
#include <pthread.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <new>
#include <set>
#include <stdexcept>

#include "core/base/parallel.h"

namespace lanescope {
namespace {

// Threads that must be in the same place at the same time; gives up after a generous time.
class Meeting {
  public:
    explicit Meeting(int threads) : missing_(threads) {}

    bool arrive() {
        std::unique_lock lock(mutex_);
        if (--missing_ == 0) all_here_.notify_all();
        return all_here_.wait_for(lock, std::chrono::seconds(20), [&] { return missing_ <= 0; });
    }

  private:
    std::mutex mutex_;
    std::condition_variable all_here_;
    int missing_;
};

std::size_t threads_of_process() {
    const std::filesystem::directory_iterator tasks("/proc/self/task");
    return static_cast<std::size_t>(std::distance(begin(tasks), end(tasks)));
}

// While it lives, the system refuses threads: there is no address space for their stacks.
class NoThreads {
  public:
    NoThreads() {
        pthread_getattr_default_np(&usual_);
        pthread_attr_t huge = usual_;
        pthread_attr_setstacksize(&huge, std::size_t{1} << 47);
        pthread_setattr_default_np(&huge);
    }
    ~NoThreads() { pthread_setattr_default_np(&usual_); }
    NoThreads(const NoThreads&) = delete;
    NoThreads& operator=(const NoThreads&) = delete;

  private:
    pthread_attr_t usual_{};
};

TEST_CASE("a loop makes each call once") {
    ThreadPool pool(2);
    for (const unsigned workers : {0U, 1U, 2U, 5U}) {
        for (const std::size_t count : {0U, 1U, 2U, 1000U}) {
            CAPTURE(workers);
            CAPTURE(count);
            std::vector<std::atomic<int>> calls(count);
            pool.parallel_for(workers, count, [&](std::size_t i) { ++calls.at(i); });
            CHECK(std::all_of(calls.begin(), calls.end(), [](const auto& n) { return n == 1; }));
        }
    }
}

TEST_CASE("a loop has as many threads at a time as it has workers") {
    ThreadPool pool(2);
    for (const int workers : {2, 5}) {
        Meeting meeting(workers);
        std::atomic<int> met = 0;
        const auto count = static_cast<std::size_t>(workers);
        pool.parallel_for(static_cast<unsigned>(workers), count,
                          [&](std::size_t) { met += meeting.arrive() ? 1 : 0; });
        CHECK(met == workers);
    }
}

TEST_CASE("a pool has no thread before it is used, and keeps those that it has") {
    const std::size_t before = threads_of_process();
    ThreadPool pool(3);
    pool.parallel_for(1, 100, [](std::size_t) {});
    pool.parallel_for(3, 1, [](std::size_t) {});
    CHECK(threads_of_process() == before);
    for (int i = 0; i < 100; ++i) pool.parallel_for(3, 100, [](std::size_t) {});
    CHECK(threads_of_process() == before + 2);
}

TEST_CASE("loops inside loops end, and do not multiply threads") {
    ThreadPool pool(3);
    std::mutex mutex;
    std::set<std::thread::id> threads;
    std::atomic<int> calls = 0;
    pool.parallel_for(3, 8, [&](std::size_t) {
        pool.parallel_for(3, 8, [&](std::size_t) {
            pool.parallel_for(3, 8, [&](std::size_t) {
                ++calls;
                const std::scoped_lock lock(mutex);
                threads.insert(std::this_thread::get_id());
            });
        });
    });
    CHECK(calls == 512);
    CHECK(threads.size() <= 3);
}

TEST_CASE("a loop with two workers has no third thread, though others become idle meanwhile") {
    ThreadPool pool(5);
    std::mutex mutex;
    std::set<std::thread::id> threads;
    pool.parallel_for(2, 100, [&](std::size_t) {
        {
            const std::scoped_lock lock(mutex);
            threads.insert(std::this_thread::get_id());
        }
        // A third thread helps here, and then looks for another loop.
        Meeting meeting(2);
        pool.parallel_for(2, 2, [&](std::size_t) { CHECK(meeting.arrive()); });
    });
    CHECK(threads.size() <= 2);
}

TEST_CASE("loops of several threads at once end") {
    ThreadPool pool(4);
    std::atomic<int> calls = 0;
    std::array<Task, 4> tasks;
    for (Task& task : tasks)
        task = pool.submit([&](std::stop_token) {
            for (int i = 0; i < 500; ++i) pool.parallel_for(3, 7, [&](std::size_t) { ++calls; });
        });
    for (Task& task : tasks) task.wait();
    CHECK(calls == 4 * 500 * 7);
}

TEST_CASE("a loop rethrows what a call threw, and skips the calls after it") {
    ThreadPool pool(2);
    for (const bool from_helper : {false, true}) {
        CAPTURE(from_helper);
        const std::thread::id caller = std::this_thread::get_id();
        Meeting meeting(2);
        std::atomic<int> calls = 0;
        const auto work = [&](std::size_t i) {
            ++calls;
            if (i > 1) return;
            if (!meeting.arrive()) return;
            if ((std::this_thread::get_id() != caller) == from_helper) throw std::bad_alloc();
        };
        CHECK_THROWS_AS(pool.parallel_for(2, 1'000'000'000, work), std::bad_alloc);
        CHECK(calls < 1'000'000'000);
        calls = 0;
        pool.parallel_for(2, 100, [&](std::size_t) { ++calls; });
        CHECK(calls == 100);
    }
}

TEST_CASE("a system without threads leaves the work to the caller") {
    ThreadPool pool(4);
    const NoThreads refusal;
    REQUIRE_THROWS_AS(std::thread([] {}).join(), std::system_error);
    std::set<std::thread::id> threads;
    pool.parallel_for(4, 100, [&](std::size_t) { threads.insert(std::this_thread::get_id()); });
    CHECK(threads == std::set{std::this_thread::get_id()});
    std::thread::id of_task;
    const Task task = pool.submit([&](std::stop_token) { of_task = std::this_thread::get_id(); });
    CHECK(task.is_done());
    CHECK(of_task == std::this_thread::get_id());
}

TEST_CASE("each task runs at once, however many others block") {
    ThreadPool pool(1);
    for (int round = 0; round < 2; ++round) {
        Meeting meeting(9);
        std::atomic<int> met = 0;
        std::vector<Task> tasks;
        for (int i = 0; i < 8; ++i)
            tasks.push_back(pool.submit([&](std::stop_token) { met += meeting.arrive() ? 1 : 0; }));
        CHECK(meeting.arrive());
        for (Task& task : tasks) task.wait();
        CHECK(met == 8);
    }
}

TEST_CASE("a task is stopped on request, and by its destructor") {
    ThreadPool pool(1);
    std::atomic<int> ended = 0;
    const auto until_stopped = [&](const std::stop_token& stop) {
        while (!stop.stop_requested()) std::this_thread::yield();
        ++ended;
    };
    Task task = pool.submit(until_stopped);
    CHECK_FALSE(task.is_done());
    task.request_stop();
    task.wait();
    CHECK(task.is_done());
    CHECK(ended == 1);
    task = pool.submit(until_stopped);
    task = pool.submit(until_stopped);
    CHECK(ended == 2);
    task = {};
    CHECK(ended == 3);
    CHECK(task.is_done());
}

TEST_CASE("waiting for a task rethrows what its work threw; its destructor does not") {
    ThreadPool pool(1);
    const auto failing = [](std::stop_token) { throw std::runtime_error("no"); };
    Task task = pool.submit(failing);
    CHECK_THROWS_WITH_AS(task.wait(), "no", std::runtime_error);
    task.wait();
    task = pool.submit(failing);
}

TEST_CASE("what a task's work captured is freed by its end") {
    ThreadPool pool(1);
    auto kept = std::make_shared<int>(1);
    Task task = pool.submit([kept](std::stop_token) {});
    task.wait();
    CHECK(kept.use_count() == 1);
}

TEST_CASE("a pool ends after its tasks") {
    std::atomic<bool> ended = false;
    Task task;
    {
        ThreadPool pool(1);
        task = pool.submit([&](std::stop_token) {
            std::this_thread::sleep_for(std::chrono::milliseconds(20));
            ended = true;
        });
    }
    CHECK(ended);
    CHECK(task.is_done());
}

TEST_CASE("the process has one pool") {
    CHECK(&thread_pool() == &thread_pool());
    std::atomic<int> calls = 0;
    parallel_for(2, 10, [&](std::size_t) { ++calls; });
    CHECK(calls == 10);
}

}  // namespace
}  // namespace lanescope
