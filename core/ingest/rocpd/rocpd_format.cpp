#include "core/ingest/rocpd/rocpd_format.h"

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/utf8.h"
#include "core/ingest/rocpd/rocpd_reader.h"
#include "core/ingest/sqlite_file/numbered_texts.h"
#include "core/ingest/sqlite_file/row_arguments.h"

namespace lanescope {

namespace {

// The row of an event, and rows of other tables that describe the same event.
class RocpdArguments final : public RowArguments {
  public:
    using RowArguments::RowArguments;

  private:
    std::vector<Argument> arguments_of(const SqliteTable& table, int64_t row, bool) override {
        constexpr std::array<std::string_view, 6> of_events = {
            "rocpd_region",      "rocpd_sample",          "rocpd_kernel_dispatch",
            "rocpd_memory_copy", "rocpd_memory_allocate", "rocpd_pmc_event"};
        std::vector<Argument> list;
        std::string_view base;
        std::string_view suffix;
        if (!split_rocpd_table(table.name, base, suffix) ||
            std::ranges::find(of_events, base) == of_events.end())
            return list;
        suffix_ = suffix;
        add_row(table, row, list);
        add_other("rocpd_track", "track_id", table, row, list);
        if (base == "rocpd_kernel_dispatch")
            add_other("rocpd_info_kernel_symbol", "kernel_id", table, row, list);
        const int64_t event = number(table, row, "event_id");
        if (event == kNoValue) return list;
        add_other("rocpd_event", "event_id", table, row, list);
        add_arguments(event, list);
        add_counters(event, list);
        return list;
    }

    const SqliteTable* find(std::string_view base) const {
        return file().find(std::string(base) + suffix_);
    }

    SqliteRows& lookup(const SqliteTable& table) {
        const auto [known, is_new] = lookups_.try_emplace(table.name);
        if (is_new) {
            const std::vector<std::string_view> columns(table.columns.begin(), table.columns.end());
            known->second.emplace(file().lookup(table, columns));
        }
        return *known->second;
    }

    int64_t number(const SqliteTable& table, int64_t row, std::string_view column) {
        const auto found = std::ranges::find(table.columns, column);
        SqliteRows& rows = lookup(table);
        if (found == table.columns.end() || !rows.seek(row)) return kNoValue;
        return rows.number(static_cast<int>(found - table.columns.begin()));
    }

    // Adds the row of another table whose ID is in a column.
    void add_other(std::string_view base, std::string_view column, const SqliteTable& table,
                   int64_t row, std::vector<Argument>& list) {
        const SqliteTable* const other = find(base);
        const int64_t id = number(table, row, column);
        if (other && id != kNoValue && other->alias == "id") add_row(*other, id, list);
    }

    std::string text(std::string_view base, std::string_view column, int64_t id) {
        const std::string table = std::string(base) + suffix_;
        const auto known = texts_.try_emplace(table, file(), table, column).first;
        return repair_bytes(known->second.text(id));
    }

    void add_row(const SqliteTable& table, int64_t row, std::vector<Argument>& list) {
        constexpr std::array<std::string_view, 6> elsewhere = {"id",  "guid",     "start",
                                                               "end", "start_id", "end_id"};
        SqliteRows& rows = lookup(table);
        if (!rows.seek(row)) return;
        for (int i = 0; i < static_cast<int>(table.columns.size()); ++i) {
            const std::string& column = table.columns[static_cast<std::size_t>(i)];
            const bool is_known =
                std::ranges::any_of(list, [&](const Argument& one) { return one.name == column; });
            if (rows.is_null(i) || is_known ||
                std::ranges::find(elsewhere, column) != elsewhere.end())
                continue;
            if (rows.is_text(i)) {
                if (!rows.text(i).empty() && rows.text(i) != "{}")
                    list.push_back({column, repair_bytes(rows.text(i)), true});
            } else if (rows.is_real(i)) {
                list.push_back({column, nlohmann::json(rows.real(i)).dump(), false});
            } else if (!rows.is_bytes(i)) {
                add_number(column, rows.number(i), list);
            }
        }
    }

