#include "ui/panels/sql_panel.h"

#include <doctest/doctest.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "core/export/tables/table_writer.h"
#include "tests/core/trace_maker.h"
#include "tests/ui/headless_imgui.h"
#include "tests/ui/panels/requested.h"
#include "ui/panels/sql_examples.h"

using namespace lanescope;

namespace {

constexpr const char* kEndless =
    "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n";

TracePtr slices() {
    TraceMaker maker;
    maker.process("1", "program");
    maker.lane({{{100, 50, "outer"}, {110, 10, "inner"}}});
    maker.trace().origin = 100;
    maker.trace().end = 1000;
    return maker.finish();
}

// The panel in a window of its own, without OpenGL.
class ShownSql {
  public:
    explicit ShownSql(std::vector<std::string> traces = {"only"}) {
        look_.fonts = load_fonts();
        inputs.session = std::make_shared<SqlSession>();
        for (std::string& name : traces) {
            inputs.session->parts.push_back(slices());
            inputs.session->contexts.push_back(
                std::make_shared<const TraceContext>(inputs.session->parts.back()));
            inputs.session->names.push_back(std::move(name));
        }
        inputs.table.shown = inputs.session->parts.front();
        inputs.table.context = inputs.session->contexts.front();
        inputs.table.jobs = &jobs_;
        inputs.settings = &settings;
        settle();
    }
    ~ShownSql() { panel.forget(); }
    ShownSql(const ShownSql&) = delete;
    ShownSql& operator=(const ShownSql&) = delete;

    void frame() {
        jobs_.take_results();
        requests = {};
        imgui_.frame([&] { panel.draw_contents(inputs, look_, requests); });
        if (const auto slice = testing::zoomed_to(requests)) zoomed_to = slice;
    }
    void settle() {
        do {
            frame();
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        } while (!panel.ready() || !jobs_.idle());
        frame();
        frame();
    }
    // One key with its modifiers.
    void press(ImGuiKeyChord chord) {
        ImGuiIO& io = ImGui::GetIO();
        const auto key = static_cast<ImGuiKey>(chord & ~ImGuiMod_Mask_);
        for (const bool down : {true, false}) {
            if ((chord & ImGuiMod_Ctrl) != 0) io.AddKeyEvent(ImGuiMod_Ctrl, down);
            io.AddKeyEvent(key, down);
            frame();
            frame();
        }
    }
    void type(const char* text) {
        ImGui::GetIO().AddInputCharactersUTF8(text);
        frame();
        frame();
    }
    void click(ImVec2 at) {
        ImGuiIO& io = ImGui::GetIO();
        io.AddMousePosEvent(at.x, at.y);
        frame();
        for (const bool down : {true, false}) {
            io.AddMouseButtonEvent(0, down);
            frame();
        }
        frame();
    }
    void click(std::string_view name) {
        const auto found = std::ranges::find(panel.places(), name, &TablePanel::ButtonPlace::name);
        REQUIRE(found != panel.places().end());
        click(found->middle);
    }
    bool has(std::string_view name) const {
        return std::ranges::count(panel.places(), name, &TablePanel::ButtonPlace::name) > 0;
    }
    // Replaces the text, and waits until the editor has the keyboard.
    void write(const char* query) {
        panel.editor().set_text(query);
        for (int i = 0; i < 10; ++i) frame();
        REQUIRE(panel.editor().focused());
    }
    void run(const char* query) {
        write(query);
        press(ImGuiMod_Ctrl | ImGuiKey_Enter);
        settle();
    }
    std::string csv() const {
        return panel.result().table() ? write_table(*panel.result().table(), TableFormat::csv)
                                      : std::string();
    }

    SqlInputs inputs;
    Settings settings;
    SqlPanel panel;
    Requests requests;
    std::optional<SliceRef> zoomed_to;

  private:
    HeadlessImGui imgui_{1200, 500};  // destroyed last
    Look look_;
    Jobs jobs_{[] {}};
};

}  // namespace

