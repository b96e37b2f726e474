#include "core/capture/python/python_layout.h"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <vector>

using namespace lanescope;

namespace {

// A description as _PyRuntime has it: every word is its own number times 8.
std::vector<std::byte> description(uint64_t version, bool free_threaded) {
    std::array<uint64_t, kPythonDebugOffsetsBytes / 8> words = {};
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = i * 8;
    std::memcpy(words.data(), "xdebugpy", 8);
    words[1] = version;
    words[2] = free_threaded ? 1 : 0;
    std::vector<std::byte> bytes(sizeof words);
    std::memcpy(bytes.data(), words.data(), sizeof words);
    return bytes;
}

}  // namespace

TEST_CASE("versions whose layouts are published") {
    const auto old = python_layout(0x030B02F0, {});
    REQUIRE(old);
    CHECK(old->gil_in_runtime);
    CHECK(old->frame_code == 32);
    const auto newer = python_layout(0x030C01F0, {});
    REQUIRE(newer);
    CHECK_FALSE(newer->gil_in_runtime);
    CHECK(newer->frame_code == 0);
    for (const uint64_t version : {0x02071200u, 0x030A00F0u, 0x030F00F0u, 0x040000F0u, 0u})
        CHECK_FALSE(python_layout(version, description(version, false)));
    CHECK(python_version_text(0x030B02F0) == "3.11.2");
}

TEST_CASE("from 3.13 on, the runtime describes its layout") {
    const auto layout = python_layout(0x030D00F0, description(0x030D00F0, false));
    REQUIRE(layout);
    CHECK(layout->has_gil);
    CHECK(layout->interpreters_head == 5 * 8);
    CHECK(layout->gil == 14 * 8);
    CHECK(layout->gil_locked == 2 * 8);  // 17 - 15
    CHECK(layout->frame_owner == 33 * 8);
    CHECK(layout->code_instructions == 43 * 8);
    CHECK(layout->unicode_data == 66 * 8);
    const auto next = python_layout(0x030E00F0, description(0x030E00F0, false));
    REQUIRE(next);
    CHECK(next->interpreter_threads == 9 * 8);
    CHECK(next->gil == 15 * 8);
    CHECK(next->thread_frame == 26 * 8);
    CHECK(next->frame_owner == 36 * 8);
    CHECK(next->object_type == 51 * 8);
    CHECK(next->unicode_kind_shift == 2);
    const auto threaded = python_layout(0x030E00F0, description(0x030E00F0, true));
    REQUIRE(threaded);
    CHECK_FALSE(threaded->has_gil);
    CHECK(threaded->unicode_kind_shift == 8);
}

TEST_CASE("descriptions that are damaged, cut, or of another version") {
    CHECK_FALSE(python_layout(0x030D00F0, {}));
    CHECK_FALSE(python_layout(0x030D00F0, description(0x030D01F0, false)));
    auto cut = description(0x030D00F0, false);
    cut.resize(40);
    CHECK_FALSE(python_layout(0x030D00F0, cut));
    auto huge = description(0x030D00F0, false);
    const uint64_t far = uint64_t{1} << 40;
    std::memcpy(huge.data() + 36 * 8, &far, sizeof far);
    CHECK_FALSE(python_layout(0x030D00F0, huge));
}
