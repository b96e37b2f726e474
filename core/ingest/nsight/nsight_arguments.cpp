#include "core/ingest/nsight/nsight_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/utf8.h"
#include "core/ingest/nsight/nsight_payload.h"
#include "core/ingest/sqlite_file/numbered_texts.h"
#include "core/ingest/sqlite_file/row_arguments.h"

namespace lanescope {

namespace {

constexpr int kMostFrames = 256;
constexpr int64_t kCategoryRow = 33;
constexpr int64_t kDomainRow = 75;

// Shown as lane, time and name.
constexpr std::array<std::string_view, 11> kShownElsewhere = {
    "start",     "end",  "globalTid", "globalPid",    "eventClass", "nameId",
    "timestamp", "text", "textId",    "endGlobalTid", "callchainId"};
constexpr std::array<std::string_view, 4> kTextIds = {"demangledName", "shortName", "mangledName",
                                                      "jsonTextId"};
struct EnumColumn {
    std::string_view column;
    std::string_view table;
};
constexpr std::array kEnumColumns = {
    EnumColumn{"copyKind", "ENUM_CUDA_MEMCPY_OPER"},
    EnumColumn{"srcKind", "ENUM_CUDA_MEM_KIND"},
    EnumColumn{"dstKind", "ENUM_CUDA_MEM_KIND"},
    EnumColumn{"memKind", "ENUM_CUDA_MEM_KIND"},
    EnumColumn{"syncType", "ENUM_CUPTI_SYNC_TYPE"},
    EnumColumn{"launchType", "ENUM_CUDA_KERNEL_LAUNCH_TYPE"},
    EnumColumn{"cacheConfig", "ENUM_CUDA_FUNC_CACHE_CONFIG"},
    EnumColumn{"overheadType", "ENUM_CUPTI_OVERHEAD_TYPE"},
    EnumColumn{"eventType", "ENUM_NSYS_EVENT_TYPE"},
    EnumColumn{"migrationCause", "ENUM_CUDA_UNIF_MEM_MIGRATION"},
    EnumColumn{"memoryOperationType", "ENUM_CUDA_DEV_MEM_EVENT_OPER"},
};

class NsightArguments final : public RowArguments {
  public:
    using RowArguments::RowArguments;

  private:
    std::vector<Argument> arguments_of(const SqliteTable& table, int64_t number,
                                       bool is_single) override {
        std::vector<Argument> list;
        const auto [known, is_new] = lookups_.try_emplace(table.name);
        if (is_new) {
            const std::vector<std::string_view> columns(table.columns.begin(), table.columns.end());
            known->second.emplace(file().lookup(table, columns));
        }
        if (!known->second->seek(number)) return list;
        const SqliteRows& row = *known->second;
        for (int i = 0; i < static_cast<int>(table.columns.size()); ++i) {
            const std::string& column = table.columns[static_cast<std::size_t>(i)];
            const bool is_shown =
                std::ranges::find(kShownElsewhere, column) != kShownElsewhere.end();
            if (is_shown || row.is_null(i)) continue;
            if (column == "binaryData" && row.is_bytes(i) && add_payload(row.bytes(i), list))
                continue;
            list.push_back(argument(column, row, i));
        }
        add_names(table, row, list);
        add_bandwidth(table, row, list);
        if (is_single) add_stack(table, row, list);
        return list;
    }

    // False: the schema is unknown, or none of its values can be read.
    bool add_payload(std::string_view data, std::vector<Argument>& list) {
        if (!payloads_) payloads_.emplace(file());
        std::vector<Argument> values = payloads_->values(data);
        for (Argument& value : values) list.push_back(std::move(value));
        return !values.empty();
    }

    Argument argument(const std::string& column, const SqliteRows& row, int i) {
        if (row.is_text(i)) return {column, repair_bytes(row.text(i)), true};
        if (row.is_bytes(i)) return {column, "binary data", true};
        if (row.is_real(i)) return {column, nlohmann::json(row.real(i)).dump(), false};
        const int64_t value = row.number(i);
        if (std::ranges::find(kTextIds, column) != kTextIds.end())
            return {column, repair_bytes(value_of("StringIds", "value", value)), true};
        const auto* const words = std::ranges::find(kEnumColumns, column, &EnumColumn::column);
        if (words != kEnumColumns.end()) {
            const std::string word = value_of(words->table, "label", value);
            if (!word.empty()) return {column, repair_bytes(word), true};
        }
        return {column, std::to_string(value), false};
    }

