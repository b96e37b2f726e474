#include "core/search/matches.h"

#include <doctest/doctest.h>
#include <re2/re2.h>

#include <algorithm>
#include <random>
#include <string>
#include <tuple>

#include "core/search/matches_table.h"
#include "tests/core/search/parsed.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;
using lanescope::testing::parsed;

namespace {

std::string lower(std::string_view text) {
    std::string result(text);
    for (char& c : result) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return result;
}

bool holds(std::string_view text, const std::string& part) {
    return lower(text).find(part) != std::string::npos;
}

// The definition, literally, for one slice.
bool term_holds(const Trace& trace, SliceRef slice, const SearchTerm& term) {
    const Lane& lane = trace.lanes[slice.lane];
    const auto [chunk, i] = lane.locate(slice.index);
    const std::string_view name = trace.strings[chunk->name[i]];
    const std::string_view category = trace.strings[trace.categories[chunk->category[i]].name];
    std::vector<std::string_view> texts = {name, category};
    const Operators& ops = trace.operators;
    const uint32_t row = find_row(ops.slice, slice);
    if (row != kNoRow && !ops.input_dims.empty() && ops.input_dims[row] != 0)
        texts.push_back(trace.strings[ops.input_dims[row]]);
    const std::string tid = lower(trace.strings[lane.tid]);
    switch (term.kind) {
        case TermKind::text:
            return std::ranges::any_of(texts, [&](auto t) { return holds(t, term.text); });
        case TermKind::pattern:
            return std::ranges::any_of(texts, [&](auto t) {
                return re2::RE2::PartialMatch(std::string(t), *term.pattern);
            });
        case TermKind::name:
            return holds(name, term.text);
        case TermKind::category:
            return holds(category, term.text);
        case TermKind::lane:
            return holds(trace.strings[lane.name], term.text);
        case TermKind::arguments:
            FAIL("arguments are read by search_arguments()");
            return false;
        case TermKind::duration:
            return chunk->duration[i] >= term.min && chunk->duration[i] <= term.max;
        case TermKind::thread:
            return lane.kind != LaneKind::stream && tid == term.text;
        case TermKind::stream:
            return lane.kind == LaneKind::stream && tid == term.text;
        case TermKind::process:
            return lower(trace.strings[trace.processes[lane.process].pid]) == term.text ||
                   lower(trace.strings[trace.processes[lane.process].name]) == term.text;
        case TermKind::event_class:
            return trace.event_class(slice) == term.event_class;
    }
    return false;
}

std::vector<SliceRef> naive(const Trace& trace, const SearchExpression& expression,
                            std::optional<TimeRange> range) {
    std::vector<SliceRef> found;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
        for (uint32_t i = 0; i < trace.lanes[lane].slice_count; ++i) {
            const SliceRef slice{lane, i};
            const bool all = std::ranges::all_of(expression.terms, [&](const SearchTerm& term) {
                return term_holds(trace, slice, term) != term.negated;
            });
            if (all && (!range || range->contains(trace.start(slice)))) found.push_back(slice);
        }
    std::ranges::sort(found, {}, [&](SliceRef s) { return std::tuple(trace.start(s), s); });
    return found;
}

// Lanes of two processes, several chunks and depths, with shapes on some operators.
TracePtr random_trace(std::mt19937_64& random) {
    TraceMaker maker;
    maker.process("12", "python");
    const auto depths = [&](Nanos start) {
        std::vector<TestSlice> slices;
        for (const Spread spread : kSpreads) {
            const auto row = random_row(random, 40, spread, start);
            slices.insert(slices.end(), row.begin(), row.end());
        }
        return slices;
    };
    for (int lane = 0; lane < 3; ++lane) {
        const auto first = depths(0);
        Nanos end = 0;
        for (const TestSlice& slice : first) end = std::max(end, slice.start + slice.duration);
        maker.lane({first, depths(end + 1)});
        maker.trace().lanes.back().tid = maker.trace().strings.intern(std::to_string(lane));
    }
    maker.process("0", "GPU 0", true);
    maker.lane({random_row(random, 300, Spread::bursts, 5)}, LaneKind::stream);
    maker.trace().lanes.back().tid = maker.trace().strings.intern("7");
    Trace& trace = maker.trace();
    for (uint32_t i = 0; i < trace.lanes[1].slice_count; i += 3) {
        trace.operators.slice.push_back({1, i});
        trace.operators.input_dims.push_back(
            i % 2 == 0 ? trace.strings.intern(i % 4 == 0 ? "[[8, 16]]" : "[[32]]") : 0);
    }
    return maker.finish();
}

constexpr const char* kExpressions[] = {
    "",
    "mm",
    "-mm",
    "GEMM -dur>1us",
    "[8,",
    "-[8, aten",
    "re:^aten::(mm|add)$",
    "-re:^a dur=10ns..1ms",
    "cat:KERNEL",
    "name:kernel",
    "kernel",
    "kind:runtime dur>=2us",
    "tid:1",
    "stream:7 copy",
    "pid:12 -tid:0",
    "pid:python gemm",
    "lane:2",
    "nothing has this",
    "dur<0ns",
    "dur=0ns",
    "-kind:operator -kernel",
};

}  // namespace

