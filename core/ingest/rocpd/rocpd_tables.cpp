#include "core/ingest/rocpd/rocpd_tables.h"

#include <algorithm>
#include <array>
#include <set>

namespace lanescope {

namespace {

constexpr std::size_t kMostRecordings = 256;

// If a name is a prefix of another name, the longer name comes first.
constexpr std::array<std::string_view, 29> kRocpdTables = {
    "rocpd_metadata",
    "rocpd_string",
    "rocpd_info_node",
    "rocpd_info_process",
    "rocpd_info_thread",
    "rocpd_info_agent",
    "rocpd_info_queue",
    "rocpd_info_stream",
    "rocpd_info_pmc",
    "rocpd_info_code_object",
    "rocpd_info_kernel_symbol",
    "rocpd_info_category",
    "rocpd_info_address_range",
    "rocpd_info_source_code",
    "rocpd_info_pc",
    "rocpd_track",
    "rocpd_timestamp",
    "rocpd_event",
    "rocpd_arg",
    "rocpd_pmc_event",
    "rocpd_region",
    "rocpd_sample",
    "rocpd_kernel_dispatch",
    "rocpd_memory_copy",
    "rocpd_memory_allocate",
    "rocpd_line_info",
    "rocpd_call_stack",
    "rocpd_hip_event",
    "rocpd_hip_graph",
};
constexpr std::array<std::string_view, 4> kRocpdEvents = {"rocpd_kernel_dispatch", "rocpd_region",
                                                          "rocpd_sample", "rocpd_memory_copy"};

}  // namespace

bool split_rocpd_table(std::string_view table, std::string_view& base, std::string_view& suffix) {
    for (const std::string_view known : kRocpdTables) {
        if (!table.starts_with(known)) continue;
        const std::string_view rest = table.substr(known.size());
        if (!rest.empty() && !rest.starts_with('_')) continue;
        base = table.substr(0, known.size());
        suffix = rest;
        return true;
    }
    return false;
}

bool has_rocpd_tables(std::span<const std::string> tables) {
    return std::ranges::any_of(tables, [](const std::string& table) {
        std::string_view base;
        std::string_view suffix;
        return split_rocpd_table(table, base, suffix) &&
               std::ranges::find(kRocpdEvents, base) != kRocpdEvents.end();
    });
}

std::vector<RocpdRecording> rocpd_recordings(const SqliteFile& file) {
    std::set<std::string> suffixes;
    for (const SqliteTable& table : file.tables()) {
        std::string_view base;
        std::string_view suffix;
        if (split_rocpd_table(table.name, base, suffix) &&
            std::ranges::find(kRocpdEvents, base) != kRocpdEvents.end() &&
            suffixes.size() < kMostRecordings)
            suffixes.emplace(suffix);
    }
    std::vector<RocpdRecording> found;
    for (const std::string& suffix : suffixes) {
        std::set<std::string> guids;
        const SqliteTable* const processes = file.find("rocpd_info_process" + suffix);
        if (suffix.empty() && processes && processes->has("guid")) {
            constexpr std::array<std::string_view, 1> columns = {"guid"};
            SqliteRows rows = file.rows(*processes, columns);
            while (rows.next() && guids.size() < kMostRecordings) guids.emplace(rows.text(0));
        }
        if (guids.size() < 2) guids = {""};
        for (const std::string& guid : guids) found.push_back({suffix, guid});
    }
    return found;
}

}  // namespace lanescope
