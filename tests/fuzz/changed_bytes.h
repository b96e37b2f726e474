// Sound files for fuzzers, and files in which some of their bytes are replaced.
#pragma once

#include <sqlite3.h>

#include <cstdlib>
#include <string>
#include <string_view>

namespace lanescope::testing {

// The bytes of a database that the statements make.
inline std::string database_of(const char* statements) {
    sqlite3* database = nullptr;
    if (sqlite3_open(":memory:", &database) != SQLITE_OK) std::abort();
    if (sqlite3_exec(database, statements, nullptr, nullptr, nullptr) != SQLITE_OK) std::abort();
    sqlite3_int64 size = 0;
    unsigned char* const bytes = sqlite3_serialize(database, "main", &size, 0);
    std::string made(reinterpret_cast<const char*>(bytes), static_cast<std::size_t>(size));
    sqlite3_free(bytes);
    sqlite3_close(database);
    return made;
}

// Each three bytes of the input name a byte, and the value that replaces it.
inline std::string with_replaced_bytes(std::string bytes, std::string_view input) {
    for (std::size_t i = 0; i + 3 <= input.size() && i < 192; i += 3) {
        const auto low = static_cast<unsigned char>(input[i]);
        const auto high = static_cast<unsigned char>(input[i + 1]);
        bytes[(low | static_cast<std::size_t>(high) << 8) % bytes.size()] = input[i + 2];
    }
    return bytes;
}

}  // namespace lanescope::testing
