#include "core/sql/span_join.h"

#include <doctest/doctest.h>
#include <fmt/format.h>

#include <random>
#include <set>
#include <tuple>

#include "tests/core/sql/sql_text.h"
#include "tests/core/trace_maker.h"

namespace lanescope {

using namespace testing;

namespace {

TracePtr empty_trace() {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 1, "a"}}});
    return maker.finish();
}

SpanTable random_spans(std::mt19937_64& random, bool partitioned) {
    SpanTable table;
    table.partitioned = partitioned;
    for (std::size_t i = 0; i < random() % 12; ++i) {
        const auto begin = static_cast<Nanos>(random() % 30);
        table.spans.push_back({{begin, begin + 1 + static_cast<Nanos>(random() % 10)},
                               partitioned ? static_cast<int64_t>(random() % 3) : 0});
    }
    return table;
}

// One entry for each nanosecond: the time, the partition, and the span of each side that covers it.
using Moments = std::multiset<std::tuple<Nanos, int64_t, uint32_t, uint32_t>>;

Moments moment_by_moment(const SpanTable& left, const SpanTable& right, SpanJoinKind kind) {
    std::set<int64_t> partitions;
    if (!left.partitioned && !right.partitioned) partitions.insert(0);
    for (const SpanTable* const table : {&left, &right})
        if (table->partitioned)
            for (const PartitionedSpan& span : table->spans) partitions.insert(span.partition);
    Moments moments;
    for (const int64_t partition : partitions)
        for (Nanos t = 0; t < 50; ++t) {
            const auto covering = [&](const SpanTable& table) {
                std::vector<uint32_t> found;
                for (uint32_t i = 0; i < table.spans.size(); ++i)
                    if (table.spans[i].range.contains(t) &&
                        (!table.partitioned || table.spans[i].partition == partition))
                        found.push_back(i);
                return found;
            };
            auto a = covering(left);
            auto b = covering(right);
            if (b.empty() && kind != SpanJoinKind::inner) b.push_back(JoinedSpan::none);
            if (a.empty() && kind == SpanJoinKind::outer) a.push_back(JoinedSpan::none);
            for (const uint32_t i : a)
                for (const uint32_t j : b)
                    if (i != JoinedSpan::none || j != JoinedSpan::none)
                        moments.emplace(t, partition, i, j);
        }
    return moments;
}

}  // namespace

TEST_CASE("span join: random spans, compared moment by moment") {
    std::mt19937_64 random(11);
    for (int round = 0; round < 600; ++round) {
        const SpanTable left = random_spans(random, random() % 2);
        const SpanTable right = random_spans(random, random() % 2);
        for (const SpanJoinKind kind :
             {SpanJoinKind::inner, SpanJoinKind::left, SpanJoinKind::outer}) {
            const auto joined = join_spans(left, right, kind, 100'000);
            REQUIRE(joined);
            Moments moments;
            for (const JoinedSpan& span : *joined) {
                REQUIRE(span.range.length() > 0);
                for (Nanos t = span.range.begin; t < span.range.end; ++t)
                    moments.emplace(t, span.partition, span.left, span.right);
            }
            REQUIRE(moments == moment_by_moment(left, right, kind));
        }
    }
    SpanTable many;
    for (int i = 0; i < 100; ++i) many.spans.push_back({{0, 10}, 0});
    CHECK_FALSE(join_spans(many, many, SpanJoinKind::inner, 1000));
}

TEST_CASE("span join: in SQL, with partitions, and unmatched times as null") {
    const auto connection = connect(empty_trace());
    sql(*connection,
        "create table a(ts, dur, cpu, x); insert into a values (0, 10, 0, 'p'), (10, 10, 0, 'q'), "
        "(0, 5, 1, 'r'), (30, NULL, 1, 's'); create table b(ts, dur, cpu, y); insert into b values "
        "(5, 10, 0, 1.5), (3, 1, 1, NULL)");
    CHECK(sql(*connection,
              "create virtual table j using span_join(a partitioned cpu, b partitioned "
              "cpu); select * from j order by cpu, ts") == "5,5,0,p,1.5\n10,5,0,q,1.5\n3,1,1,r,\n");
    CHECK(sql(*connection,
              "create virtual table l using SPAN_LEFT_JOIN(a PARTITIONED cpu, b "
              "PARTITIONED cpu); select ts, dur, x, y from l where cpu = 0 order by ts") ==
          "0,5,p,\n5,5,p,1.5\n10,5,q,1.5\n15,5,q,\n");
    CHECK(sql(*connection,
              "create view c as select 0 as ts, 40 as dur, 'all' as z; create virtual "
              "table o using span_outer_join(b partitioned cpu, c); select * from o "
              "where cpu = 1") == "0,3,1,,all\n3,1,1,,all\n4,36,1,,all\n");
    CHECK(sql(*connection, "drop table j; select count(*) from l") == "7\n");
    CHECK(sql_error(*connection, "create virtual table e using span_join(a, nothing)")
              .find("nothing") != std::string::npos);
    CHECK(
        sql_error(*connection, "create virtual table e using span_join(a, slice partitioned oops)")
            .find("oops") != std::string::npos);
    CHECK(!sql_error(*connection, "create virtual table e using span_join(a)").empty());
    CHECK(sql_error(*connection,
                    "create virtual table e using span_join(a partitioned cpu, a partitioned cpu)")
              .find("have the column x:") != std::string::npos);
    CHECK(sql(*connection,
              "create view d as select 0 as ts, 40 as dur, 7 as \"in \"\"quotes\"\"\"; create "
              "virtual table q using span_join(b, d); select \"in \"\"quotes\"\"\" from q limit "
              "1") == "7\n");
}

TEST_CASE("flow functions: what a slice leads to, and what leads to it") {
    TraceMaker maker;
    maker.process("1", "python");
    // 0 contains 1; 2 and 3 follow.
    maker.lane({{{0, 100, "outer"}, {10, 20, "inner"}, {200, 10, "second"}, {300, 10, "third"}}});
    const SliceRef outer{0, 0};
    const SliceRef second{0, 1};
    const SliceRef third{0, 2};
    const SliceRef inner{0, 3};
    maker.trace().links = {{second, third, LinkKind::flow}, {inner, second, LinkKind::flow}};
    maker.trace().links_by_target = {1, 0};
    const auto connection = connect(maker.finish());
    const auto flows = [&](std::string_view function, uint32_t id) {
        return sql(*connection,
                   fmt::format("select slice_out, slice_in from {}({}) order by 1", function, id));
    };
    CHECK(flows("following_flow", outer.index) == "1,2\n3,1\n");
    CHECK(flows("directly_connected_flow", outer.index).empty());
    CHECK(flows("directly_connected_flow", second.index) == "1,2\n3,1\n");
    CHECK(flows("preceding_flow", third.index) == "1,2\n3,1\n");
    CHECK(flows("preceding_flow", inner.index).empty());
}

}  // namespace lanescope
