// The bytes of an SQLite database made from statements.
#pragma once

#include <doctest/doctest.h>
#include <sqlite3.h>

#include <string>

namespace lanescope::testing {

inline std::string sqlite_bytes(const std::string& statements) {
    sqlite3* database = nullptr;
    REQUIRE(sqlite3_open(":memory:", &database) == SQLITE_OK);
    char* error = nullptr;
    const int code = sqlite3_exec(database, statements.c_str(), nullptr, nullptr, &error);
    if (code != SQLITE_OK) FAIL(std::string(error ? error : "cannot run the statements"));
    sqlite3_int64 size = 0;
    unsigned char* const bytes = sqlite3_serialize(database, "main", &size, 0);
    REQUIRE(bytes != nullptr);
    std::string made(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    sqlite3_free(bytes);
    sqlite3_close(database);
    return made;
}

}  // namespace lanescope::testing
