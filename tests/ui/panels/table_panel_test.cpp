#include "ui/panels/table_panel.h"

#include <doctest/doctest.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <nlohmann/json.hpp>
#include <numeric>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "core/export/tables/table_writer.h"
#include "tests/core/trace_maker.h"
#include "tests/ui/headless_imgui.h"

using namespace lanescope;

namespace {

struct NumberRow {
    uint32_t place;
    uint32_t count;  // of all rows
};
constexpr auto kNumberColumns = columns<NumberRow>({
    {{"name", Unit::none, kDistinct, "", "What it is."},
     [](const NumberRow&) { return std::string_view("number"); }},
    {{"place", Unit::count, kMin, "", "Where it stands."},
     [](const NumberRow& row) { return row.place; }},
    {{"parity", Unit::none, kDistinct, "", "Even or odd."},
     [](const NumberRow& row) { return std::string_view(row.place % 2 == 0 ? "even" : "odd"); }},
    {{"nothing", Unit::none, kSum, "always", "No value."},
     [](const NumberRow&) { return std::optional<int64_t>(); }},
    {{"third", Unit::none, kDistinct, "", "The rest of three."},
     [](const NumberRow& row) { return row.place % 3; }},
    {{"square_ns", Unit::nanoseconds, kSum, "", "Its square."},
     [](const NumberRow& row) { return int64_t{row.place} * row.place; }},
});
constexpr TableOf<NumberRow> kSpec = {
    {"numbers", "Numbers."}, kNumberColumns, [](const NumberRow& row) {
        return row.place == row.count - 7 ? RowTarget{{0, 0}, {}} : RowTarget{};
    }};

// Rows 0 to `count` - 1; clicking the seventh from the end selects the trace's only slice.
Table numbers(uint32_t count) {
    std::vector<uint32_t> items(count);
    std::iota(items.begin(), items.end(), 0U);
    return table_on_demand(kSpec, std::move(items), [count](uint32_t place) {
        return NumberRow{place, count};
    });
}

// A panel with so many rows in a window of its own, without OpenGL.
class ShownPanel {
  public:
    explicit ShownPanel(uint32_t rows) {
        look_.fonts = load_fonts();
        TraceMaker maker;
        maker.lane({{{0, 10}}});
        inputs.shown = maker.finish();
        inputs.context = std::make_shared<const TraceContext>(inputs.shown);
        inputs.jobs = &jobs_;
        panel.set_source([rows](const TraceContext&, const TableQuery&) { return numbers(rows); });
        do frame();
        while (!panel.ready());
        frame();
    }
    void frame() {
        jobs_.take_results();
        Requests requests;
        imgui_.frame([&] { panel.draw_contents(inputs, look_, requests); });
        vertices = ImGui::GetDrawData()->TotalVtxCount;
    }
    void click(float x, float y) {
        ImGui::GetIO().AddMousePosEvent(x, y);
        frame();
        for (const bool down : {true, false}) {
            ImGui::GetIO().AddMouseButtonEvent(0, down);
            frame();
        }
        settle();
    }
    void settle() {
        do frame();
        while (!panel.ready());
        frame();
    }
    // The first column of the rows shown.
    std::vector<std::string> names() {
        std::vector<std::string> all;
        for (const uint32_t row : panel.rows()) all.push_back(format_cell(*panel.table(), row, 0));
        return all;
    }
    void wheel(float notches) {
        ImGui::GetIO().AddMousePosEvent(400, 400);
        ImGui::GetIO().AddMouseWheelEvent(0, notches);
        frame();
    }
    void wait_for_the_worker() {
        do {
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
            frame();
        } while (!jobs_.idle());
        frame();
        frame();
    }

    PanelInputs inputs;
    TablePanel panel{"Numbers"};
    int vertices = 0;

