#include "core/capture/kineto/kineto_targets.h"

#include <doctest/doctest.h>

#include <set>
#include <string>

using namespace lanescope;
using std::chrono::milliseconds;
using std::chrono::seconds;

namespace {

// A system whose processes and files the test defines.
struct World {
    std::set<int32_t> dead;
    std::set<std::string> written;
    CaptureTime now{seconds(1'000'000)};
    KinetoTargets targets{{[this](int32_t pid) { return !dead.contains(pid); },
                           [](int32_t pid, const std::string& file) {
                               return pid >= 9000 ? "/proc/" + std::to_string(pid) + "/root" + file
                                                  : file;
                           },
                           [this](const std::string& file) { return written.contains(file); }}};

    // The answer to the process, without the header.
    std::string ask(int32_t pid, bool idle = true, int32_t own_pid = 0) {
        KinetoRequest request;
        request.takes_activities = idle;
        request.pids = {own_pid ? own_pid : pid};
        return targets.answer(request, pid, now).substr(40);
    }
    CaptureState state(int32_t pid) {
        targets.update(now);
        return targets.find(pid)->state;
    }
    void pass(milliseconds time) { now += time; }
};

CapturePlan plan() {
    CapturePlan plan;
    plan.file = "/tmp/t.json";
    return plan;
}

}  // namespace

TEST_CASE("a process gets its configuration once and is followed to its file") {
    World world;
    CHECK(world.ask(7).empty());
    CHECK(world.state(7) == CaptureState::idle);
    REQUIRE(world.targets.request(7, plan()));
    CHECK(world.state(7) == CaptureState::waiting);
    world.pass(seconds(5));
    CHECK(world.ask(7).starts_with("ACTIVITIES_LOG_FILE=/tmp/t.json\n"));
    CHECK(world.state(7) == CaptureState::warming_up);
    CHECK(world.ask(7, false).empty());
    world.pass(milliseconds(2900));
    CHECK(world.state(7) == CaptureState::warming_up);
    world.pass(milliseconds(200));
    CHECK(world.state(7) == CaptureState::collecting);
    world.pass(milliseconds(500));
    CHECK(world.state(7) == CaptureState::writing);
    world.written.insert("/tmp/t_7.json");
    CHECK(world.state(7) == CaptureState::complete);
    CHECK(world.targets.find(7)->file == "/tmp/t_7.json");
    CHECK(world.ask(7).empty());
    CHECK(world.targets.request(7, plan()));  // and again
}

TEST_CASE("a busy process gets no configuration, since it would lose it") {
    World world;
    CHECK(world.ask(7, false).empty());
    CHECK(world.state(7) == CaptureState::busy);
    REQUIRE(world.targets.request(7, plan()));
    CHECK(world.ask(7, false).empty());
    CHECK(world.state(7) == CaptureState::waiting);
    CHECK_FALSE(world.ask(7, true).empty());
}

TEST_CASE("one capture at a time, of known processes only, that can be cancelled in time") {
    World world;
    CHECK_FALSE(world.targets.request(7, plan()));
    world.ask(7);
    REQUIRE(world.targets.request(7, plan()));
    CHECK_FALSE(world.targets.request(7, plan()));
    world.targets.cancel(7);
    CHECK(world.ask(7).empty());
    CHECK(world.state(7) == CaptureState::idle);
    CapturePlan unspeakable = plan();
    unspeakable.file = "/tmp/a=b.json";
    CHECK_FALSE(world.targets.request(7, unspeakable));
    CHECK(world.state(7) == CaptureState::idle);
}