    // A text of another table. Each table has one column of texts.
    std::string value_of(std::string_view other, std::string_view column, int64_t id) {
        const auto known = others_.try_emplace(other, file(), other, column).first;
        return std::string(known->second.text(id));
    }

    static int64_t number_of(const SqliteTable& table, const SqliteRows& row,
                             std::string_view column) {
        const auto found = std::ranges::find(table.columns, column);
        if (found == table.columns.end()) return kNoValue;
        return row.number(static_cast<int>(found - table.columns.begin()));
    }

    // Names of the domain and category of a range.
    void add_names(const SqliteTable& table, const SqliteRows& row, std::vector<Argument>& list) {
        if (table.name != "NVTX_EVENTS") return;
        const int64_t domain = number_of(table, row, "domainId");
        const int64_t category = number_of(table, row, "category");
        if ((domain == 0 || domain == kNoValue) && category == kNoValue) return;
        if (!has_domains_) {
            has_domains_ = true;
            constexpr std::array<std::string_view, 4> columns = {"domainId", "category", "text",
                                                                 "textId"};
            for (const int64_t kind : {kDomainRow, kCategoryRow}) {
                SqliteRows rows = file().rows_where(table, columns, "eventType", kind);
                while (rows.next()) {
                    const std::string text(rows.text(2));
                    domains_[{rows.number(0, 0), kind == kDomainRow ? kNoValue : rows.number(1)}] =
                        text.empty() ? value_of("StringIds", "value", rows.number(3)) : text;
                }
            }
        }
        const auto add = [&](std::string name, int64_t of_category) {
            const auto found = domains_.find({domain, of_category});
            if (found != domains_.end())
                list.push_back({std::move(name), repair_bytes(found->second), true});
        };
        add("domain", kNoValue);
        if (category != kNoValue) add("category name", category);
    }

    static void add_bandwidth(const SqliteTable& table, const SqliteRows& row,
                              std::vector<Argument>& list) {
        const int64_t bytes = number_of(table, row, "bytes");
        const int64_t begin = number_of(table, row, "start");
        const int64_t end = number_of(table, row, "end");
        if (bytes <= 0 || begin == kNoValue || end <= begin) return;
        const double rate =
            static_cast<double>(bytes) / (static_cast<double>(end) - static_cast<double>(begin));
        list.push_back({"memory bandwidth (GB/s)", nlohmann::json(rate).dump(), false});
    }

    // The stack of a call, innermost function first. Its rows have no index.
    void add_stack(const SqliteTable& table, const SqliteRows& row, std::vector<Argument>& list) {
        const int64_t id = number_of(table, row, "callchainId");
        const SqliteTable* const stacks = file().find("CUDA_CALLCHAINS");
        if (id == kNoValue || !stacks || table.name != "CUPTI_ACTIVITY_KIND_RUNTIME") return;
        constexpr std::array<std::string_view, 2> columns = {"stackDepth", "symbol"};
        SqliteRows rows = file().rows_where(*stacks, columns, "id", id);
        std::map<int64_t, int64_t> frames;
        while (rows.next() && frames.size() < kMostFrames)
            frames[rows.number(0, 0)] = rows.number(1);
        std::string text;
        for (const auto& [depth, symbol] : frames) {
            if (!text.empty()) text += ';';
            text += value_of("StringIds", "value", symbol);
        }
        if (!text.empty()) list.push_back({"call stack", repair_bytes(text), true});
    }

    std::map<std::string, std::optional<SqliteRows>> lookups_;  // by table
    std::map<std::string_view, NumberedTexts> others_;
    std::optional<NsightPayloads> payloads_;
    bool has_domains_ = false;
    std::map<std::pair<int64_t, int64_t>, std::string> domains_;  // by domain and category
};

}  // namespace

std::unique_ptr<ArgumentReader> make_nsight_argument_reader(const TraceInput& input) {
    return reader_of_rows(std::make_unique<NsightArguments>(input.database));
}

std::unique_ptr<ArgumentScan> make_nsight_argument_scan(const TraceInput& input) {
    return scan_of_rows(std::make_unique<NsightArguments>(input.database));
}

}  // namespace lanescope
