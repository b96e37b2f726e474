#include "ui/base/jobs.h"

#include <doctest/doctest.h>

#include <atomic>
#include <future>
#include <memory>
#include <thread>
#include <vector>

using namespace lanescope;

namespace {

// Waits until every job has ended and its result was taken or dropped.
void finish(Jobs& jobs) {
    while (!jobs.idle()) {
        jobs.take_results();
        std::this_thread::yield();
    }
}

// Holds a job back until it is opened.
class Gate {
  public:
    void open() { opened_.set_value(); }
    void pass() const { open_.wait(); }

  private:
    std::promise<void> opened_;
    std::shared_future<void> open_ = opened_.get_future().share();
};

}  // namespace

TEST_CASE("a result is taken on the window's thread, and only by take_results") {
    Jobs jobs([] {});
    std::thread::id worked_on;
    std::thread::id taken_on;
    int taken = 0;
    jobs.ask(
        {&jobs, "sum"},
        [&worked_on] {
            worked_on = std::this_thread::get_id();
            return 42;
        },
        [&](int result) {
            taken = result;
            taken_on = std::this_thread::get_id();
        });
    CHECK(jobs.busy({&jobs, "sum"}));
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    CHECK(taken == 0);
    finish(jobs);
    CHECK(taken == 42);
    CHECK(taken_on == std::this_thread::get_id());
    CHECK(worked_on != std::this_thread::get_id());
    CHECK(!jobs.busy({&jobs, "sum"}));
}

TEST_CASE("the window is woken once a result can be taken") {
    std::promise<void> woken;
    Jobs jobs([&woken] { woken.set_value(); });
    bool taken = false;
    jobs.ask(
        {&jobs, "one"}, [] { return true; }, [&taken](bool result) { taken = result; });
    woken.get_future().wait();
    jobs.take_results();
    CHECK(taken);
}

TEST_CASE("a new request of the same key drops the result of the one before") {
    Gate gate;
    Jobs jobs([] {});
    std::vector<int> taken;
    const auto take = [&taken](int result) { taken.push_back(result); };
    std::atomic<bool> began = false;
    jobs.ask(
        {&jobs, "range"},
        [&] {
            began = true;
            gate.pass();
            return 1;
        },
        take);
    while (!began) std::this_thread::yield();
    std::atomic<bool> second_began = false;
    jobs.ask(
        {&jobs, "range"},
        [&second_began] {
            second_began = true;
            return 2;
        },
        take);
    jobs.ask(
        {&jobs, "range"}, [] { return 3; }, take);
    jobs.ask(
        {&jobs, "other"}, [] { return 10; }, take);
    gate.open();
    finish(jobs);
    CHECK(taken == std::vector{3, 10});
    CHECK(!second_began);  // replaced before it began
}

TEST_CASE("a late result is dropped once its owner is gone") {
    Gate gate;
    Jobs jobs([] {});
    auto trace = std::make_unique<JobOwner>(jobs);
    const JobKey key = trace->key("gaps");
    bool taken = false;
    std::atomic<bool> began = false;
    jobs.ask(
        key,
        [&] {
            began = true;
            gate.pass();
            return 1;
        },
        [&taken](int) { taken = true; });
    while (!began) std::this_thread::yield();
    trace.reset();
    CHECK(!jobs.busy(key));
    CHECK(!jobs.idle());  // its work still runs
    gate.open();
    finish(jobs);
    CHECK(!taken);
}

TEST_CASE("a result that waits to be taken is dropped too") {
    std::promise<void> woken;
    Jobs jobs([&woken] { woken.set_value(); });
    bool taken = false;
    jobs.ask(
        {&jobs, "x"}, [] { return 1; }, [&taken](int) { taken = true; });
    woken.get_future().wait();
    jobs.drop({&jobs, "x"});
    jobs.take_results();
    CHECK(!taken);
    CHECK(jobs.idle());
}

TEST_CASE("dropping one key or owner leaves the others") {
    Jobs jobs([] {});
    const int first = 0;
    const int second = 0;
    std::vector<int> taken;
    const auto take = [&taken](int result) { taken.push_back(result); };
    jobs.ask(
        {&first, "a"}, [] { return 1; }, take);
    jobs.ask(
        {&first, "b"}, [] { return 2; }, take);
    jobs.ask(
        {&second, "a"}, [] { return 3; }, take);
    jobs.drop({&first, "a"});
    CHECK(jobs.busy({&first, "b"}));
    jobs.drop_all_of(&second);
    CHECK(!jobs.busy({&second, "a"}));
    finish(jobs);
    CHECK(taken == std::vector{2});
}

TEST_CASE("it is idle exactly while nothing waits, runs or is left to be taken") {
    Gate gate;
    Gate second;
    Jobs jobs([] {});
    CHECK(jobs.idle());
    bool idle_in_take = true;
    jobs.ask(
        {&jobs, "slow"},
        [&gate] {
            gate.pass();
            return 1;
        },
        [&](int) {
            idle_in_take = jobs.idle(JobQueue::quick);
            jobs.ask(
                {&jobs, "next"},
                [&second] {
                    second.pass();
                    return 2;
                },
                [](int) {}, JobQueue::analysis);
        });
    CHECK(!jobs.idle());
    CHECK(!jobs.idle(JobQueue::quick));
    CHECK(jobs.idle(JobQueue::analysis));
    gate.open();
    while (!jobs.idle(JobQueue::quick)) jobs.take_results();
    CHECK(idle_in_take);  // nothing else is on its queue
    CHECK(!jobs.idle());  // its result asked for more
    second.open();
    finish(jobs);
    CHECK(jobs.idle(JobQueue::analysis));
}

TEST_CASE("work without a key always runs, in order") {
    Jobs jobs([] {});
    std::vector<int> taken;
    for (int i = 0; i < 5; ++i)
        jobs.run([i] { return i; }, [&taken](int result) { taken.push_back(result); });
    finish(jobs);
    CHECK(taken == std::vector{0, 1, 2, 3, 4});
}

TEST_CASE("a slot is a key of its own") {
    Jobs jobs([] {});
    JobSlot slot;
    CHECK(!slot.busy());
    int taken = 0;
    slot.ask(
        jobs, [] { return 1; }, [&taken](int result) { taken += result; });
    CHECK(slot.busy());
    slot.ask(
        jobs, [] { return 2; }, [&taken](int result) { taken += result; });
    finish(jobs);
    CHECK(taken == 2);
    slot.ask(
        jobs, [] { return 4; }, [&taken](int result) { taken += result; });
    slot.drop();
    CHECK(!slot.busy());
    finish(jobs);
    CHECK(taken == 2);
}

TEST_CASE("an object is destroyed on another thread") {
    std::thread::id destroyed_on;
    struct Loader {
        std::thread::id& on;
        ~Loader() { on = std::this_thread::get_id(); }
    };
    Jobs jobs([] {});
    jobs.destroy(std::shared_ptr<Loader>(new Loader{destroyed_on}));
    finish(jobs);
    CHECK(destroyed_on != std::thread::id());
    CHECK(destroyed_on != std::this_thread::get_id());
}