TEST_CASE("several processes begin together, each with a file named by its pid") {
    World world;
    world.ask(7);
    world.ask(9001, true, 1);  // in a container
    CapturePlan together = plan();
    together.start = world.now + seconds(8);
    REQUIRE(world.targets.request(7, together));
    REQUIRE(world.targets.request(9001, together));
    const std::string first = world.ask(7);
    world.pass(seconds(4));
    CHECK(world.ask(9001, true, 1) == first);
    CHECK(world.targets.find(7)->begins == world.targets.find(9001)->begins);
    CHECK(world.targets.find(9001)->file == "/proc/9001/root/tmp/t_1.json");
    CHECK(world.state(7) == CaptureState::warming_up);
    world.pass(seconds(4));
    CHECK(world.state(7) == CaptureState::collecting);
    CHECK(world.state(9001) == CaptureState::collecting);
}

TEST_CASE("a capture by iterations lasts until the process reports that it ended") {
    World world;
    world.ask(7);
    CapturePlan steps = plan();
    steps.options.iterations = 3;
    REQUIRE(world.targets.request(7, steps));
    world.ask(7);
    world.pass(seconds(30));
    world.ask(7, false);
    CHECK(world.state(7) == CaptureState::collecting);
    world.pass(seconds(300));
    world.ask(7, false);
    CHECK(world.state(7) == CaptureState::collecting);
    world.ask(7, true);
    CHECK(world.state(7) == CaptureState::writing);
    world.written.insert("/tmp/t_7.json");
    CHECK(world.state(7) == CaptureState::complete);
}

TEST_CASE("failures are reported") {
    World world;
    world.ask(7);
    REQUIRE(world.targets.request(7, plan()));
    SUBCASE("it ends before it asks") {
        world.dead.insert(7);
    }
    SUBCASE("it ends while collecting") {
        world.ask(7);
        world.pass(milliseconds(3200));
        CHECK(world.state(7) == CaptureState::collecting);
        world.dead.insert(7);
    }
    SUBCASE("it is silent") {
        world.pass(seconds(61));
    }
    SUBCASE("it rests and writes nothing") {
        world.ask(7);
        for (int i = 0; i < 6; ++i) {
            CHECK(world.state(7) != CaptureState::failed);
            world.pass(seconds(5));
            world.ask(7);
        }
        CHECK(world.targets.find(7)->heard == world.now);
    }
    CHECK(world.state(7) == CaptureState::failed);
    CHECK_FALSE(world.targets.find(7)->problem.empty());
}

TEST_CASE("writing may take any time while the process reports that it is busy") {
    World world;
    world.ask(7);
    REQUIRE(world.targets.request(7, plan()));
    world.ask(7);
    for (int i = 0; i < 200; ++i) {
        world.pass(seconds(5));
        world.ask(7, false);
        world.targets.update(world.now);
    }
    CHECK(world.state(7) == CaptureState::writing);
}

TEST_CASE("a complete file counts even if its process has ended") {
    World world;
    world.ask(7);
    REQUIRE(world.targets.request(7, plan()));
    world.ask(7);
    world.pass(seconds(4));
    world.written.insert("/tmp/t_7.json");
    world.dead.insert(7);
    CHECK(world.state(7) == CaptureState::complete);
}

TEST_CASE("silent or ended processes are forgotten, and their number is limited") {
    World world;
    for (int32_t pid = 1; pid <= 2000; ++pid) CHECK(world.ask(pid).empty());
    CHECK(world.targets.targets().size() == 1024);
    world.dead.insert(5);
    world.targets.update(world.now);
    CHECK(world.targets.find(5) == nullptr);
    world.pass(seconds(61));
    world.ask(3);
    world.targets.update(world.now);
    CHECK(world.targets.targets().size() == 1);
}

TEST_CASE("older clients receive the number of processes of their job") {
    World world;
    const auto register_process = [&](int32_t pid, int64_t job) {
        return world.targets.answer(KinetoContext{0, pid, job}, pid, world.now).substr(40);
    };
    CHECK(register_process(1, 5) == std::string("\1\0\0\0", 4));
    CHECK(register_process(2, 5) == std::string("\2\0\0\0", 4));
    CHECK(register_process(3, 6) == std::string("\1\0\0\0", 4));
}
