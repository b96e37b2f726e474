#include "ui/panels/table_panel.h"

#include <doctest/doctest.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/core/trace_maker.h"

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
        ImGui::CreateContext();
        ImGuiIO& io = ImGui::GetIO();
        io.IniFilename = nullptr;
        io.BackendFlags |= ImGuiBackendFlags_RendererHasTextures;
        io.DisplaySize = {800, 600};
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
    ShownPanel(const ShownPanel&) = delete;
    ShownPanel& operator=(const ShownPanel&) = delete;
    ~ShownPanel() {
        for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) texture->SetTexID(0);
        for (ImTextureData* texture : ImGui::GetPlatformIO().Textures)
            texture->SetStatus(ImTextureStatus_Destroyed);
        ImGui::DestroyContext();
    }

    void frame() {
        jobs_.take_results();
        ImGui::GetIO().DeltaTime = 1.0F / 60;
        ImGui::NewFrame();
        ImGui::SetNextWindowPos({0, 0});
        ImGui::SetNextWindowSize({800, 600});
        ImGui::Begin("numbers");
        Requests requests;
        panel.draw_contents(inputs, look_, requests);
        ImGui::End();
        ImGui::Render();
        vertices = ImGui::GetDrawData()->TotalVtxCount;
        for (ImTextureData* texture : ImGui::GetPlatformIO().Textures) {
            texture->SetTexID(1);
            texture->SetStatus(ImTextureStatus_OK);
        }
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
