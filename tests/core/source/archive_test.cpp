#include "core/source/archive.h"

#include <doctest/doctest.h>

#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "core/source/archive_readers.h"
#include "tests/core/memory_file.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

std::string tar_header(std::string_view name, char type, std::string_view size) {
    std::string header(kTarBlock, '\0');
    name.copy(header.data(), 100);
    size.copy(header.data() + 124, 12);
    header[156] = type;
    std::memset(header.data() + 148, ' ', 8);
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    std::snprintf(header.data() + 148, 8, "%06o", sum);
    return header;
}

std::string padded(std::string content) {
    content.resize((content.size() + kTarBlock - 1) / kTarBlock * kTarBlock, '\0');
    return content;
}

struct Visited {
    std::map<std::string, std::string> contents;
    std::map<std::string, std::string> refused;
    std::string ended;
};

Visited visited(const std::string& bytes) {
    const MemoryFile file(bytes);
    const auto archive = InputFile::open(file.path());
    REQUIRE(archive);
    const Result<ArchiveFile> kind = archive_of(*archive);
    REQUIRE(kind);
    Visited all;
    const Result<std::string> ended =
        visit_archive(*archive, kind->kind, kind->compression,
                      [&](const ArchiveEntry& entry, ArchiveContent& content) -> Result<bool> {
                          if (!entry.refused.empty()) {
                              all.refused[entry.name] = entry.refused;
                              return true;
                          }
                          char buffer[64];
                          const Result<std::size_t> got = content.read(buffer, sizeof buffer);
                          if (!got) return got.error();
                          all.contents[entry.name] = std::string(buffer, *got);
                          return true;
                      });
    REQUIRE(ended);
    all.ended = *ended;
    return all;
}

}  // namespace

TEST_CASE("a tar archive is recognised by the checksum of its first header") {
    const std::string header = tar_header("a", '0', "0");
    CHECK(archive_kind(header) == ArchiveKind::tar);
    std::string changed = header;
    changed[3] = 'x';
    CHECK(archive_kind(changed) == ArchiveKind::none);
    CHECK(archive_kind(std::string(kTarBlock, '\0')) == ArchiveKind::none);
    CHECK(archive_kind(header.substr(0, 511)) == ArchiveKind::none);
    CHECK(archive_kind("PK\x03\x04") == ArchiveKind::zip);
    CHECK(archive_kind("PK") == ArchiveKind::none);
}

TEST_CASE("sizes of tar entries are octal or binary") {
    std::string binary("\x80\0\0\0\0\0\0\0\0\0\0\x03", 12);
    const Visited all = visited(tar_header("./a", '0', "00000000005") + padded("12345") +
                                tar_header("b", '7', binary) + padded("abc") +
                                tar_header("folder/", '5', "0") + std::string(1024, '\0'));
    CHECK(all.contents == std::map<std::string, std::string>{{"a", "12345"}, {"b", "abc"}});
    CHECK(all.refused.empty());
    CHECK(all.ended.empty());
}

TEST_CASE("long names of both forms apply only to the next entry") {
    const std::string record = "15 path=x/y/zz\n";
    const Visited all =
        visited(tar_header("long", 'L', "00000000004") + padded(std::string("n/m\0", 4)) +
                tar_header("cut", '0', "00000000001") + padded("1") +
                tar_header("pax", 'x', "00000000017") + padded(record) +
                tar_header("other", '0', "00000000001") + padded("2") +
                tar_header("own", '0', "00000000001") + padded("3") + std::string(1024, '\0'));
    CHECK(all.contents ==
          std::map<std::string, std::string>{{"n/m", "1"}, {"x/y/zz", "2"}, {"own", "3"}});
}

TEST_CASE("links, sparse files and names that lead outside are refused") {
    const Visited all = visited(tar_header("link", '2', "0") + tar_header("holes", 'S', "0") +
                                tar_header("../up", '0', "0") + tar_header("/etc/x", '0', "0") +
                                tar_header("a/../b", '0', "0") + tar_header("a..b", '0', "0") +
                                std::string(1024, '\0'));
    CHECK(all.contents.size() == 1);
    CHECK(all.contents.contains("a..b"));
    CHECK(all.refused.size() == 5);
    CHECK(all.refused.at("link") == "is a link, which is not followed");
}

TEST_CASE("a truncated archive reports the number of complete files") {
    const std::string whole = tar_header("a", '0', "00000000005") + padded("12345");
    CHECK(visited(whole).ended == "the tar archive is cut short after 1 files");
    CHECK(visited(whole + std::string(1024, '\0')).ended.empty());
    CHECK(visited(whole + std::string(512, 'x')).ended ==
          "the tar archive is damaged after 1 files");
}

TEST_CASE("a path within an archive is split at the first file") {
    const MemoryFile file("x");
    const auto place = path_in_archive(file.path() + "/a/b.json");
    REQUIRE(place);
    CHECK(place->archive == file.path());
    CHECK(place->entry == "a/b.json");
    CHECK_FALSE(path_in_archive(file.path()));
    CHECK_FALSE(path_in_archive(file.path() + "/"));
    CHECK_FALSE(path_in_archive("/missing/a/b.json"));
}

TEST_CASE("an entry larger than the limit is not unpacked") {
    const MemoryFile file(tar_header("a", '0', "00000000005") + padded("12345") +
                          std::string(1024, '\0'));
    const auto archive = InputFile::open(file.path());
    REQUIRE(archive);
    const auto opened = open_in_archive({file.path(), "a"}, *archive, nullptr, 5);
    REQUIRE(opened);
    CHECK((*opened)->size() == 5);
    const auto refused = open_in_archive({file.path(), "a"}, *archive, nullptr, 4);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().text.find("more than the limit") != std::string::npos);
}
