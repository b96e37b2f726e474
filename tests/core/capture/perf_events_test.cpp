#include "core/capture/perf_events.h"

#include <doctest/doctest.h>

#include <cerrno>

using namespace lanescope;

namespace {

bool has(const std::string& text, const char* part) {
    return text.find(part) != std::string::npos;
}

}  // namespace

TEST_CASE("a refusal to sample has its cause and a remedy") {
    for (const int code : {EPERM, EACCES})
        for (const char* level : {"3", "4", "", "much"}) {
            CAPTURE(level);
            const PerfRefusal refusal = perf_refusal(code, level);
            CHECK(has(refusal.problem, *level ? level : "not known"));
            CHECK(has(refusal.advice, "sysctl kernel.perf_event_paranoid=2"));
        }
    // If the level already permits sampling, no other level is recommended.
    for (const char* level : {"2", "1", "0", "-1"}) {
        CAPTURE(level);
        const PerfRefusal refusal = perf_refusal(EACCES, level);
        CHECK(has(refusal.problem, "which would allow it"));
        CHECK(!has(refusal.advice, "sysctl"));
        CHECK(has(refusal.advice, "seccomp"));
    }
    CHECK(has(perf_refusal(ENOSYS, "2").problem, "no perf events"));
    CHECK(has(perf_refusal(EMFILE, "2").advice, "ulimit -n"));
    CHECK(has(perf_refusal(EIO, "2").problem, "Input/output error"));
}

TEST_CASE("a full sampling buffer is reported as such") {
    for (const int code : {EPERM, ENOMEM}) {
        const PerfRefusal refusal = perf_memory_refusal(code, "516");
        CHECK(has(refusal.problem, "perf_event_mlock_kb is 516"));
        CHECK(has(refusal.advice, "ulimit -l"));
    }
    CHECK(has(perf_memory_refusal(EINVAL, "516").problem, "Invalid argument"));
}