TEST_CASE("SQL panel: Ctrl+Enter runs what is typed, and a row leads to its slice") {
    ShownSql shown;
    shown.click(shown.panel.editor().middle());
    REQUIRE(shown.panel.editor().focused());
    shown.type("select id, name, 0 as zero, dur from slice\norder by ts");
    shown.press(ImGuiMod_Ctrl | ImGuiKey_Enter);
    shown.settle();
    // Columns without any value other than 0 are shown, too.
    CHECK(shown.csv() == "id,name,zero,dur\n0,outer,0,50\n1,inner,0,10\n");
    CHECK(shown.panel.result().column_places().size() == 4);
    CHECK(shown.panel.result().column_places()[2].name == "zero");
    CHECK(shown.panel.note().empty());
    CHECK(shown.panel.editor().focused());
    CHECK(shown.settings.sql_history ==
          std::vector<std::string>{"select id, name, 0 as zero, dur from slice\norder by ts"});
    const TablePanel& table = shown.panel.result();
    shown.click({table.column_places()[0].left + 20, table.first_row_y()});
    CHECK(shown.zoomed_to == SliceRef{0, 0});
}

TEST_CASE("SQL panel: an error says its place, and the caret goes there") {
    ShownSql shown;
    shown.run("select ts,\n  nowhere\nfrom slice");
    CHECK(shown.panel.note() == "Line 2, column 3: no such column: nowhere");
    CHECK(shown.panel.editor().focused());
    CHECK(shown.panel.editor().caret() == 13);
    CHECK(shown.csv().empty());
    shown.run("select 1 as one");
    CHECK(shown.panel.note().empty());
    CHECK(shown.csv() == "one\n1\n");
    shown.run("attach 'x' as y");
    CHECK(!shown.panel.note().empty());
}

TEST_CASE("SQL panel: Tab completes names") {
    ShownSql shown;
    shown.click(shown.panel.editor().middle());
    shown.type("select extr");
    shown.press(ImGuiKey_Tab);
    CHECK(shown.panel.editor().text() == "select extract_arg(");
    shown.type("x) from gpu_act");
    shown.press(ImGuiKey_Tab);
    CHECK(shown.panel.editor().text() == "select extract_arg(x) from gpu_activity ");
    CHECK(shown.panel.editor().words().empty());
    shown.type("where gpu_activity.s");
    shown.press(ImGuiKey_Tab);
    const std::vector<std::string>& words = shown.panel.editor().words();
    CHECK(std::ranges::count(words, "stream") == 1);
    CHECK(std::ranges::count(words, "step") == 1);
    shown.type("tr");
    CHECK(shown.panel.editor().words().empty());
    // At the beginning of a line, Tab indents.
    shown.press(ImGuiMod_Ctrl | ImGuiKey_A);
    shown.press(ImGuiKey_Delete);
    shown.press(ImGuiKey_Tab);
    CHECK(shown.panel.editor().text() == "  ");
}

TEST_CASE("SQL panel: names that a query makes are completed") {
    ShownSql shown;
    shown.run("create view my_very_own_view as select 1 as fine");
    CHECK(shown.panel.note().empty());
    shown.press(ImGuiMod_Ctrl | ImGuiKey_A);
    shown.type("select * from my_ver");
    shown.press(ImGuiKey_Tab);
    CHECK(shown.panel.editor().text() == "select * from my_very_own_view ");
}

TEST_CASE("SQL panel: Ctrl+Up and Ctrl+Down step through earlier queries") {
    ShownSql shown;
    shown.settings.sql_history = {"newer", "older"};
    shown.click(shown.panel.editor().middle());
    shown.type("typed");
    const auto after = [&](ImGuiKey key) {
        shown.press(ImGuiMod_Ctrl | key);
        return shown.panel.editor().text();
    };
    CHECK(after(ImGuiKey_UpArrow) == "newer");
    CHECK(after(ImGuiKey_UpArrow) == "older");
    CHECK(after(ImGuiKey_UpArrow) == "older");
    CHECK(after(ImGuiKey_DownArrow) == "newer");
    CHECK(after(ImGuiKey_DownArrow) == "typed");
    CHECK(after(ImGuiKey_DownArrow) == "typed");
    CHECK(after(ImGuiKey_UpArrow) == "newer");
    shown.type("!");
    CHECK(shown.panel.editor().text() == "newer!");
    CHECK(after(ImGuiKey_DownArrow) == "newer!");
    CHECK(after(ImGuiKey_UpArrow) == "newer");
}

