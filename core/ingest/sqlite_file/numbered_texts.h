// NumberedTexts: the texts of a table, by number.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

#include "core/ingest/sqlite_file/sqlite_file.h"

namespace lanescope {

// The texts of one column, by the numbers in the column `id`. If SQLite cannot look them up, for
// example in a copy made by another program, the first look-up reads all texts into memory. Must be
// destroyed before its SqliteFile.
class NumberedTexts {
  public:
    NumberedTexts(const SqliteFile& file, std::string_view table, std::string_view column);
    // Empty: not found. Valid until the next call.
    std::string_view text(int64_t id);

  private:
    std::optional<SqliteRows> lookup_;
    std::unordered_map<int64_t, std::string> texts_;
};

}  // namespace lanescope
