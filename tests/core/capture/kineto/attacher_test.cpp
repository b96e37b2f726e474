#include "core/capture/kineto/attacher.h"

#include <doctest/doctest.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <iterator>
#include <optional>
#include <thread>

#include "core/capture/kineto/kineto_socket.h"
#include "tests/core/temporary_file.h"

using namespace lanescope;
using lanescope::testing::TemporaryFile;

namespace {

using std::chrono::milliseconds;

// Plays the role of a process that polls the daemon, with the pid of this process.
class Voice {
  public:
    explicit Voice(const std::string& folder)
        : socket_(KinetoSocket::bind(folder, "dynoconfigclient1")) {
        REQUIRE(socket_);
        sockaddr_un address{};
        address.sun_family = AF_UNIX;
        const std::string path = folder + "/dynolog";
        REQUIRE(path.size() < sizeof address.sun_path);
        path.copy(address.sun_path, path.size());
        to_.from.assign(reinterpret_cast<const char*>(&address),
                        offsetof(sockaddr_un, sun_path) + path.size() + 1);
    }

    // The reply that it receives.
    std::string ask(bool takes_activities) {
        struct {
            uint64_t size = 20;
            std::array<char, 32> type{'r', 'e', 'q'};
            int32_t kind = 0, count = 1;
            int64_t job = 0;
            int32_t pid = 0;
        } request;
        request.kind = takes_activities ? 2 : 0;
        request.pid = getpid();
        socket_->answer(to_, std::string_view(reinterpret_cast<const char*>(&request), 60));
        const auto reply = socket_->receive(2000);
        return reply ? reply->bytes.substr(40) : "";
    }

  private:
    Result<KinetoSocket> socket_;
    KinetoDatagram to_;
};

template <typename Condition>
AttachView wait_for(const Attacher& attacher, Condition holds) {
    for (int i = 0; i < 1000 && !holds(*attacher.view()); ++i)
        std::this_thread::sleep_for(milliseconds(10));
    REQUIRE(holds(*attacher.view()));
    return *attacher.view();
}

std::string value_of(const std::string& config, const std::string& key) {
    const std::size_t at = config.find(key + "=") + key.size() + 1;
    return config.substr(at, config.find('\n', at) - at);
}

}  // namespace

TEST_CASE("a process is listed, captured, and its trace is moved to its name") {
    const TemporaryFile file("x");
    std::atomic<int> changes = 0;
    Attacher attacher({file.folder(), 1}, [&] { ++changes; });
    wait_for(attacher, [](const AttachView& v) { return v.way == AttachView::Way::daemon; });
    Voice voice(file.folder());
    CHECK(voice.ask(true).empty());
    const AttachView listed =
        wait_for(attacher, [](const AttachView& v) { return v.rows.size() == 1; });
    CHECK(listed.rows[0].pid == getpid());
    CHECK(listed.rows[0].state == CaptureState::idle);
    CHECK(listed.rows[0].command.find("lanescope_tests") != std::string::npos);
    CHECK_FALSE(listed.under_way);

    const std::string out = file.folder() + "/out.json";
    attacher.capture({getpid()}, CaptureOptions{}, out);
    wait_for(attacher, [](const AttachView& v) {
        return v.under_way && v.rows[0].state == CaptureState::waiting;
    });
    const std::string config = voice.ask(true);
    const std::string trace = kineto_file_name(value_of(config, "ACTIVITIES_LOG_FILE"), getpid());
    wait_for(attacher,
             [](const AttachView& v) { return v.rows[0].state == CaptureState::warming_up; });
    const std::string text = R"({"traceEvents": [{"ph": "X", "cat": "cpu_op"}]})";
    std::ofstream(trace) << text;
    const AttachView ended = wait_for(attacher, [](const AttachView& v) { return v.ended == 1; });
    REQUIRE(ended.outcomes.size() == 1);
    CHECK(ended.outcomes[0] == CaptureOutcome{getpid(), "complete", out, ""});
    CHECK_FALSE(ended.under_way);
    CHECK_FALSE(ended.cancelled);
    std::ifstream written(out);
    CHECK(std::string(std::istreambuf_iterator<char>(written), {}) == text);
    CHECK(access(trace.c_str(), F_OK) != 0);
    CHECK(changes > 3);
}

TEST_CASE("captures that have not begun are cancelled, unknown ones are refused") {
    const TemporaryFile file("x");
    Attacher attacher({file.folder(), 1}, [] {});
    wait_for(attacher, [](const AttachView& v) { return v.way == AttachView::Way::daemon; });
    Voice voice(file.folder());
    voice.ask(true);
    wait_for(attacher, [](const AttachView& v) { return v.rows.size() == 1; });
    attacher.capture({1}, CaptureOptions{}, "never.json");
    const AttachView refused =
        wait_for(attacher, [](const AttachView& v) { return !v.refusal.empty(); });
    CHECK(refused.refusal == "Process 1 has not asked for a profiling daemon.");
    CHECK_FALSE(refused.under_way);

    attacher.capture({getpid()}, CaptureOptions{}, "never.json");
    wait_for(attacher, [](const AttachView& v) { return v.under_way; });
    attacher.cancel();
    const AttachView cancelled =
        wait_for(attacher, [](const AttachView& v) { return v.ended == 1; });
    CHECK(cancelled.cancelled);
    CHECK(cancelled.outcomes.empty());
    CHECK(cancelled.refusal.empty());
    CHECK(cancelled.rows[0].state == CaptureState::idle);
    CHECK(voice.ask(true).empty());
}

TEST_CASE("another daemon's socket is reported, and is taken once it is free") {
    const TemporaryFile file("x");
    std::optional<KinetoSocket> other;
    other.emplace(std::move(*KinetoSocket::bind(file.folder())));
    Attacher attacher({file.folder(), 1}, [] {});
    const AttachView taken =
        wait_for(attacher, [](const AttachView& v) { return v.way == AttachView::Way::dynolog; });
    CHECK(taken.problem.find("Another profiling daemon") != std::string::npos);
    attacher.capture({getpid()}, CaptureOptions{}, "never.json");
    const AttachView refused =
        wait_for(attacher, [](const AttachView& v) { return !v.refusal.empty(); });
    CHECK(refused.refusal.starts_with("dynolog: "));
    other.reset();
    wait_for(attacher, [](const AttachView& v) { return v.way == AttachView::Way::daemon; });
}

TEST_CASE("a trace is named as requested, with the pid if there are several processes") {
    CHECK(trace_name("", 7, true) == "trace_7.json");
    CHECK(trace_name("a.json", 7, false) == "a.json");
    CHECK(trace_name("a.pt.trace.json", 7, true) == "a_7.pt.trace.json");
    CHECK(trace_name("a.bin", 7, true) == "a.bin_7");
}
