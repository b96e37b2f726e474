#include "ui/workspace/first_table.h"

#include <doctest/doctest.h>

#include <algorithm>

#include "tests/core/trace_maker.h"

using namespace lanescope;

namespace {

TracePtr trace_of(std::string_view category) {
    TraceMaker maker;
    maker.process("1", "program");
    maker.lane({{{0, 5, "work", category}}});
    if (category == "kernel") maker.trace().gpu_activities.slice.push_back({0, 0});
    return maker.finish();
}

// The table in front after a trace was opened.
std::string shown(FirstTable& first, const TracePtr& trace, const std::string& in_front) {
    first.set_due(true);
    const auto panel = first.due_panel(*trace, std::vector<std::string>{"Selection", in_front});
    CHECK(!first.is_due());
    return panel ? std::string(*panel) : in_front;
}

}  // namespace

TEST_CASE("the table that fits: hotspots, kernels, operators, samples, slices, or lanes") {
    TraceMaker counters;
    CHECK(fitting_panel(*counters.finish()) == "Lanes");
    TraceMaker maker;
    maker.process("1", "program");
    maker.lane({{{0, 5, "work", "something"}}});
    const TracePtr trace = maker.finish();
    const auto fits = [&] {
        const std::string_view panel = fitting_panel(*trace);
        CHECK(std::ranges::count(panel_names(), panel) == 1);
        return panel;
    };
    CHECK(fits() == "Slices");
    maker.trace().sampled_calls.slice.push_back({0, 0});
    CHECK(fits() == "Samples");
    maker.lane({{{0, 5, "aten::add", "cpu_op"}}});
    CHECK(fits() == "Operators");
    maker.trace().gpu_activities.slice.push_back({0, 0});
    CHECK(fits() == "Kernels");
    maker.trace().operators.input_dims.push_back(maker.trace().strings.intern("[[], []]"));
    CHECK(fits() == "Kernels");
    maker.trace().operators.input_dims.push_back(maker.trace().strings.intern("[[8, 16]]"));
    CHECK(fits() == "Hotspots");
}

TEST_CASE("allocations come first if calls have no times") {
    TraceMaker maker;
    maker.process("1", "program");
    maker.lane({{{0, 5, "aten::add", "cpu_op"}}});
    maker.trace().facts.calls_have_times = false;
    const TracePtr trace = maker.finish();
    CHECK(fitting_panel(*trace) == "Operators");
    maker.trace().memory_events.time.push_back(1);
    CHECK(fitting_panel(*trace) == "Memory");
}

TEST_CASE("a table about the trace replaces that of hotspots for a while") {
    FirstTable first;
    CHECK(shown(first, trace_of("something"), "Hotspots") == "Slices");
    CHECK(shown(first, trace_of("cpu_op"), "Slices") == "Operators");
    CHECK(shown(first, trace_of("kernel"), "Operators") == "Kernels");
    CHECK(shown(first, trace_of("cpu_op"), "Steps") == "Steps");
    // Never overrides the user's choice: neither a table that was once opened, nor an empty table
    // chosen by name.
    CHECK(shown(first, trace_of("kernel"), "Slices") == "Slices");
    first.choose("Hotspots");
    CHECK(shown(first, trace_of("something"), "Hotspots") == "Hotspots");
}

TEST_CASE("a layout is saved without the temporary table") {
    FirstTable first;
    PanelLayout layout = default_layout(false, 1600, 900);
    layout.docked.children[0].children[1].front = "Lists##group";
    PanelLayout chosen = layout;
    first.leave_out(chosen);
    CHECK(same_layout(chosen, layout));
    shown(first, trace_of("something"), "Hotspots");
    first.leave_out(layout);
    CHECK(same_layout(layout, default_layout(false, 1600, 900)));
}
