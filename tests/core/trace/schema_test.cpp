// Every fact of every side table stands on the row of its event, wherever the tables go: a finished
// trace, a copy of it, a growing trace, a joined trace and its parts.
#include "core/trace/schema.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <string>
#include <vector>

#include "core/ingest/build/live_trace.h"
#include "core/ingest/build/trace_builder.h"
#include "core/trace/join.h"

using namespace lanescope;

namespace {

constexpr uint32_t kLanes = 3;
constexpr uint32_t kEvents = 24;
constexpr Nanos kFirst = 1'000'000;

enum class Rare { some_rows, no_rows };

// The value of a fact about an event; facts that are not in every row are recorded for every other
// event.
int64_t value_of(std::size_t table, std::size_t fact, uint32_t event) {
    return static_cast<int64_t>(100'000 * (table + 1) + 1'000 * (fact + 1) + event);
}
std::string text_of(std::size_t table, std::size_t fact, uint32_t event) {
    return fmt::format("text {}", value_of(table, fact, event));
}
bool has_value(bool in_every_row, Rare rare, uint32_t event) {
    return in_every_row || (rare == Rare::some_rows && event % 2 == 1);
}

// Events in lanes that alternate, each earlier than the one before unless `step` is positive, with
// a row in each table. The start of an event tells its number.
class FilledBatch {
  public:
    explicit FilledBatch(Rare rare, Nanos step = -100) : rare_(rare) {
        const LocalId name = add_text("event"), category = add_text("work");
        batch.categories = {{category, EventClass::other, 0}};
        batch.processes = {{add_text("1"), kNoLocalId, -1, 0}};
        for (uint32_t lane = 0; lane < kLanes; ++lane)
            batch.lanes.push_back({0, add_text(fmt::format("{}", lane)), LaneRole::thread});
        for (uint32_t event = 0; event < kEvents; ++event)
            batch.events.push_back({kFirst + step * Nanos{event}, 50, 0, name, category,
                                    event % kLanes, event, EventKind::slice,
                                    kHasTime | kHasDuration});
        for_each_table_number([&](auto table) { fill<table>(); });
        for (const std::string& text : texts_) batch.texts.push_back(text);
    }
    FilledBatch(const FilledBatch&) = delete;
    FilledBatch& operator=(const FilledBatch&) = delete;

    Batch batch;

  private:
    LocalId add_text(std::string text) {
        texts_.push_back(std::move(text));
        return static_cast<LocalId>(texts_.size() - 1);
    }

    template <std::size_t table>
    void fill() {
        using Row =
            typename std::remove_reference_t<decltype(side_table<table>(batch))>::value_type;
        for (uint32_t event = 0; event < kEvents; ++event) {
            Row& row = side_table<table>(batch).emplace_back(event);
            for_each_fact_number<Row>([&](auto i) {
                using Kind = KindOfFact<i, Row>;
                if (!has_value(Kind::in_every_row, rare_, event)) return;
                auto& given = fact<i>(row);
                const int64_t value = value_of(table, i, event);
                if constexpr (std::is_same_v<Kind, ConfigFact>)
                    given.grid[0] = static_cast<uint32_t>(value);
                else if constexpr (std::is_same_v<typename Kind::Stored, StringId>)
                    given = add_text(text_of(table, i, event));
                else
                    given = static_cast<typename Kind::Given>(value);
            });
        }
    }

    Rare rare_;
    std::vector<std::string> texts_ = {""};
};

uint32_t event_at(Nanos time, Nanos first) {
    return static_cast<uint32_t>((time > first ? time - first : first - time) / 100);
}

// The facts that do not stand on the row of their event: "2.5" is fact 5 of table 2.
class WrongFacts {
  public:
    WrongFacts(const Trace& trace, Rare rare, Nanos first)
        : trace_(trace), rare_(rare), first_(first) {}

    // `live`: a growing trace, which lacks some tables.
    std::vector<std::string> find(bool live = false) {
        for_each_table_number([&](auto table) {
            if (!live || side_table<table>(trace_).rows() > 0) check_table<table>();
        });
        return wrong_;
    }

  private:
    template <std::size_t table>
    void check_table() {
        const auto& rows = side_table<table>(trace_);
        if (rows.rows() != kEvents) return wrong_.push_back(fmt::format("{}: rows", table));
        for_each_fact_number<std::remove_cvref_t<decltype(rows)>>([&](auto i) {
            for (uint32_t row = 0; row < kEvents; ++row) {
                Nanos time = 0;
                if constexpr (requires { rows.slice; })
                    time = trace_.start(rows.slice[row]);
                else
                    time = rows.time[row];
                if (is_right<table, i>(rows, row, event_at(time, first_))) continue;
                wrong_.push_back(fmt::format("{}.{}", table, i.value));
                return;
            }
        });
    }

