// The tables of a rocpd database. Those of one recording end in its id ("rocpd_region_0195…");
// several recordings may be in one database. In a copy, tables may have plain names, and a column
// `guid` tells recordings apart.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ingest/sqlite_file/sqlite_file.h"

namespace lanescope {

struct RocpdRecording {
    std::string suffix;  // of its tables: "_0195…"; may be empty
    std::string guid;    // of its rows; empty: all rows
};

// The ids of the tables whose name is `base` and a suffix.
bool has_rocpd_tables(std::span<const std::string> tables);
std::vector<RocpdRecording> rocpd_recordings(const SqliteFile& file);
// "rocpd_region" and "_0195…" of "rocpd_region_0195…"; false: it is no such table.
bool split_rocpd_table(std::string_view table, std::string_view& base, std::string_view& suffix);

}  // namespace lanescope
