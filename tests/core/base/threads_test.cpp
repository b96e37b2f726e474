#include "core/base/threads.h"

#include <doctest/doctest.h>
#include <sched.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <barrier>
#include <set>
#include <thread>

namespace lanescope {
namespace {

std::set<int> allowed_cores() {
    cpu_set_t allowed;
    std::set<int> cores;
    if (sched_getaffinity(0, sizeof allowed, &allowed) != 0) return cores;
    for (int core = 0; core < CPU_SETSIZE; ++core)
        if (CPU_ISSET(core, &allowed)) cores.insert(core);
    return cores;
}

TEST_CASE("every item is processed once, the first by the caller") {
    const std::set<int> before = allowed_cores();
    for (const unsigned threads : {0U, 1U, 2U, 5U}) {
        CAPTURE(threads);
        std::array<std::atomic<int>, 5> calls{};
        std::array<std::thread::id, 5> ids;
        on_threads(threads, [&](unsigned i) {
            ++calls.at(i);
            ids.at(i) = std::this_thread::get_id();
        });
        CHECK(allowed_cores() == before);
        CHECK(ids[0] == std::this_thread::get_id());
        for (unsigned i = 0; i < calls.size(); ++i) CHECK(calls[i] == (i < std::max(1U, threads)));
        CHECK(std::set(ids.begin(), ids.begin() + std::max(1U, threads)).size() ==
              std::max(1U, threads));
    }
}

TEST_CASE("the threads of a group run on separate cores, and the caller's affinity is restored") {
    const std::set<int> before = allowed_cores();
    if (before.size() < 2) {
        MESSAGE("skipped: this process has one core");
        return;
    }
    std::barrier all_there(2);
    std::array<std::set<int>, 2> cores;
    std::array<std::set<int>, 2> cores_inside;
    on_threads(2, [&](unsigned i) {
        all_there.arrive_and_wait();
        cores.at(i) = allowed_cores();
        if (i == 0) return;
        std::barrier inside(2);
        on_threads(2, [&](unsigned k) {
            inside.arrive_and_wait();
            cores_inside.at(k) = allowed_cores();
            std::barrier inmost(2);
            std::set<int> of_new;
            on_threads(2, [&](unsigned n) {
                inmost.arrive_and_wait();
                if (n == 1) of_new = allowed_cores();
            });
            CHECK(of_new == before);
            CHECK(allowed_cores() == cores_inside.at(k));
        });
        CHECK(allowed_cores() == cores[1]);
    });
    CHECK(allowed_cores() == before);
    std::set<int> both = cores[0];
    both.insert(cores[1].begin(), cores[1].end());
    CHECK(both == before);
    CHECK(cores[0].size() + cores[1].size() == before.size());
    CHECK_FALSE(cores[0].empty());
    CHECK_FALSE(cores[1].empty());
    // A group inside a group: its new threads go where there is room.
    CHECK(cores_inside[0] == cores[1]);
    CHECK(cores_inside[1] == before);
}

TEST_CASE("if there are more threads than cores, the system places them") {
    const std::set<int> before = allowed_cores();
    const auto threads = static_cast<unsigned>(before.size() + 1);
    std::barrier all_there(threads);
    std::atomic<unsigned> with_all = 0;
    on_threads(threads, [&](unsigned) {
        all_there.arrive_and_wait();
        with_all += allowed_cores() == before;
    });
    CHECK(with_all == threads);
}

}  // namespace
}  // namespace lanescope
