#include "core/capture/python/python_objects.h"

#include <doctest/doctest.h>

#include <cstring>
#include <random>
#include <vector>

#include "tests/core/capture/python/fake_memory.h"

using namespace lanescope;
using lanescope::testing::FakeMemory;

namespace {

constexpr PythonTypes kObjectTypes = {0x10, 0x20, 0x30};

PythonLayout layout_of_311() {
    return *python_layout(0x030B02F0, {});
}

// A str object at `address`: `width` bytes for each character.
void put_text(FakeMemory& memory, uint64_t address, std::string_view characters, uint32_t width,
              bool ascii, bool compact = true) {
    const PythonLayout layout = layout_of_311();
    memory.put(address + layout.object_type, kObjectTypes.unicode);
    memory.put(address + layout.unicode_length, uint64_t{characters.size() / width});
    memory.put(address + layout.unicode_state,
               uint32_t{1 | width << 2 | (compact ? 1u << 5 : 0) | (ascii ? 1u << 6 : 0)});
    memory.put_bytes(address + (ascii ? layout.unicode_ascii_data : layout.unicode_data),
                     characters);
}

std::optional<PythonText> text_at(FakeMemory& memory, uint64_t address, std::size_t limit = 100) {
    return read_python_text(memory, layout_of_311(), kObjectTypes, address, limit);
}

using Bytes = std::vector<uint8_t>;

}  // namespace

TEST_CASE("texts of all widths") {
    FakeMemory memory(0x1000, 0x1000);
    put_text(memory, 0x1000, "name", 1, true);
    put_text(memory, 0x1100,
             "gr\xF6\xDF"
             "e",
             1, false);
    put_text(memory, 0x1200, std::string_view("\xA2\x95p\x65", 4), 2, false);
    put_text(memory, 0x1300, std::string_view("\x1E\xD5\x01\0a\0\0\0", 8), 4, false);
    CHECK(text_at(memory, 0x1000)->utf8 == "name");
    CHECK(text_at(memory, 0x1100)->utf8 == "größe");
    CHECK(text_at(memory, 0x1200)->utf8 == "関数");
    CHECK(text_at(memory, 0x1300)->utf8 == "𝔞a");
    CHECK(text_at(memory, 0x1000, 2)->utf8 == "na");
}

TEST_CASE("what is no text") {
    FakeMemory memory(0x1000, 0x1000);
    put_text(memory, 0x1000, "name", 1, true);
    memory.put(0x1000 + layout_of_311().object_type, kObjectTypes.bytes);
    CHECK_FALSE(text_at(memory, 0x1000));
    put_text(memory, 0x1100, "name", 1, true, false);  // the characters are elsewhere
    CHECK_FALSE(text_at(memory, 0x1100));
    put_text(memory, 0x1200, "\1\2\3", 3, false);
    CHECK_FALSE(text_at(memory, 0x1200));
    CHECK_FALSE(text_at(memory, 0x9000));
    // Its length goes beyond the memory.
    put_text(memory, 0x1F00, "name", 1, true);
    memory.put(0x1F00 + layout_of_311().unicode_length, uint64_t{1} << 62);
    CHECK_FALSE(text_at(memory, 0x1F00, 4096));
}

TEST_CASE("contents are the same unless length or characters change") {
    FakeMemory memory(0x1000, 0x1000);
    put_text(memory, 0x1000, "first", 1, true);
    const PythonContent content = text_at(memory, 0x1000)->content;
    const auto again = [&] {
        std::string bytes(content.bytes.size(), '\0');
        REQUIRE(memory.read(content.address, bytes.data(), bytes.size()));
        return bytes;
    };
    CHECK(content.equals(again()));
    memory.put(0x1000 + 24, uint64_t{42});  // the hash, which is computed later
    CHECK(content.equals(again()));
    CHECK(content.equals(again().substr(0, content.data_at + 2)));
    CHECK_FALSE(content.equals(again().substr(0, 4)));
    memory.put_bytes(0x1000 + layout_of_311().unicode_ascii_data, "f1rst");
    CHECK_FALSE(content.equals(again()));
    put_text(memory, 0x1000, "first and more", 1, true);
    CHECK_FALSE(content.equals(again()));
}

TEST_CASE("UTF-8 of characters that are none") {
    const Bytes surrogate = {0x80, 0xDC, 'a', 0};
    CHECK(utf8_of_python(surrogate, 2) ==
          "\xEF\xBF\xBD"
          "a");
    const Bytes too_large = {0xFF, 0xFF, 0xFF, 0xFF};
    CHECK(utf8_of_python(too_large, 4) == "\xEF\xBF\xBD");
}

TEST_CASE("bytes objects have a limit") {
    const PythonLayout layout = layout_of_311();
    FakeMemory memory(0x1000, 0x1000);
    memory.put(0x1000 + layout.object_type, kObjectTypes.bytes);
    memory.put(0x1000 + layout.bytes_size, uint64_t{3});
    memory.put_bytes(0x1000 + layout.bytes_data, "abc");
    const auto found = read_python_bytes(memory, layout, kObjectTypes, 0x1000, 3);
    REQUIRE(found);
    CHECK(std::string(found->data().begin(), found->data().end()) == "abc");
    CHECK_FALSE(read_python_bytes(memory, layout, kObjectTypes, 0x1000, 2));
}

TEST_CASE("lines of instructions") {
    // Entries of all kinds: short (a column), one line (+1), without columns (+5), without a
    // location, long (-2), one line (+2).
    const Bytes table = {0x80 | 0 << 3 | 1,  0x11,                    // bytes 0 to 3, line 10
                         0x80 | 11 << 3 | 0, 4,           8,          // 4 to 5, line 11
                         0x80 | 13 << 3 | 2, 10,                      // 6 to 11, line 16
                         0x80 | 15 << 3 | 0,                          // 12 to 13
                         0x80 | 14 << 3 | 0, 5,           0,   1, 2,  // 14 to 15, line 14
                         0x80 | 12 << 3 | 7, 1,           2,          // 16 to 31, line 16
                         0x80 | 13 << 3 | 0, 0x40 | 0x28, 0x03};      // 32 to 33, 116: two bytes
    const std::vector<std::pair<int64_t, int64_t>> expected = {
        {-2, 10}, {0, 10},  {2, 10},  {4, 11},   {6, 16},   {10, 16},      {12, 16},
        {14, 14}, {16, 16}, {30, 16}, {32, 132}, {34, 132}, {1 << 20, 132}};
    for (const auto& [at, line] : expected) {
        const int64_t offset = at;
        CAPTURE(offset);
        CHECK(python_line_at(table, 10, offset) == line);
    }
    CHECK(python_line_at({}, 7, 0) == 7);
}

TEST_CASE("any bytes are a table of lines") {
    std::mt19937 random(1);
    for (int i = 0; i < 20'000; ++i) {
        Bytes table(random() % 40);
        for (uint8_t& byte : table) byte = static_cast<uint8_t>(random());
        const int64_t line = python_line_at(table, static_cast<int32_t>(random()),
                                            static_cast<int64_t>(random()) - (1 << 20));
        REQUIRE(line <= int64_t{1} << 31);
        REQUIRE(line >= -(int64_t{1} << 31));
    }
}