    template <std::size_t table, std::size_t i, typename Table>
    bool is_right(const Table& rows, uint32_t row, uint32_t event) const {
        using Kind = KindOfFact<i, Table>;
        const auto& column = fact<i>(rows);
        if (rare_ == Rare::no_rows && !Kind::in_every_row && column.empty()) return true;
        if (column.size() != kEvents) return false;
        const int64_t value = value_of(table, i, event);
        if (!has_value(Kind::in_every_row, rare_, event)) return column[row] == Kind::none;
        if constexpr (std::is_same_v<Kind, ConfigFact>)
            return trace_.launch_configs[column[row]].grid[0] == value;
        else if constexpr (std::is_same_v<typename Kind::Stored, StringId>)
            return trace_.strings[column[row]] == text_of(table, i, event);
        else
            return column[row] == value;
    }

    const Trace& trace_;
    Rare rare_;
    Nanos first_;
    std::vector<std::string> wrong_;
};

std::vector<std::string> wrong_facts(const Trace& trace, Rare rare = Rare::some_rows,
                                     Nanos first = kFirst) {
    return WrongFacts(trace, rare, first).find();
}

Trace built(Rare rare = Rare::some_rows, const Trace* vocabulary = nullptr) {
    const FilledBatch filled(rare);
    TraceBuilder builder(vocabulary);
    builder.append(filled.batch);
    return builder.finish(2);
}

const std::vector<std::string> kNone;

}  // namespace

TEST_CASE("facts of a finished trace") {
    for (const Rare rare : {Rare::some_rows, Rare::no_rows})
        CHECK(wrong_facts(built(rare), rare) == kNone);
    const Trace empty = TraceBuilder().finish(1);
    for_each_table([](auto& table) { CHECK(table.rows() == 0); }, empty);
}

TEST_CASE("facts of a growing trace") {
    const FilledBatch filled(Rare::some_rows, 100);
    LiveTrace live;
    live.append(filled.batch);
    Trace trace;
    for (int look = 0; look < 30; ++look) trace = live.snapshot({});  // until slices are sealed
    CHECK(trace.gpu_activities.rows() == kEvents);
    CHECK(trace.runtime_calls.rows() == kEvents);
    CHECK(trace.synchronisations.rows() == kEvents);
    CHECK(trace.memory_events.rows() == kEvents);
    CHECK(WrongFacts(trace, Rare::some_rows, kFirst).find(true) == kNone);
}

TEST_CASE("facts of a joined trace and of its parts") {
    const auto first = std::make_shared<const Trace>(built(Rare::some_rows));
    const auto second = std::make_shared<const Trace>(built(Rare::no_rows, first.get()));
    const Result<JoinedTrace> joined = join_traces({{first, 0, "a"}, {second, 5'000'000, "b"}});
    REQUIRE(joined);
    CHECK(wrong_facts(*joined->parts[0], Rare::some_rows) == kNone);
    CHECK(wrong_facts(*joined->parts[1], Rare::no_rows, kFirst + 5'000'000) == kNone);
    for_each_table(
        [](const auto& whole, const auto& a, const auto& b) {
            REQUIRE(whole.rows() == a.rows() + b.rows());
            for_each_fact(
                [&](auto kind, const auto& column, const auto& from_a, const auto& from_b) {
                    const auto at = [&](const auto& part, uint32_t row) {
                        return part.empty() ? kind.none : part[row];
                    };
                    for (uint32_t row = 0; row < kEvents; ++row) {
                        CHECK(at(column, row) == at(from_a, row));
                        CHECK(at(column, kEvents + row) == at(from_b, row));
                    }
                },
                whole, a, b);
        },
        *joined->whole, *joined->parts[0], *joined->parts[1]);
}

// The check of this file is worth something only if it sees each column that is wrong.
TEST_CASE("a column that is not sorted with its table is seen") {
    int columns = 0;
    for_each_table_number([&](auto table) {
        using Table = std::remove_reference_t<decltype(side_table<table>(std::declval<Trace&>()))>;
        for_each_fact_number<Table>([&](auto i) {
            Trace trace = built();
            auto& column = fact<i>(side_table<table>(trace));
            std::swap(column[0], column[kEvents - 1]);
            CHECK(wrong_facts(trace) == std::vector{fmt::format("{}.{}", table.value, i.value)});
            ++columns;
        });
    });
    CHECK(columns > 40);
}
