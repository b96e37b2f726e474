#include "core/ingest/nsight/nsight_format.h"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/ingest/nsight/nsight_arguments.h"
#include "core/ingest/nsight/nsight_state.h"
#include "core/ingest/stated_graph_nodes.h"

namespace lanescope {

namespace {

class NsightFormat final : public Format {
  public:
    FormatText text() const override {
        return {"Nsight Systems",
                "SQLite exports of NVIDIA Nsight Systems (`nsys export --type sqlite`)",
                "nsight.md",
                {},  // exports end in .sqlite, like other databases
                true};
    }

    Recognised recognise(const Probe& probe) const override {
        const auto has = [&](std::string_view table) {
            return std::ranges::find(probe.sqlite_tables, table) != probe.sqlite_tables.end();
        };
        if (has("META_DATA_EXPORT") || has("EXPORT_META_DATA")) return {100};
        const bool has_activities = std::ranges::any_of(
            probe.sqlite_tables,
            [](const std::string& table) { return table.starts_with("CUPTI_ACTIVITY_KIND_"); });
        return {has("StringIds") && has_activities ? 90 : 0};
    }

    bool has_byte_positions() const override { return false; }

    std::shared_ptr<FormatMemory> make_memory() const override {
        return std::make_shared<StatedGraphNodes>();
    }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        const Result<std::unique_ptr<SqliteFile>> file = SqliteFile::open(job.input.database);
        if (!file) return file.error();
        return NsightReader(job, builder, **file).run();
    }

    void describe(Trace& trace) const override {
        trace.facts.format = "nsight-sqlite";
        trace.facts.producer = "NVIDIA Nsight Systems";
        for (const auto& [name, value] : trace.metadata) {
            if (name == kNsightClock)
                std::from_chars(value.data(), value.data() + value.size(), trace.base_unix_nanos);
            const auto product = nlohmann::json::parse(value, nullptr, false);
            if (name == kNsightProduct && product.is_string())
                trace.facts.producer = product.get<std::string>();
        }
    }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return make_nsight_argument_reader(input);
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return make_nsight_argument_scan(input);
    }
};

}  // namespace

const Format& nsight_format() {
    static const NsightFormat format;
    return format;
}

}  // namespace lanescope
