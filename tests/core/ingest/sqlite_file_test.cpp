// Databases of other programs: keys of tables, and pages that form a loop.
#include "core/ingest/sqlite_file/sqlite_file.h"

#include <doctest/doctest.h>

#include <array>
#include <initializer_list>
#include <memory>

#include "tests/core/ingest/sqlite_bytes.h"
#include "tests/core/memory_file.h"

using namespace lanescope;
using namespace lanescope::testing;

namespace {

constexpr std::size_t kPageBytes = 4096;

std::unique_ptr<SqliteFile> opened_database(const MemoryFile& memory) {
    auto input = InputFile::open(memory.path());
    REQUIRE(input);
    auto file = SqliteFile::open(*input);
    REQUIRE(file);
    return std::move(*file);
}

void put_number(std::string& bytes, std::size_t at, uint64_t number, std::size_t size) {
    for (std::size_t i = 0; i < size; ++i)
        bytes[at + i] = static_cast<char>(number >> 8 * (size - 1 - i));
}

// Makes a page one whose 300 pointers all lead to the same other page. `key` follows each pointer.
void lead_to(std::string& bytes, uint64_t page, uint64_t child, char kind, const std::string& key) {
    constexpr uint64_t cells = 300;
    const std::size_t begin = (page - 1) * kPageBytes;
    const std::size_t size = 4 + key.size();
    bytes.replace(begin, kPageBytes, kPageBytes, '\0');
    bytes[begin] = kind;
    put_number(bytes, begin + 3, cells, 2);
    put_number(bytes, begin + 5, kPageBytes - cells * size, 2);
    put_number(bytes, begin + 8, child, 4);
    for (std::size_t i = 0; i < cells; ++i) {
        const std::size_t cell = kPageBytes - (i + 1) * size;
        put_number(bytes, begin + 12 + 2 * i, cell, 2);
        put_number(bytes, begin + cell, child, 4);
        bytes.replace(begin + cell + 4, key.size(), key);
    }
}

// The first table of the database has page 2. Its rows move to page 6, behind four levels of pages
// that lead to the same page 300 times each.
std::string looping_database(const std::string& table, char kind, const std::string& key) {
    std::string bytes = sqlite_bytes(
        table + "CREATE TABLE a(x);CREATE TABLE b(x);CREATE TABLE c(x);CREATE TABLE d(x);");
    REQUIRE(bytes.size() == 6 * kPageBytes);
    bytes.replace(5 * kPageBytes, kPageBytes, bytes.substr(kPageBytes, kPageBytes));
    for (uint64_t page = 2; page < 6; ++page) lead_to(bytes, page, page + 1, kind, key);
    return bytes;
}

constexpr std::array<std::string_view, 2> kValues = {"id", "value"};

}  // namespace

TEST_CASE("SQLite: a column is the number of the row only where SQLite makes it so") {
    const MemoryFile memory(
        sqlite_bytes("CREATE TABLE plain(id INTEGER PRIMARY KEY, value);"
                     "CREATE TABLE listed(value, id INTEGER, PRIMARY KEY(id));"
                     "CREATE TABLE falling(id INTEGER PRIMARY KEY DESC, value);"
                     "CREATE TABLE other_type(id INT PRIMARY KEY, value);"
                     "CREATE TABLE two(id INTEGER, value INTEGER, PRIMARY KEY(id, value));"
                     "CREATE TABLE without_rows(id INTEGER PRIMARY KEY, value) WITHOUT ROWID;"
                     "CREATE TABLE unkeyed(id INTEGER, value);"));
    const auto file = opened_database(memory);
    for (const char* table : {"plain", "listed"}) CHECK(file->find(table)->alias == "id");
    for (const char* table : {"falling", "other_type", "two", "without_rows", "unkeyed"})
        CHECK(file->find(table)->alias.empty());
}

TEST_CASE("SQLite: rows of pages that form a loop end") {
    const MemoryFile memory(
        looping_database("CREATE TABLE looping(id INTEGER PRIMARY KEY, value);"
                         "INSERT INTO looping VALUES(1,10),(2,20),(3,30);",
                         5, "\x01"));
    const auto file = opened_database(memory);
    const SqliteTable& table = *file->find("looping");
    SqliteRows rows = file->rows(table, kValues);
    for (const int64_t id : {1, 2, 3}) {
        REQUIRE(rows.next());
        CHECK(rows.number(0) == id);
        CHECK(rows.number(1) == id * 10);
    }
    CHECK_FALSE(rows.next());
    CHECK(rows.is_damaged());
    CHECK(file->count(table) == 3);
    SqliteRows some = file->rows_where(table, kValues, "value", 20);
    REQUIRE(some.next());
    CHECK(some.row() == 2);
    CHECK_FALSE(some.next());
    SqliteRows none = file->rows_where(table, kValues, "value", 25);
    CHECK_FALSE(none.next());
    CHECK(none.is_damaged());
}

TEST_CASE("SQLite: rows without numbers are no more than the file can hold") {
    const MemoryFile memory(
        looping_database("CREATE TABLE looping(id PRIMARY KEY, value) WITHOUT ROWID;"
                         "INSERT INTO looping VALUES(1,NULL);",
                         2, std::string("\x03\x03\x09\x00", 4)));
    const auto file = opened_database(memory);
    const SqliteTable& table = *file->find("looping");
    const uint64_t rows = file->count(table);
    CHECK(rows > 1000);
    CHECK(rows <= kPageBytes);
    SqliteRows none = file->rows_where(table, kValues, "value", 1);
    CHECK_FALSE(none.next());
    CHECK(none.is_damaged());
}

TEST_CASE("SQLite: the rows with a value, with and without numbers of rows") {
    const MemoryFile memory(
        sqlite_bytes("CREATE TABLE some(id INTEGER, value);"
                     "INSERT INTO some VALUES(-9223372036854775807,1),(5,2),(4,3),(5,4),(NULL,5);"
                     "CREATE TABLE unnumbered(id INTEGER PRIMARY KEY, value) WITHOUT ROWID;"
                     "INSERT INTO unnumbered VALUES(5,1),(6,2),(7,1);"));
    const auto file = opened_database(memory);
    const auto sum = [&](const char* table, std::string_view column, int64_t value) {
        SqliteRows rows = file->rows_where(*file->find(table), kValues, column, value);
        int64_t total = 0;
        while (rows.next()) total += rows.number(0) * 10 + rows.number(1);
        CHECK_FALSE(rows.is_damaged());
        return total;
    };
    CHECK(sum("some", "id", 5) == 106);
    CHECK(sum("some", "id", 6) == 0);
    CHECK(sum("some", "missing", 6) == 0);
    CHECK(sum("unnumbered", "value", 1) == 122);
}
