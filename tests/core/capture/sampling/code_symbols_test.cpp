#include "core/capture/sampling/code_symbols.h"

#include <doctest/doctest.h>
#include <elf.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/skip.h"

using namespace lanescope;

extern "C" __attribute__((noinline)) int lanescope_known_function(int value) {
    return value * 3;
}

namespace {

// This program's mapping that contains an address.
std::pair<CodeImage, CodePlace> place_of(uint64_t address) {
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
        std::istringstream fields(line);
        std::string range, rights, offset, device, inode, path;
        fields >> range >> rights >> offset >> device >> inode >> path;
        const uint64_t begin = std::stoull(range, nullptr, 16);
        const uint64_t end = std::stoull(range.substr(range.find('-') + 1), nullptr, 16);
        if (address < begin || address >= end) continue;
        return {{path, "", static_cast<uint32_t>(getpid())},
                {0, address - begin + std::stoull(offset, nullptr, 16)}};
    }
    FAIL("no mapping");
    return {};
}

}  // namespace

TEST_CASE("a function of this program is found by its address") {
    if (!CodeSymbols::available()) return testing::skip_test("built with LANESCOPE_SYMBOLS=OFF");
    CHECK(lanescope_known_function(2) == 6);
    const auto [image, place] = place_of(reinterpret_cast<uint64_t>(&lanescope_known_function));
    CodeSymbols symbols;
    const CodeSymbol found = symbols.find(image, place);
    CHECK(found.name == "lanescope_known_function");
    CHECK(found.address_of == kSpoolElfAddress);
    CHECK(symbols.find(image, {0, place.offset + 3}).name == "lanescope_known_function");
    CHECK(symbols.find(image, {0, place.offset - 1}).name != "lanescope_known_function");
    CHECK(symbols.find(image, {0, uint64_t{1} << 40}).address_of == kSpoolFileOffset);
}

TEST_CASE("addresses in a function without a symbol give the function's begin") {
    if (!CodeSymbols::available()) return testing::skip_test("built with LANESCOPE_SYMBOLS=OFF");
    auto [image, place] = place_of(reinterpret_cast<uint64_t>(&lanescope_known_function));
    CodeSymbols symbols;
    const uint64_t begin = symbols.find(image, place).address;
    // A copy without section headers has no symbol table.
    const std::filesystem::path copy =
        std::filesystem::temp_directory_path() / ("lanescope-stripped-" + std::to_string(getpid()));
    std::filesystem::copy_file(image.path, copy);
    {
        std::fstream file(copy, std::ios::binary | std::ios::in | std::ios::out);
        const std::string zeros(8, '\0');
        file.seekp(offsetof(Elf64_Ehdr, e_shoff)).write(zeros.data(), 8);
        file.seekp(offsetof(Elf64_Ehdr, e_shnum)).write(zeros.data(), 4);
    }
    image.path = copy;
    for (const uint64_t step : {0, 1, 5}) {
        const CodeSymbol found = symbols.find(image, {1, place.offset + step});
        CHECK(found.name.empty());
        CHECK(found.address == begin);
        CHECK(found.address_of == kSpoolElfAddress);
    }
    CHECK(symbols.find(image, {1, place.offset - 1}).address < begin);
    std::filesystem::remove(copy);
}

TEST_CASE("a file with another build id, or without one, is not used") {
    auto [image, place] = place_of(reinterpret_cast<uint64_t>(&lanescope_known_function));
    CodeSymbols symbols;
    image.build_id = "another";
    const CodeSymbol other = symbols.find(image, place);
    CHECK(other.name.empty());
    CHECK(other.address_of == kSpoolFileOffset);
    CHECK(other.address == place.offset);
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / ("lanescope-sym-" + std::to_string(getpid()));
    std::filesystem::create_directories(folder);
    const std::string pipe = folder / "pipe";  // nobody ever writes to it
    REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
    std::ofstream(folder / "text") << "no program";
    std::ofstream(folder / "cut") << "\x7f"
                                     "ELF\2\1\1";
    uint32_t number = 1;
    for (const std::string& path : {pipe, folder.string(), (folder / "text").string(),
                                    (folder / "cut").string(), (folder / "none").string(),
                                    std::string("//anon"), std::string("[vdso]"), std::string()}) {
        CAPTURE(path);
        CHECK(symbols.find({path, "", 0}, {number, 64}).name.empty());
        ++number;
    }
    std::filesystem::remove_all(folder);
}
