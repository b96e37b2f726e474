#include "core/overlays/idle_spans.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <random>

#include "core/analysis/gpu/dead_windows.h"
#include "core/trace/query.h"
#include "tests/core/ingest/loaded_text.h"
#include "tests/core/real_traces.h"

using namespace lanescope;

TEST_CASE("joined traces have the idle spans of each, on every lane and device") {
    // Each part has spans on two lanes, of which the others' are empty.
    std::vector<std::shared_ptr<const IdleSpans>> parts;
    for (std::size_t part = 0; part < 2; ++part) {
        auto spans = std::make_shared<IdleSpans>();
        spans->rows.resize(2 * part + 2);
        spans->device_lines.resize(part + 1);
        for (std::size_t lane = 2 * part; lane < 2 * part + 2; ++lane)
            spans->rows[lane].push_back(idle_row({{static_cast<Nanos>(lane), 100}}));
        spans->device_lines[part].text = part == 0 ? "first" : "second";
        parts.push_back(spans);
    }
    const auto joined = joined_idle_spans(parts);
    REQUIRE(joined->rows.size() == 4);
    for (LaneId lane = 0; lane < 4; ++lane) {
        const IdleRow* const row = joined->row(lane, 0);
        REQUIRE(row);
        CHECK(row->spans == std::vector<TimeRange>{{static_cast<Nanos>(lane), 100}});
    }
    REQUIRE(joined->device_line(1));
    CHECK(joined->device_line(0)->text == "first");
    CHECK(joined->device_line(1)->text == "second");
    CHECK_FALSE(joined->device_line(2));
}

