#include "core/capture/python/python_code.h"

#include <doctest/doctest.h>

#include <functional>
#include <vector>

#include "tests/core/capture/python/fake_memory.h"

using namespace lanescope;
using lanescope::testing::FakeMemory;

namespace {

constexpr PythonTypes kTypes = {0x10, 0x20, 0x30};
constexpr uint64_t kCode = 0x1000;
constexpr uint64_t kName = 0x1400;
constexpr uint64_t kFile = 0x1800;
constexpr uint64_t kLines = 0x1C00;

// A code object of a Python 3.11: line 10, and line 11 from its second instruction on.
class FakeCode {
  public:
    FakeCode() : layout(*python_layout(0x030B02F0, {})), memory(0x1000, 0x2000) {
        memory.put(kCode + layout.object_type, kTypes.code);
        memory.put(kCode + layout.code_first_line, int32_t{10});
        memory.put(kCode + layout.code_qualname, kName);
        memory.put(kCode + layout.code_filename, kFile);
        memory.put(kCode + layout.code_line_table, kLines);
        put_text(kName, "Model.forward");
        put_text(kFile, "/src/model.py");
        put_lines("\xE8\x00\xE8\x02");
    }
    void put_text(uint64_t at, std::string_view text) {
        memory.put(at + layout.object_type, kTypes.unicode);
        memory.put(at + layout.unicode_length, uint64_t{text.size()});
        memory.put(at + layout.unicode_state, uint32_t{1 << 2 | 1 << 5 | 1 << 6});
        memory.put_bytes(at + layout.unicode_ascii_data, text);
    }
    template <std::size_t n>
    void put_lines(const char (&table)[n]) {
        memory.put(kLines + layout.object_type, kTypes.bytes);
        memory.put(kLines + layout.bytes_size, uint64_t{n - 1});
        memory.put_bytes(kLines + layout.bytes_data, {table, n - 1});
    }

    PythonLayout layout;
    FakeMemory memory;
};

PythonCodes::Found find_one(PythonCodes& codes, uint64_t address = kCode) {
    return codes.find({&address, 1})[0];
}

}  // namespace

TEST_CASE("a function's name, file and lines") {
    FakeCode fake;
    PythonCodes codes(fake.memory, fake.layout, kTypes);
    const PythonCodes::Found found = find_one(codes);
    REQUIRE(found.code);
    CHECK(found.is_new);
    CHECK(found.code->function == "Model.forward");
    CHECK(found.code->file == "/src/model.py");
    CHECK(found.code->first_line == 10);
    const uint64_t first = kCode + fake.layout.code_instructions;
    CHECK(found.code->line_of(first) == 10);
    CHECK(found.code->line_of(first + 2) == 11);
    CHECK(found.code->line_of(first - 2) == 10);
    CHECK(found.code->line_of(0x7777'0000'0000) == 10);  // a copy of the instructions
    CHECK_FALSE(find_one(codes).is_new);
    const std::vector<uint64_t> twice = {kCode, 0x9000, kCode};
    const auto all = codes.find(twice);
    CHECK(all[0].code == all[2].code);
    CHECK(all[1].code == nullptr);
}

TEST_CASE("another function at the same address is noticed by each of its parts") {
    const std::vector<std::function<void(FakeCode&)>> changes = {
        [](FakeCode& fake) { fake.put_text(kName, "Model.backwar"); },
        [](FakeCode& fake) { fake.put_text(kName, "Model"); },
        [](FakeCode& fake) { fake.put_text(kFile, "/src/madel.py"); },
        [](FakeCode& fake) { fake.put_lines("\xE8\x00\xE8\x04"); },
        [](FakeCode& fake) { fake.memory.put(kCode + fake.layout.code_first_line, int32_t{9}); },
        [](FakeCode& fake) { fake.memory.put(kCode + fake.layout.code_name, uint64_t{1}); },
    };
    for (std::size_t i = 0; i < changes.size(); ++i) {
        CAPTURE(i);
        FakeCode fake;
        PythonCodes codes(fake.memory, fake.layout, kTypes);
        CHECK(find_one(codes).is_new);
        find_one(codes).code->number = 5;
        CHECK_FALSE(find_one(codes).is_new);
        changes[i](fake);
        const PythonCodes::Found found = find_one(codes);
        REQUIRE(found.code);
        CHECK(found.is_new);
        CHECK(found.code->number == 0);
    }
}

TEST_CASE("what is no code object, and names that cannot be read") {
    FakeCode fake;
    PythonCodes codes(fake.memory, fake.layout, kTypes);
    CHECK(find_one(codes, 0x2FF0).code == nullptr);
    fake.memory.put(kName + fake.layout.object_type, kTypes.bytes);
    REQUIRE(find_one(codes).code);
    CHECK(find_one(codes).code->function.empty());
    fake.memory.put(kCode + fake.layout.object_type, kTypes.unicode);
    CHECK(find_one(codes).code == nullptr);
}
