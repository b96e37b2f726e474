#include "tests/core/ingest/batch_description.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "core/ingest/json/json_scanner.h"

namespace lanescope::testing {

namespace {

class Describer {
  public:
    explicit Describer(const Batch& batch) : batch_(batch) {}

    std::string text(const ScanOutcome& outcome) {
        add("stop {} at {} comma {} first {}", static_cast<int>(outcome.stop), outcome.position,
            outcome.place.after_comma, outcome.place.is_first);
        for (const RawEvent& e : batch_.events)
            add("event @{} '{}' [{}] kind {} lane {} time {} {} id {} flags {}", e.source,
                name(e.name), name(e.category), static_cast<int>(e.kind), lane(e), e.time,
                e.duration,
                e.flags & kIdIsText  ? std::string(name(static_cast<LocalId>(e.id)))
                : e.flags & kIdIsHex ? fmt::format("{:#x}", static_cast<uint64_t>(e.id))
                                     : std::to_string(e.id),
                e.flags);
        facts();
        marks();
        return std::move(out_);
    }

  private:
    template <typename... Values>
    void add(fmt::format_string<Values...> format, Values&&... values) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
        out_.push_back('\n');
    }
    std::string_view name(LocalId id) const { return batch_.texts[id]; }
    std::string lane(const RawEvent& e) const {
        if (e.kind == EventKind::unreadable) return "none";
        const LaneKey& key = batch_.lanes[e.lane];
        return fmt::format("pid '{}' tid '{}' role {}", name(batch_.processes[key.process].pid),
                           name(key.tid), static_cast<int>(key.role));
    }

    std::string value(const LaunchConfig& config) const {
        return fmt::format("{} {} {} {} {} {}", fmt::join(config.grid, ","),
                           fmt::join(config.block, ","), config.registers_per_thread,
                           config.shared_memory_bytes, config.static_shared_bytes,
                           config.kineto_occupancy_percent);
    }

    void facts() {
        for_each_table_number([&](auto table) {
            for (const auto& row : side_table<table>(batch_)) {
                std::string line = fmt::format("row {} of {}", table.value, row.event);
                for_each_fact(
                    [&](auto kind, const auto& fact) {
                        using Kind = decltype(kind);
                        if constexpr (std::is_same_v<Kind, ConfigFact>)
                            line += fmt::format(" {}", value(fact));
                        else if constexpr (std::is_same_v<typename Kind::Stored, StringId>)
                            line += fmt::format(" '{}'", name(fact));
                        else
                            line += fmt::format(" {}", fact.value);
                    },
                    row);
                add("{}", line);
            }
        });
    }

    void marks() {
        for (const CounterRow& r : batch_.counters)
            add("counter {} '{}' {}", r.event, name(r.series), r.value);
        for (const MetadataRow& r : batch_.metadata)
            add("metadata {} {} '{}' {}", r.event, static_cast<int>(r.fact), name(r.text),
                r.number);
        for (const CategoryMeaning& c : batch_.categories)
            add("category '{}' class {} traits {}", name(c.category),
                static_cast<int>(c.event_class), c.traits);
        for (const auto& [word, count] : batch_.words) add("word '{}' {}", word, count);
        for (const BatchWarning& warning : batch_.warnings)
            add("warning {} @{}", warning.what->code, warning.source);
    }

    const Batch& batch_;
    std::string out_;
};

std::string describe_with(JsonScanner scanner, std::string_view text, bool last) {
    Batch batch;
    const ScanOutcome outcome = scanner.scan(text, batch, last, {});
    scanner.hand_over(batch);
    return Describer(batch).text(outcome);
}

}  // namespace

std::string describe_scan(std::string_view text, bool last) {
    return describe_with(JsonScanner(), text, last);
}

std::string describe_scan_key_by_key(std::string_view text, bool last) {
    return describe_with(JsonScanner(false), text, last);
}

}  // namespace lanescope::testing