TEST_CASE("the long idle spans in a range are found, whichever events are ignored") {
    std::mt19937_64 random(8);
    for (const std::size_t count : {0UL, 1UL, 63UL, 64UL, 65UL, 5000UL, 300'000UL}) {
        std::vector<TimeRange> spans;
        Nanos at = 0;
        for (std::size_t i = 0; i < count; ++i) {
            at += 1 + static_cast<Nanos>(random() % 50);
            const auto length = static_cast<Nanos>(random() % 300 == 0 ? random() % 9000 : 20);
            spans.push_back({at, at + length + 1});
            at = spans.back().end;
        }
        const IdleRow row = idle_row(spans);
        std::vector<uint32_t> found;
        for (int round = 0; round < 40; ++round) {
            const auto begin = static_cast<Nanos>(random() % static_cast<uint64_t>(at + 1));
            const TimeRange range{begin, begin + static_cast<Nanos>(random() % 1'000'000)};
            const auto min_length =
                static_cast<Nanos>(random() % 2 ? 1 + random() % 30 : 1000 + random() % 9000);
            std::vector<uint32_t> expected;
            for (uint32_t i = 0; i < spans.size(); ++i)
                if (spans[i].overlaps(range) && spans[i].length() >= min_length)
                    expected.push_back(i);
            find_spans(row, range, min_length, 1'000'000, found);
            CHECK(found == expected);
            if (expected.size() > 3) {
                find_spans(row, range, min_length, 3, found);
                expected.resize(3);
                CHECK(found == expected);
            }
        }
        for (uint32_t i = 0; i < spans.size(); i += 7) {
            CHECK(span_at(row, spans[i].begin, 1) == i);
            CHECK(span_at(row, spans[i].end - 1, 1) == i);
            CHECK_FALSE(span_at(row, spans[i].begin - 1, 1).has_value());
            CHECK_FALSE(span_at(row, spans[i].begin, spans[i].length() + 1).has_value());
        }
    }
}

TEST_CASE("recorded traces: every dead window is below its call, every gap between its kernels") {
    for (const std::string& name :
         lanescope::testing::traces_here({"synthetic_step.json.gz", "torch/h100_bert_small.json.gz",
                                          "torch/v100_ns_absolute_ts.json.gz"})) {
        CAPTURE(name);
        const auto trace = lanescope::testing::load_real_trace(name);
        REQUIRE(trace);
        const TraceContext context(trace);
        const auto idle = find_idle_spans(context);
        std::vector<DeadWindow> windows;
        std::size_t waiting = 0;
        for (const DeadWindow& window : dead_windows(context, {})) {
            if (window.is_dead())
                windows.push_back(window);
            else
                ++waiting;
        }
        if (name == "torch/v100_ns_absolute_ts.json.gz") CHECK(waiting == 5);
        std::size_t shown = 0;
        for (const auto& rows : idle->rows)
            for (const IdleRow& row : rows)
                if (row.causes.empty()) shown += row.spans.size();
        CHECK(shown == windows.size());
        for (const DeadWindow& window : windows) {
            const uint32_t depth = depth_of(*trace, window.parent()) + 1;
            const IdleRow* row = idle->row(window.parent().lane, depth);
            REQUIRE(row);
            const auto at = span_at(*row, window.range.begin, 1);
            REQUIRE(at);
            CHECK(row->spans[*at] == window.range);
            // If calls overlap partly, a call may be deeper than directly below its parent.
            const Neighbours sides =
                sides_of_window(*trace, window.parent().lane, depth, window.range);
            if (!window.after() || depth_of(*trace, window.after()) == depth)
                CHECK(sides.before == window.after());
            if (!window.before() || depth_of(*trace, window.before()) == depth)
                CHECK(sides.after == window.before());
        }
        std::size_t gaps = 0;
        std::size_t longer = 0;  // than the GPU's, because another stream was busy
        const Column<IdleGap> all_gaps = idle_gaps(context, {});
        for (const IdleGap& gap : all_gaps) {
            if (gap.of_device) continue;
            ++gaps;
            const SliceRef after = trace->gpu_activities.slice[gap.after];
            const IdleRow* row = idle->row(after.lane, depth_of(*trace, after));
            REQUIRE(row);
            const auto at = span_at(*row, gap.range.begin, 1);
            REQUIRE(at);
            CHECK(row->causes[*at] == gap.cause);
            CHECK(row->sides[*at].first == trace->gpu_activities.slice[gap.before].index);
            CHECK(row->sides[*at].second == after.index);
            Nanos device_idle = 0;
            for (const IdleGap& of_device : all_gaps)
                if (of_device.of_device && of_device.process == gap.process &&
                    of_device.device == gap.device && of_device.range.overlaps(gap.range))
                    device_idle += std::min(of_device.range.end, gap.range.end) -
                                   std::max(of_device.range.begin, gap.range.begin);
            CHECK(row->device_idle[*at] == device_idle);
            if (device_idle < gap.range.length()) ++longer;
        }
        CHECK(gaps > 20);
        if (name == "synthetic_step.json.gz") CHECK(longer > 0);
        const std::string_view busy =
            name != "torch/h100_bert_small.json.gz"
                ? "busy "
                : "busy 7.9 % of its span · idle mostly waiting for the host";
        const auto says_busy = [&](const DeviceLine& line) {
            return line.text.starts_with(busy) && line.text.starts_with(line.busy + " of");
        };
        CHECK(std::ranges::any_of(idle->device_lines, says_busy));
    }
}

TEST_CASE("texts of idle spans are readable on their background in both themes") {
    for (const Theme theme : {Theme::dark, Theme::light}) {
        const Color bg = theme_colors(theme).bg;
        std::vector<IdleLook> looks = {dead_window_look(theme)};
        for (int c = 0; c <= static_cast<int>(GapCause::launch_latency); ++c)
            looks.push_back(gap_look(theme, static_cast<GapCause>(c)));
        for (const IdleLook& look : looks) {
            CHECK(contrast(look.text, look.fill) >= 4.5);
            CHECK(contrast(look.fill, bg) < 1.5);  // quiet
        }
        CHECK(contrast(dead_window_look(theme).line, bg) >= 1.25);
    }
}

// train.py > op > (frame > inner), with 20 us in op before the frame: without frames, the window is
// in the row of `inner`.
TEST_CASE("dead windows follow their calls when frames are left out") {
    const TracePtr trace = testing::loaded(R"({"traceEvents":[
        {"ph":"X","cat":"python_function","name":"train.py(1): f","pid":1,"tid":1,"ts":0,"dur":100},
        {"ph":"X","cat":"cpu_op","name":"outer","pid":1,"tid":1,"ts":10,"dur":80},
        {"ph":"X","cat":"cpu_op","name":"inner","pid":1,"tid":1,"ts":30,"dur":60}]})");
    const TraceContext context(trace);
    const auto idle = find_idle_spans(context);
    const ShownLanesPtr shown = filter_lanes(*trace, {PythonShown::modules, false});
    REQUIRE(shown);
    const LaneId lane = 0;
    REQUIRE(idle->row(lane, 2));
    const auto windows = shown_idle_spans(*trace, *idle, shown);
    CHECK(windows->shown == shown);
    CHECK(!windows->row(lane, 2));
    const IdleRow* const row = windows->row(lane, 1);
    REQUIRE(row);
    CHECK(row->spans == std::vector<TimeRange>{{trace->origin + 10'000, trace->origin + 30'000}});
    CHECK(row->depths == std::vector<uint32_t>{2});
}
