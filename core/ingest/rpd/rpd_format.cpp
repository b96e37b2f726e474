#include "core/ingest/rpd/rpd_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

#include "core/base/utf8.h"
#include "core/ingest/rpd/rpd_reader.h"
#include "core/ingest/sqlite_file/row_arguments.h"

namespace lanescope {

namespace {

// The row of an event, and the rows that describe its launch.
class RpdArguments final : public RowArguments {
  public:
    using RowArguments::RowArguments;

  private:
    std::vector<Argument> arguments_of(const SqliteTable& table, int64_t row, bool) override {
        if (!texts_) texts_.emplace(file());
        std::vector<Argument> list;
        add_row(table, row, list);
        if (table.name != "rocpd_api") return list;
        const int64_t call = id_of(table, row);
        for (const char* more : {"rocpd_kernelapi", "rocpd_copyapi", "ext_autogradapi"})
            if (const SqliteTable* const other = file().find(more)) {
                if (const std::optional<int64_t> found = row_of_call(*other, call))
                    add_row(*other, *found, list);
            }
        return list;
    }

    int64_t id_of(const SqliteTable& table, int64_t row) {
        if (table.alias == "id") return row;
        constexpr std::array<std::string_view, 1> columns = {"id"};
        if (!ids_) ids_.emplace(file().lookup(table, columns));
        return ids_->seek(row) ? ids_->number(0, row) : row;
    }

    // The number of the row that describes a call. A copy made by another program has no index.
    std::optional<int64_t> row_of_call(const SqliteTable& table, int64_t call) {
        if (table.alias == "api_ptr_id") return call;
        const auto [rows, is_new] = rows_of_calls_.try_emplace(table.name);
        if (is_new) {
            constexpr std::array<std::string_view, 1> columns = {"api_ptr_id"};
            SqliteRows all = file().rows(table, columns);
            while (all.next()) rows->second.try_emplace(all.number(0), all.row());
        }
        const auto found = rows->second.find(call);
        if (found == rows->second.end()) return std::nullopt;
        return found->second;
    }

    void add_row(const SqliteTable& table, int64_t number, std::vector<Argument>& list) {
        constexpr std::array<std::string_view, 6> elsewhere = {"start", "end",        "pid",
                                                               "tid",   "apiName_id", "api_ptr_id"};
        const std::vector<std::string_view> columns(table.columns.begin(), table.columns.end());
        const auto [known, is_new] = lookups_.try_emplace(table.name);
        if (is_new) known->second.emplace(file().lookup(table, columns));
        const SqliteRows& row = *known->second;
        if (!known->second->seek(number)) return;
        for (int i = 0; i < static_cast<int>(columns.size()); ++i) {
            const std::string column(columns[static_cast<std::size_t>(i)]);
            if (row.is_null(i) || std::ranges::find(elsewhere, column) != elsewhere.end()) continue;
            if (row.is_text(i)) {
                if (!row.text(i).empty()) list.push_back({column, repair_bytes(row.text(i)), true});
            } else if (column == "args_id" || column.ends_with("Name_id") ||
                       column == "description_id" || column == "opType_id") {
                const std::string text = column == "args_id" ? texts_->argument(row.number(i))
                                                             : texts_->text(row.number(i));
                if (!text.empty()) list.push_back({column, repair_bytes(text), true});
            } else if (row.is_real(i)) {
                list.push_back({column, nlohmann::json(row.real(i)).dump(), false});
            } else if (!row.is_bytes(i)) {
                list.push_back({column, std::to_string(row.number(i)), false});
            }
        }
    }

    std::optional<RpdTexts> texts_;
    std::map<std::string, std::optional<SqliteRows>> lookups_;  // by table
    std::optional<SqliteRows> ids_;
    std::map<std::string, std::unordered_map<int64_t, int64_t>> rows_of_calls_;  // by table
};

class RpdFormat final : public Format {
  public:
    FormatText text() const override {
        return {"RPD",
                "databases of ROCm Profile Data (rocmProfileData)",
                "rpd.md",
                {"application/x-rocm-profile-data", ".rpd"},
                true};
    }

    Recognised recognise(const Probe& probe) const override {
        const auto has = [&](std::string_view table) {
            return std::ranges::find(probe.sqlite_tables, table) != probe.sqlite_tables.end();
        };
        return {has("rocpd_api") && has("rocpd_op") && has("rocpd_string") ? 100 : 0};
    }

    bool has_byte_positions() const override { return false; }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        const Result<std::unique_ptr<SqliteFile>> file = SqliteFile::open(job.input.database);
        if (!file) return file.error();
        return RpdReader(job, builder, **file).run();
    }

    void describe(Trace& trace) const override {
        trace.facts.format = "rpd";
        trace.facts.producer = "rocmProfileData";
    }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return reader_of_rows(std::make_unique<RpdArguments>(input.database));
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return scan_of_rows(std::make_unique<RpdArguments>(input.database));
    }
};

}  // namespace

const Format& rpd_format() {
    static const RpdFormat format;
    return format;
}

}  // namespace lanescope