  private:
    HeadlessImGui imgui_{800, 600};  // destroyed last
    Look look_;
    Jobs jobs_{[] {}};
};

struct Most {
    std::size_t rows = 0;
    int vertices = 0;
    std::size_t last = 0;  // the last row that was drawn
};

// The maximum that a frame draws while a table of so many rows is scrolled through.
Most scrolled_through(uint32_t rows) {
    ShownPanel shown(rows);
    Most most;
    const auto take = [&] {
        most.rows = std::max(most.rows, shown.panel.drawn_rows().count);
        most.vertices = std::max(most.vertices, shown.vertices);
        most.last = shown.panel.drawn_rows().last;
    };
    take();
    for (int i = 0; i < 200; ++i) {
        shown.wheel(-1);
        take();
    }
    CHECK(most.last > 200);
    for (int i = 0; i < 100; ++i) {
        shown.wheel(-static_cast<float>(rows) / 50);
        take();
    }
    return most;
}

}  // namespace

TEST_CASE("a table of a million rows draws as many of them as one of a thousand") {
    const Most few = scrolled_through(1000);
    const Most many = scrolled_through(1'000'000);
    CHECK(few.last == 999);
    CHECK(many.last == 999'999);
    CHECK(few.rows > 15);
    CHECK(few.rows < 60);  // of the window's height
    CHECK(many.rows <= few.rows + 1);
    CHECK(many.vertices < few.vertices * 5 / 4);  // numbers of more digits
}

TEST_CASE("a selected slice is found in the background, and its row scrolls into view") {
    ShownPanel shown(1'000'000);
    CHECK(shown.panel.drawn_rows().last < 100);
    shown.inputs.selected = {0, 0};
    shown.frame();
    CHECK(shown.panel.drawn_rows().last < 100);
    shown.wait_for_the_worker();
    CHECK(shown.panel.drawn_rows().last >= 999'993);
}

TEST_CASE("columns without any value are not shown, and come back with a value") {
    ShownPanel shown(10);
    const auto described = shown.panel.describe_table();
    CHECK(described["columns"].contains("parity"));
    CHECK_FALSE(described["columns"].contains("nothing"));
}

TEST_CASE("rows are grouped, groups open by a click, and none restores the table") {
    using Names = std::vector<std::string>;
    ShownPanel shown(7);
    shown.panel.group_by({"parity"});
    shown.settle();
    // Even squares: 0 + 4 + 16 + 36; odd ones: 1 + 9 + 25.
    CHECK(shown.names() == Names{"even", "odd"});
    auto described = shown.panel.describe_table();
    CHECK(described["group_by"] == nlohmann::json::array({"parity"}));
    CHECK(described["row_count"] == 2);
    CHECK(described["rows"][0]["rows"] == "4");
    CHECK(described["rows"][0]["square_ns"] == "56 ns");
    CHECK(described["rows"][1]["square_ns"] == "35 ns");
    CHECK_FALSE(described["columns"].contains("nothing"));
    shown.click(100, shown.panel.first_row_y());
    CHECK(shown.names() == Names{"even", "number", "number", "number", "number", "odd"});
    CHECK(shown.panel.describe_table()["rows"][4]["square_ns"] == "36 ns");
    shown.click(100, shown.panel.first_row_y());
    CHECK(shown.names() == Names{"even", "odd"});

    shown.panel.group_by({"parity", "third"});
    shown.settle();
    shown.click(100, shown.panel.first_row_y());
    CHECK(shown.names() == Names{"even", "0", "1", "2", "odd"});
    shown.panel.group_by({});
    shown.settle();
    CHECK(shown.panel.rows().size() == 7);
    CHECK(shown.panel.describe_table()["group_by"].empty());
}

TEST_CASE("a table of a million rows is grouped in the background") {
    ShownPanel shown(1'000'000);
    shown.panel.group_by({"third"});
    shown.frame();
    CHECK(shown.panel.busy());
    CHECK(shown.panel.rows().size() == 1'000'000);
    shown.settle();
    CHECK(shown.names() == std::vector<std::string>{"0", "2", "1"});
}
