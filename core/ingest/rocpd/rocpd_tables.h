// The tables of a rocpd database. The tables of a recording end with the recording's ID
// ("rocpd_region_0195…"), so a database may hold several recordings. In a copy, tables may have
// plain names, and a column `guid` identifies the recording.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "core/ingest/sqlite_file/sqlite_file.h"

namespace lanescope {

struct RocpdRecording {
    std::string suffix;  // suffix of the tables: "_0195…"; may be empty
    std::string guid;    // guid of the rows; empty: all rows
};

// Whether the tables include event tables of rocpd.
bool has_rocpd_tables(std::span<const std::string> tables);
std::vector<RocpdRecording> rocpd_recordings(const SqliteFile& file);
// Splits "rocpd_region_0195…" into "rocpd_region" and "_0195…". False: not a rocpd table.
bool split_rocpd_table(std::string_view table, std::string_view& base, std::string_view& suffix);

}  // namespace lanescope