TEST_CASE("Matches equal a test of each slice, for any number of threads") {
    std::mt19937_64 random(20);
    for (int round = 0; round < 6; ++round) {
        const TracePtr trace = random_trace(random);
        for (const char* text : kExpressions) {
            CAPTURE(text);
            const auto parsed = parse_search(text);
            if (!parsed) continue;
            for (const auto& range :
                 {std::optional<TimeRange>(), std::optional(TimeRange{1'000, 400'000})}) {
                const auto expected = naive(*trace, *parsed, range);
                const Matches found =
                    find_matches(trace, *parsed, range, 1 + static_cast<unsigned>(round % 3));
                CHECK(found.count == expected.size());
                CHECK(matches_by_time(found) == expected);
                for (const SliceRef slice : expected) CHECK(found.test(slice));
            }
        }
    }
}

TEST_CASE("Next and previous visit all matches in order of time, from anywhere") {
    std::mt19937_64 random(21);
    const TracePtr trace = random_trace(random);
    for (const char* text : {"mm", "kernel", "dur=0ns", "-aten"}) {
        CAPTURE(text);
        const Matches found = find_matches(trace, parsed(text));
        const auto all = matches_by_time(found);
        REQUIRE(all.size() > 3);
        SliceRef at = first_match_from(found, std::numeric_limits<Nanos>::min());
        for (std::size_t i = 0; i < all.size(); ++i) {
            CHECK(at == all[i]);
            CHECK(matches_before(found, at) == i);
            CHECK(match_before(found, at) == (i == 0 ? SliceRef() : all[i - 1]));
            at = match_after(found, at);
        }
        CHECK(!at);
        // From slices that do not match, and from times.
        for (uint32_t i = 0; i < trace->lanes[1].slice_count; i += 7) {
            const SliceRef slice{1, i};
            const auto key = [&](SliceRef s) { return std::tuple(trace->start(s), s); };
            const auto after = std::ranges::upper_bound(all, key(slice), {}, key);
            CHECK(match_after(found, slice) == (after == all.end() ? SliceRef() : *after));
            const auto before = std::ranges::lower_bound(all, key(slice), {}, key);
            CHECK(match_before(found, slice) ==
                  (before == all.begin() ? SliceRef() : *(before - 1)));
            const Nanos t = trace->start(slice);
            const auto from =
                std::ranges::lower_bound(all, t, {}, [&](SliceRef s) { return trace->start(s); });
            CHECK(first_match_from(found, t) == (from == all.end() ? SliceRef() : *from));
            CHECK(last_match_before(found, t) == (from == all.begin() ? SliceRef() : *(from - 1)));
        }
    }
}

TEST_CASE("A lane's matches are counted, and its next and previous match found") {
    LaneMatches lane;
    lane.bits = {uint64_t{1} << 63, 0, 5};
    lane.seal();
    CHECK(lane.count == 3);
    CHECK(lane.count_in(0, 63) == 0);
    CHECK(lane.count_in(63, 64) == 1);
    CHECK(lane.count_in(0, 192) == 3);
    CHECK(lane.count_in(129, 131) == 1);
    CHECK(lane.next(0) == 63);
    CHECK(lane.next(64) == 128);
    CHECK(lane.next(131) == SliceRef::no_index);
    CHECK(lane.previous(63) == SliceRef::no_index);
    CHECK(lane.previous(64) == 63);
    CHECK(lane.previous(1000) == 130);
    lane.bits = {0, 0};
    lane.seal();
    CHECK(lane.bits.empty());
    CHECK(!lane.test(3));
    CHECK(lane.count_in(0, 100) == 0);
}

TEST_CASE("The table lists matches with times from the trace's start") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{10, 5, "b", "cpu_op"}, {20, 1, "a", "kernel"}, {30, 2, "ab", "cpu_op"}}});
    maker.trace().origin = 10;
    const TracePtr trace = maker.finish();
    const Table table = matches_table(find_matches(trace, parsed("b")), 9);
    REQUIRE(table.row_count() == 2);
    CHECK(std::get<int64_t>(table.cell(1, 0)) == 20);
    CHECK(std::get<int64_t>(table.cell(1, 1)) == 2);
    CHECK(std::get<std::string_view>(table.cell(1, 2)) == "ab");
    CHECK(std::get<std::string_view>(table.cell(1, 4)) == "cpu_op");
    CHECK(std::get<std::string_view>(table.cell(1, 5)) == "lane 0");
    CHECK(table.target(1).slice == SliceRef{0, 2});
    CHECK(matches_table(find_matches(trace, parsed("")), 1).row_count() == 1);
}
