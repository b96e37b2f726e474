#include "ui/workspace/layout.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ui/commands/panel_names.h"
#include "ui/workspace/layout_file.h"

using namespace lanescope;

namespace {

// Warnings out of their group, in a window of their own; Selection on the left.
PanelLayout moved_layout() {
    PanelLayout layout = default_layout(false, 1600, 900);
    std::swap(layout.docked.children[0], layout.docked.children[1]);
    layout.docked.side = 250;
    FloatingPanels floating{30, 40, 500, 300, {}};
    floating.node.tabs = {"Warnings"};
    layout.floating.push_back(floating);
    return layout;
}

struct Folder {
    std::filesystem::path path =
        std::filesystem::temp_directory_path() /
        ("lanescope_layout_" + std::to_string(getpid()) + "_" + std::to_string(std::rand()));
    Folder() { std::filesystem::create_directories(path); }
    ~Folder() { std::filesystem::remove_all(path); }
    std::string file(const char* name) const { return (path / name).string(); }
};

std::string text_of(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("a layout is read back as written") {
    for (const PanelLayout& layout :
         {default_layout(false, 1600, 900), default_layout(true, 1600, 500), moved_layout()}) {
        const auto read = parse_layout(layout_text(layout));
        REQUIRE(read);
        CHECK(same_layout(*read, layout));
    }
    CHECK(!same_layout(default_layout(false, 1600, 900), default_layout(true, 1600, 900)));
    CHECK(!same_layout(default_layout(false, 1600, 900), moved_layout()));
}

TEST_CASE("a wide window has a wide panel on the right") {
    CHECK(default_layout(false, 1280, 700).docked.side == 388);
    CHECK(default_layout(false, 1600, 900).docked.side == 388);
    CHECK(default_layout(false, 2560, 1440).docked.side == doctest::Approx(512));
    CHECK(default_layout(false, 7680, 4300).docked.side == 640);
}

TEST_CASE("a wide window has pictures below the selection") {
    const auto right = [](float width) {
        return default_layout(false, width, 1000).docked.children.back();
    };
    CHECK(right(2300).split == LayoutNode::Split::none);
    const LayoutNode wide = right(2400);
    REQUIRE(wide.split == LayoutNode::Split::rows);
    CHECK(wide.children.front().tabs.front() == kSelectionPanel);
    CHECK(wide.children.back().tabs == std::vector<std::string>{"Roofline", "Statistics"});
    CHECK(detached_panels(default_layout(false, 2560, 1440)) ==
          std::set<std::string_view>{"Roofline", "Statistics"});
    CHECK(parse_layout(layout_text(default_layout(false, 2560, 1440))));
}

TEST_CASE("the front tab changes within its own tabs only") {
    PanelLayout layout = default_layout(false, 1600, 900);
    LayoutNode& tables = layout.docked.children[0].children[1];
    tables.front = "Lists##group";
    PanelLayout other = layout;
    put_in_front(other.docked, "Selection", "Lists##group");
    CHECK(same_layout(other, layout));  // it stands among other tabs
    put_in_front(layout.docked, "Hot##group", "Lists##group");
    CHECK(tables.front == "Hot##group");
    CHECK(same_layout(layout, default_layout(false, 1600, 900)));
}

TEST_CASE("invalid layouts are errors") {
    const std::string good = layout_text(moved_layout());
    const auto changed = [&](std::string_view from, std::string_view to) {
        std::string text = good;
        const std::size_t at = text.find(from);
        REQUIRE(at != std::string::npos);
        text.replace(at, from.size(), to);
        return text;
    };
    REQUIRE(parse_layout(good));
    CHECK(!parse_layout(""));
    CHECK(!parse_layout("[]"));
    CHECK(!parse_layout(R"({"layout": 2})"));
    CHECK(!parse_layout(good.substr(0, good.size() / 2)));
    CHECK(!parse_layout(changed("\"layout\": 2", "\"layout\": 3")));
    CHECK(!parse_layout(changed("Timeline", "Somewhere")));
    CHECK(!parse_layout(changed("\"Compare##group\"", "\"Warnings\"")));
    CHECK(!parse_layout(changed("250.0", "-3")));
    CHECK(!parse_layout(changed("250.0", "1e30")));
    CHECK(!parse_layout(changed("250.0", "null")));
    CHECK(!parse_layout(changed("columns", "diagonals")));
    CHECK(!parse_layout(changed("\"Timeline\"", "\"Timeline\", \"Selection\"")));
    std::string deep = R"({"tabs": ["Timeline"]})";
    for (int i = 0; i < 100; ++i)
        deep = R"({"split": "rows", "side": 100, "children": [{"tabs": []}, )" + deep + "]}";
    CHECK(!parse_layout(R"({"layout": 2, "docked": )" + deep + "}"));
}

TEST_CASE("windows added or removed since a layout was written do not break it") {
    const auto read =
        parse_layout(R"({"layout": 2, "docked": {"split": "rows", "side": 200, "children":
        [{"tabs": ["Timeline"]}, {"tabs": ["Hot##group", "No such window"]}]}})");
    REQUIRE(read);
    CHECK(read->docked.children[0].tabs == std::vector<std::string>{"Timeline"});
    const std::vector<std::string>& tables = read->docked.children[1].tabs;
    CHECK(tables.front() == "Hot##group");
    CHECK(std::ranges::count(tables, "No such window") == 0);
    for (const PanelGroup& group : panel_groups())
        CHECK(std::ranges::count(tables, group.window) == 1);
    CHECK(std::ranges::count(tables, "Selection") == 1);
    CHECK(std::ranges::count(tables, "Kernels") == 0);  // it is in its group
}

