// Rules of a small image, the code that the kernel maps into this process, and of damaged copies.
#include "core/capture/sampling/unwind_rules.h"

#include <doctest/doctest.h>
#include <elf.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>

#include "tests/skip.h"

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#include <sanitizer/lsan_interface.h>
#define LANESCOPE_IGNORE_LEAKS const __lsan::ScopedDisabler ignores_leaks
#endif
#endif
#ifndef LANESCOPE_IGNORE_LEAKS
#define LANESCOPE_IGNORE_LEAKS static_cast<void>(0)
#endif

using namespace lanescope;

namespace {

std::string small_image() {
    const uint64_t at = getauxval(AT_SYSINFO_EHDR);
    if (at == 0) return "";
    const auto* const bytes = reinterpret_cast<const char*>(at);  // NOLINT: the kernel's number
    Elf64_Ehdr head = {};
    std::memcpy(&head, bytes, sizeof head);
    return {bytes, head.e_shoff + std::size_t{head.e_shnum} * head.e_shentsize};
}

// How many addresses have a rule.
std::size_t rules_in(UnwindRules& rules, const CodeImage& image, uint32_t number,
                     std::size_t bytes) {
    std::size_t found = 0;
    for (uint64_t offset = 0; offset < bytes; offset += 3)
        if (const UnwindRow* row = rules.find(image, {number, offset})) {
            ++found;
            CHECK(row->cfa_expression < static_cast<int32_t>(row->expressions.size()));
            for (const auto& [register_number, rule] : row->changed)
                CHECK(register_number < kRegisterCount);
        }
    return found;
}

}  // namespace

TEST_CASE("images have rules in their code only, and damaged images do no harm") {
    const std::string bytes = small_image();
    if (!UnwindRules::available() || bytes.empty())
        return testing::skip_test("built without elfutils, or there is no [vdso]");
    const std::filesystem::path path =
        std::filesystem::temp_directory_path() / ("lanescope-image-" + std::to_string(getpid()));
    const auto write = [&](const std::string& text) {
        std::ofstream(path, std::ios::binary | std::ios::trunc) << text;
    };
    UnwindRules rules;
    write(bytes);
    const std::size_t count = rules_in(rules, {path, "", 0}, 0, bytes.size());
    CHECK(count > 50);
    CHECK(count < bytes.size() / 3);
    CHECK(rules_in(rules, {"[vdso]", "", 0}, 1, bytes.size()) == count);
    CHECK(rules_in(rules, {path, "another build id", 0}, 2, bytes.size()) == 0);
    CHECK(rules_in(rules, {"//anon", "", 0}, 3, bytes.size()) == 0);
    CHECK(rules_in(rules, {path.string() + "-none", "", 0}, 4, bytes.size()) == 0);
    LANESCOPE_IGNORE_LEAKS;  // libelf 0.188 does not release the section names of damaged files
    std::mt19937 random(9);
    std::size_t with_rules = 0;
    for (uint32_t round = 0; round < 150; ++round) {
        std::string damaged = bytes;
        const std::size_t changes = 1 + random() % 60;
        for (std::size_t i = 0; i < changes; ++i)
            damaged[random() % damaged.size()] = static_cast<char>(random());
        if (random() % 4 == 0) damaged.resize(random() % damaged.size());
        write(damaged);
        with_rules += rules_in(rules, {path, "", 0}, 5 + round, bytes.size()) > 0;
    }
    CHECK(with_rules > 20);
    std::filesystem::remove(path);
}