TEST_CASE("SQL panel: a query that runs for long is cancelled by the button and by Esc") {
    ShownSql shown;
    for (const bool by_button : {true, false}) {
        CAPTURE(by_button);
        shown.write(kEndless);
        shown.press(ImGuiMod_Ctrl | ImGuiKey_Enter);
        shown.frame();
        CHECK(shown.panel.runner().running());
        if (by_button)
            shown.click("Cancel");
        else
            shown.press(ImGuiKey_Escape);
        shown.settle();
        CHECK(shown.panel.note().starts_with("Cancelled after "));
        CHECK(!shown.has("Cancel"));
        CHECK(shown.panel.editor().text() == kEndless);
    }
    // The next query is not cancelled.
    shown.run("select 1 as one");
    CHECK(shown.csv() == "one\n1\n");
}

TEST_CASE("SQL panel: closing the trace stops its query") {
    OpenSql open;
    open.session = std::make_shared<SqlSession>();
    const std::shared_ptr<SqlSession> session = open.session;
    { const auto closed = std::make_unique<OpenSql>(); }  // without a session
    CHECK(!session->cancel);
    {
        OpenSql closed;
        closed.session = session;
    }
    CHECK(session->cancel);
    // Dropping the panel's results does, too.
    ShownSql shown;
    shown.write(kEndless);
    shown.press(ImGuiMod_Ctrl | ImGuiKey_Enter);
    REQUIRE(shown.panel.runner().running());
    shown.panel.forget();
    CHECK(shown.inputs.session->cancel);
    CHECK(!shown.panel.runner().running());
}

TEST_CASE("SQL panel: examples are offered while nothing is written, and all of them run") {
    ShownSql shown;
    const SqlExample& first = sql_examples().front();
    REQUIRE(shown.has(first.title));
    shown.click(first.title);
    for (int i = 0; i < 10; ++i) shown.frame();
    CHECK(shown.panel.editor().text() == first.query);
    CHECK(shown.panel.editor().focused());
    CHECK(!shown.has(first.title));
    for (const SqlExample& example : sql_examples()) {
        CAPTURE(example.title);
        shown.run(std::string(example.query).c_str());
        CHECK(shown.panel.note().empty());
    }
}

TEST_CASE("SQL panel: queries are saved under names and deleted") {
    ShownSql shown;
    shown.panel.editor().set_text("select 7 as seven");
    shown.frame();
    shown.click("Saved");
    shown.click("name");
    shown.type("lucky");
    shown.press(ImGuiKey_Enter);
    REQUIRE(shown.settings.sql_queries.contains("lucky"));
    CHECK(shown.settings.sql_queries["lucky"] == "select 7 as seven");
    shown.panel.editor().set_text("");
    shown.press(ImGuiKey_Escape);
    shown.frame();
    shown.click("Saved");
    shown.click("saved lucky");
    CHECK(shown.panel.editor().text() == "select 7 as seven");
    shown.frame();
    shown.click("Saved");
    shown.click("delete lucky");
    CHECK(shown.settings.sql_queries.empty());
}

TEST_CASE("SQL panel: several traces are queried together, and each row says its trace") {
    {
        ShownSql shown({"rank 0", "rank 1"});
        shown.run("select name from slice where dur = 10");
        CHECK(shown.csv() == "trace,name\nrank 0,inner\nrank 1,inner\n");
        CHECK(shown.has("traces"));
    }
    ShownSql one;
    CHECK(!one.has("traces"));
}
