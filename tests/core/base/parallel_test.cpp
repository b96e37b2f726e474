// The pool of the process, also in a child and while threads make it.
#include "core/base/parallel.h"

#include <doctest/doctest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <thread>
#include <vector>

namespace lanescope {

namespace {

// Runs a loop and a task on the pool; returns whether both were done.
bool pool_works() {
    constexpr int kCount = 100;
    std::atomic<int> done = 0;
    parallel_for(4, kCount, [&](std::size_t) { ++done; });
    Task task = thread_pool().submit([&](const std::stop_token&) { ++done; });
    task.wait();
    return done == kCount + 1;
}

// Runs `work` in a child process; returns whether `work` returned true there.
template <typename Work>
bool child_succeeds(const Work& work) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20);  // a child that waits for ever ends
        _exit(work() ? 0 : 1);
    }
    int status = 0;
    REQUIRE(waitpid(child, &status, 0) == child);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A sanitizer's runtime has locks of its own, which fork() does not release in the child: a child
// that is forked while another thread starts or allocates may wait for them forever.
#ifdef LANESCOPE_SANITIZED
constexpr bool kRuntimeMayHang = true;
#else
constexpr bool kRuntimeMayHang = false;
#endif

}  // namespace

TEST_CASE("threads share the pool of the process") {
    const ThreadPool* const mine = &thread_pool();
    const ThreadPool* other = nullptr;
    std::thread([&] {
        other = &thread_pool();
        CHECK(pool_works());
    }).join();
    CHECK(other == mine);
    CHECK(pool_works());
}

TEST_CASE("a forked child has a pool of its own" * doctest::skip(kRuntimeMayHang)) {
    REQUIRE(pool_works());
    const ThreadPool* const parents = &thread_pool();
    CHECK(child_succeeds([&] { return &thread_pool() != parents && pool_works(); }));
    CHECK(&thread_pool() == parents);
    CHECK(pool_works());
}

TEST_CASE("children that are forked while other threads make the pool end" *
          doctest::skip(kRuntimeMayHang)) {
    // Each round is in a child, whose pool does not exist yet.
    for (int round = 0; round < 30; ++round)
        CHECK(child_succeeds([] {
            std::vector<std::thread> threads;
            std::atomic<int> ready = 0;
            std::array<ThreadPool*, 4> pools = {};
            for (ThreadPool*& pool : pools)
                threads.emplace_back([&] {
                    ++ready;
                    while (ready < 4) std::this_thread::yield();
                    pool = &thread_pool();
                });
            const bool forked = child_succeeds(pool_works);
            for (std::thread& thread : threads) thread.join();
            bool same = true;
            for (const ThreadPool* pool : pools) same = same && pool == pools.front();
            return forked && same;
        }));
}

}  // namespace lanescope