    void add_number(const std::string& column, int64_t number, std::vector<Argument>& list) {
        std::string name;
        if (column == "category_id") name = text("rocpd_info_category", "name", number);
        if (name.empty() && (column.ends_with("name_id") || column == "category_id"))
            name = text("rocpd_string", "string", number);
        const bool is_text = !name.empty();
        list.push_back({column, is_text ? name : std::to_string(number), is_text});
    }

    // The rows of a table by event, found in one pass over the table.
    using RowsOfEvents = std::vector<std::pair<int64_t, int64_t>>;
    std::span<const std::pair<int64_t, int64_t>> rows_of(const SqliteTable& table, int64_t event) {
        const auto [known, is_new] = rows_of_events_.try_emplace(table.name);
        RowsOfEvents& all = known->second;
        if (is_new) {
            constexpr std::array<std::string_view, 1> columns = {"event_id"};
            SqliteRows rows = file().rows(table, columns);
            while (rows.next()) all.emplace_back(rows.number(0), rows.row());
            std::ranges::sort(all);
        }
        constexpr auto by_event = &std::pair<int64_t, int64_t>::first;
        const auto first = std::ranges::lower_bound(all, event, {}, by_event);
        const auto last = std::ranges::upper_bound(first, all.end(), event, {}, by_event);
        return {first, last};
    }

    void add_arguments(int64_t event, std::vector<Argument>& list) {
        const SqliteTable* const table = find("rocpd_arg");
        if (!table || table->key.empty()) return;
        constexpr std::array<std::string_view, 2> columns = {"name", "value"};
        const auto found = rows_of(*table, event);
        if (found.empty()) return;
        SqliteRows rows = file().lookup(*table, columns);
        for (const auto& [of, row] : found)
            if (rows.seek(row))
                list.push_back({repair_bytes(rows.text(0)), repair_bytes(rows.text(1)), true});
    }

    void add_counters(int64_t event, std::vector<Argument>& list) {
        const SqliteTable* const table = find("rocpd_pmc_event");
        if (!table || table->key.empty()) return;
        constexpr std::array<std::string_view, 2> columns = {"pmc_id", "value"};
        const auto found = rows_of(*table, event);
        if (found.empty()) return;
        SqliteRows rows = file().lookup(*table, columns);
        for (const auto& [of, row] : found) {
            if (!rows.seek(row)) continue;
            std::string name = text("rocpd_info_pmc", "symbol", rows.number(0));
            if (name.empty()) name = text("rocpd_info_pmc", "name", rows.number(0));
            list.push_back({std::move(name), nlohmann::json(rows.real(1)).dump(), false});
        }
    }

    std::string suffix_;
    std::map<std::string, NumberedTexts> texts_;                // by table
    std::map<std::string, std::optional<SqliteRows>> lookups_;  // by table
    std::map<std::string, RowsOfEvents> rows_of_events_;        // by table
};

class RocpdFormat final : public Format {
  public:
    FormatText text() const override {
        return {"rocpd", "databases of rocprofv3 (ROCm 7: rocpd)", "rocpd.md", {}, true};
    }

    Recognised recognise(const Probe& probe) const override {
        const auto has = [&](std::string_view start) {
            return std::ranges::any_of(probe.sqlite_tables, [&](const std::string& table) {
                return table.starts_with(start);
            });
        };
        if (has("compute_workload"))
            return {0, "a database of rocprof-compute",
                    "it has no times of one run; record the program with `rocprofv3 "
                    "--kernel-trace --hip-trace` and open that"};
        return {has_rocpd_tables(probe.sqlite_tables) ? 100 : 0};
    }

    bool has_byte_positions() const override { return false; }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        const Result<std::unique_ptr<SqliteFile>> file = SqliteFile::open(job.input.database);
        if (!file) return file.error();
        return RocpdReader(job, builder, **file).run();
    }

    void describe(Trace& trace) const override {
        trace.facts.format = "rocpd";
        trace.facts.producer = "rocprofv3";
    }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return reader_of_rows(std::make_unique<RocpdArguments>(input.database));
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return scan_of_rows(std::make_unique<RocpdArguments>(input.database));
    }
};

}  // namespace

const Format& rocpd_format() {
    static const RocpdFormat format;
    return format;
}

}  // namespace lanescope