TEST_CASE("a panel that a layout places has a window of its own") {
    CHECK(detached_panels(default_layout(false, 1600, 900)).empty());
    CHECK(detached_panels(moved_layout()) == std::set<std::string_view>{"Warnings"});
    PanelLayout docked = default_layout(false, 1600, 900);
    docked.docked.children[1].tabs.emplace_back("Kernels");
    const auto read = parse_layout(layout_text(docked));
    REQUIRE(read);
    CHECK(detached_panels(*read) == std::set<std::string_view>{"Kernels"});
}

TEST_CASE("a layout without groups is kept beside the new one, with a message") {
    const Folder folder;
    const std::string path = folder.file("layout.json");
    const std::string old = R"({"layout": 1, "docked": {"tabs": ["Timeline"]}, "floating": []})";
    std::ofstream(path) << old;
    const LoadedLayout loaded = load_layout(path);
    CHECK(!loaded.layout);
    CHECK(loaded.may_save);
    CHECK(loaded.message.find(path + ".v1") != std::string::npos);
    CHECK(text_of(path + ".v1") == old);
    CHECK(!std::filesystem::exists(path));
    CHECK(load_layout(path).message.empty());
    // A second one is kept, too.
    std::ofstream(path) << old << "\n";
    CHECK(load_layout(path).message.find(path + ".v1-2") != std::string::npos);
    CHECK(text_of(path + ".v1") == old);
    CHECK(text_of(path + ".v1-2") == old + "\n");
}

TEST_CASE("an invalid layout file is renamed, never overwritten") {
    const Folder folder;
    const std::string path = folder.file("layout.json");
    CHECK(!load_layout(path).layout);
    CHECK(load_layout(path).message.empty());
    for (const char* wrong : {"{ my own notes", "{\"layout\": 7}"}) {
        std::ofstream(path) << wrong;
        const LoadedLayout loaded = load_layout(path);
        CHECK(!loaded.layout);
        CHECK(loaded.may_save);
        CHECK(loaded.message.find(path) != std::string::npos);
        CHECK(!std::filesystem::exists(path));
        REQUIRE(save_layout(moved_layout(), path));
        const LoadedLayout again = load_layout(path);
        REQUIRE(again.layout);
        CHECK(same_layout(*again.layout, moved_layout()));
    }
    CHECK(text_of(folder.file("layout.broken-1.json")) == "{ my own notes");
    CHECK(text_of(folder.file("layout.broken-2.json")) == "{\"layout\": 7}");
}

TEST_CASE("a file that cannot be renamed is not overwritten") {
    const Folder folder;
    std::filesystem::create_directories(folder.file("layout.json"));
    for (int i = 1; i < 1000; ++i)
        std::ofstream(folder.file("layout.broken-") + std::to_string(i) + ".json") << "old";
    const LoadedLayout loaded = load_layout(folder.file("layout.json"));
    CHECK(!loaded.may_save);
    CHECK(!loaded.message.empty());
    CHECK(std::filesystem::exists(folder.file("layout.json")));
}
