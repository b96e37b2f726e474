// The table slice answers with constraints and orders of its own what SQLite answers without.
#include <doctest/doctest.h>
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <vector>

#include "tests/core/ingest/loaded_text.h"
#include "tests/core/real_traces.h"
#include "tests/core/sql/sql_text.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

using namespace testing;

namespace {

TracePtr several_lanes(uint64_t seed) {
    std::mt19937_64 random(seed);
    TraceMaker maker;
    maker.process("1", "python");
    for (const Spread spread : kSpreads) {
        std::vector<TestSlice> slices = random_row(random, 60, spread, 1000);
        for (const TestSlice& outer : random_row(random, 40, spread, 1010))
            slices.push_back({outer.start, outer.duration / 3, outer.name, outer.category});
        maker.lane({slices});
        maker.instants({1000, 1500, 1500, 90'000});
    }
    return maker.finish();
}

std::string one_of(std::mt19937_64& random, const std::vector<std::string>& words) {
    return words[random() % words.size()];
}

std::string random_condition(std::mt19937_64& random) {
    const std::string time =
        one_of(random, {"1500", "2000.5", "'3000'", "-5", "1e300", "NULL", "12000", "'x'", "1000"});
    const std::string number = one_of(random, {"0", "3", "17", "'4'", "2.0", "2.5", "-1", "1e18",
                                               "NULL", "99999", "'gemm'", "120"});
    const std::string text =
        one_of(random, {"'gemm'", "'aten::mm'", "'none'", "''", "NULL", "5", "'mark'", "'kernel'"});
    switch (random() % 7) {
        case 0:
            return fmt::format("ts {} {}", one_of(random, {"<", "<=", ">", ">=", "=", "!="}), time);
        case 1:
            return fmt::format("{} {} {}", one_of(random, {"id", "track_id", "parent_id", "dur"}),
                               one_of(random, {"=", "<", "IS", "!="}), number);
        case 2:
            return fmt::format("{} {} {}", one_of(random, {"name", "category", "cat"}),
                               one_of(random, {"=", "!=", "IS", "= 'gemm' OR name ="}), text);
        case 3:
            return fmt::format("id IN ({}, 5, 9, '11')", number);
        case 5:
            return fmt::format("{} IN ({}, {}, 'mark')",
                               one_of(random, {"category", "cat", "name"}), text,
                               one_of(random, {"'kernel'", "5", "x'6d'", "'gemm'"}));
        case 4:
            return fmt::format("name = {} COLLATE NOCASE", text);
        default:
            return fmt::format("track_id IN (0, {}) AND depth = 1", number);
    }
}

}  // namespace

TEST_CASE("slice: every condition and order gives the rows of a table of SQLite's") {
    const auto connection = connect(several_lanes(5));
    sql(*connection,
        "CREATE TABLE plain(id INTEGER, ts INTEGER, dur INTEGER, track_id INTEGER, category TEXT, "
        "name TEXT, depth INTEGER, parent_id INTEGER, arg_set_id INTEGER, cat TEXT); "
        "INSERT INTO plain SELECT *, cat FROM slice");
    CHECK(sql(*connection, "select count(*) from plain") != "0\n");
    std::mt19937_64 random(7);
    std::size_t rows = 0;
    for (int round = 0; round < 400; ++round) {
        std::string where = random_condition(random);
        if (random() % 2) where = fmt::format("({}) AND ({})", where, random_condition(random));
        const std::string order =
            one_of(random, {"id", "ts, id", "ts DESC, id", "name, id", "track_id, ts, id",
                            "track_id, ts", "category, id", "ts", "ts DESC", "name", "cat"});
        const bool total = order.find("id") != std::string::npos && order != "track_id, ts";
        const std::string columns = total ? "*" : order.substr(0, order.find(" DESC"));
        const auto query = [&](std::string_view table) {
            return fmt::format("SELECT {} FROM {} WHERE {} ORDER BY {}", columns, table, where,
                               order);
        };
        CAPTURE(where);
        CAPTURE(order);
        const std::string ours = sql(*connection, query("slice"));
        REQUIRE(ours ==
                sql(*connection,
                    query("(select id, ts, dur, track_id, category, name, depth, parent_id, "
                          "arg_set_id, cat from plain)")
                        .replace(7, columns == "*" ? 1 : 0,
                                 columns == "*" ? "id, ts, dur, track_id, category, name, depth, "
                                                  "parent_id, arg_set_id"
                                                : "")));
        rows += static_cast<std::size_t>(std::ranges::count(ours, '\n'));
    }
    CHECK(rows > 5000);
}

TEST_CASE("slice: groups and different values are those of a table of SQLite's") {
    const auto connection = connect(several_lanes(6));
    sql(*connection, "CREATE TABLE plain AS SELECT *, cat FROM slice");
    constexpr const char* kJoin =
        "select a.id, count(*) from {0} a join {0} b using (name) where b.depth = 1 group by 1 "
        "order by 1";
    constexpr const char* kGaps =
        "select id, ts - lag(ts + dur) over (partition by track_id order by ts, id) from {} "
        "order by 1";
    for (const char* const query :
         {"select name, count(*), sum(dur) from {} group by name order by 1",
          "select category, count(*), min(ts) from {} group by 1 order by 1",
          "select track_id, count(*), max(ts) from {} group by 1 order by 1",
          "select track_id, name, count(*) from {} group by 1, 2 order by 1, 2",
          "select distinct name from {} order by 1", "select distinct category from {} order by 1",
          "select distinct track_id from {} order by 1 desc",
          "select distinct name, category from {} order by 1, 2",
          "select distinct rowid - rowid from {}",
          "select count(*) from (select distinct rowid from {})",
          "select distinct name from {} where dur > 100 order by 1",
          "select count(distinct name), count(distinct track_id) from {}",
          "select name from {} where ts > 2000 group by name having count(*) > 3 order by name",
          "select a.id, b.id from {0} a join {0} b on b.parent_id = a.id order by 1, 2", kJoin,
          kGaps}) {
        CAPTURE(query);
        const std::string ours = sql(*connection, fmt::format(fmt::runtime(query), "slice"));
        CHECK(!ours.empty());
        CHECK(ours == sql(*connection, fmt::format(fmt::runtime(query), "plain")));
    }
}

TEST_CASE("slice: plans that need no sorting") {
    const auto connection = connect(several_lanes(5));
    const auto plan = [&](std::string_view query) {
        return sql(*connection, fmt::format("explain query plan {}", query));
    };
    CHECK(plan("select dur + 0 as d from slice order by d").find("TEMP B-TREE") !=
          std::string::npos);
    for (const std::string_view query :
         {"select track_id, ts from slice where category in ('a', 'b', 'mark') order by 1, 2",
          "select track_id, lag(ts) over (partition by track_id order by ts) from slice where "
          "category in ('a', 'b')",
          "select name, count(*) from slice group by name",
          "select t.name, count(*) from slice s join thread_track tt on s.track_id = tt.id join "
          "thread t using(utid) group by 1"}) {
        CAPTURE(query);
        CHECK(plan(query).find("TEMP B-TREE") == std::string::npos);
    }
}

TEST_CASE("slice: a join goes from a slice through its descendants to what they launched") {
    const TracePtr trace = load_real_trace("synthetic_step.json.gz");
    REQUIRE(trace);
    SqlOptions options;
    options.timeout = std::chrono::seconds(60);
    const auto connection = connect(trace, options);
    const std::string down =
        "select o.id, sum(k.dur) from operator_call o, descendant_slice(o.id) c join kernel k on "
        "k.launch_id = c.id group by 1 order by 1";
    const std::string up =
        "select o.id, sum(k.dur) from kernel k, ancestor_slice(k.launch_id) c join operator_call o "
        "on o.id = c.id group by 1 order by 1";
    CHECK(sql(*connection, down).size() > 100);
    CHECK(sql(*connection, down) == sql(*connection, up));
    // The function comes before the kernels, which are found by their launch.
    const std::string plan = sql(*connection, "explain query plan " + down);
    CAPTURE(plan);
    const std::size_t function = plan.find("SCAN c VIRTUAL");
    CHECK(function != std::string::npos);
    CHECK(function < plan.find("SCAN gpu_activity VIRTUAL"));
}

TEST_CASE("slice: ancestors and descendants are those that parents lead to") {
    const auto connection = connect(several_lanes(8));
    const std::string by_parents = sql(
        *connection,
        "with recursive above(start, id) as (select id, parent_id from slice where parent_id is "
        "not null union all select above.start, slice.parent_id from above join slice on slice.id "
        "= above.id where slice.parent_id is not null) select start, id from above order by 1, 2");
    CHECK(by_parents.size() > 100);
    CHECK(
        sql(*connection, "select s.id, a.id from slice s, ancestor_slice(s.id) a order by 1, 2") ==
        by_parents);
    CHECK(sql(*connection,
              "select d.id, s.id from slice s, descendant_slice(s.id) d order by 1, 2") ==
          by_parents);
    CHECK(sql(*connection, "select sum(slice_is_ancestor(a.id, b.id)) from slice a, slice b") ==
          fmt::format("{}\n", std::ranges::count(by_parents, '\n')));
    CHECK(sql_error(*connection, "select * from ancestor_slice").find("id of a slice") !=
          std::string::npos);
}

TEST_CASE("slice: times are those of the file, and instants are slices of no duration") {
    const auto connection = connect(loaded(R"([
        {"ph":"X","cat":"cpu_op","name":"outer","pid":1,"tid":2,"ts":1.5,"dur":4,"args":{"a":1}},
        {"ph":"i","cat":"mark","name":"now","pid":1,"tid":2,"ts":3,"s":"t"},
        {"ph":"X","cat":"","name":"","pid":1,"tid":2,"ts":2,"dur":1}])"));
    CHECK(sql(*connection, "select ts, dur, category, name, depth, parent_id from slice") ==
          "1500,4000,cpu_op,outer,0,\n2000,1000,,,1,0\n3000,0,mark,now,1,0\n");
    CHECK(sql(*connection, "select * from trace_bounds") == "1500,5500\n");
    CHECK(sql(*connection, "select count(*) from slice where name is null") == "1\n");
    CHECK(sql(*connection,
              "select distinct tid, pid, is_main_thread from thread join process "
              "using (upid)") == "2,1,0\n");
}

}  // namespace lanescope
