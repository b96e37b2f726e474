#include "core/capture/sampling/perf_events.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <cerrno>

#include "core/capture/sampling/unwind_rules.h"

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

TEST_CASE("rings have room for a twentieth of a second, and for other programs' memory") {
    constexpr Nanos usual = 1'000'000'000 / 997;
    for (const std::size_t processors : {1u, 2u, 16u, 64u, 1000u})
        for (const Nanos period :
             {Nanos{100'000}, usual, Nanos{10'000'000}, Nanos{1'000'000'000}}) {
            const auto sizes = perf_sizes(processors, period);
            REQUIRE(!sizes.empty());
            // Users without privileges may lock 512 KiB for each processor.
            CHECK(std::ranges::count(sizes, std::size_t{512} << 10, &PerfSizes::ring) == 1);
            CHECK((sizes[0].ring * processors <= std::size_t{128} << 20 ||
                   sizes[0].ring == std::size_t{512} << 10));
            for (const PerfSizes one : sizes) {
                CHECK((one.ring & (one.ring - 1)) == 0);
                CHECK(one.stack % 8 == 0);
                CHECK(one.stack <= std::size_t{32} << 10);
                CHECK(one.stack * std::size_t(50'000'000 / period) <= one.ring);
            }
        }
    if (!UnwindRules::available()) return;
    CHECK(perf_sizes(2, usual)[0].stack == std::size_t{32} << 10);
    for (const PerfSizes one : perf_sizes(64, usual))
        if (one.ring == std::size_t{512} << 10) CHECK(one.stack == std::size_t{10} << 10);
}
