#include "ui/workspace/layout.h"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "ui/workspace/layout_file.h"

using namespace lanescope;

namespace {

const std::span<const std::string_view> kPanels = panel_names();

// Warnings in a window of their own, Selection on the left.
PanelLayout moved_layout() {
    PanelLayout layout = default_layout(false, 900);
    std::erase(layout.docked.children[0].children[1].tabs, "Warnings");
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
         {default_layout(false, 900), default_layout(true, 500), moved_layout()}) {
        const auto read = parse_layout(layout_text(layout), kPanels);
        REQUIRE(read);
        CHECK(same_layout(*read, layout));
    }
    CHECK(!same_layout(default_layout(false, 900), default_layout(true, 900)));
    CHECK(!same_layout(default_layout(false, 900), moved_layout()));
}

TEST_CASE("the front tab changes within its own tabs only") {
    PanelLayout layout = default_layout(false, 900);
    LayoutNode& tables = layout.docked.children[0].children[1];
    tables.front = "Slices";
    PanelLayout other = layout;
    put_in_front(other.docked, "Selection", "Slices");
    CHECK(same_layout(other, layout));  // it stands among other tabs
    put_in_front(layout.docked, "Kernels", "Slices");
    CHECK(tables.front == "Kernels");
    CHECK(same_layout(layout, default_layout(false, 900)));
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
    REQUIRE(parse_layout(good, kPanels));
    CHECK(!parse_layout("", kPanels));
    CHECK(!parse_layout("[]", kPanels));
    CHECK(!parse_layout(R"({"layout": 1})", kPanels));
    CHECK(!parse_layout(good.substr(0, good.size() / 2), kPanels));
    CHECK(!parse_layout(changed("\"layout\": 1", "\"layout\": 2"), kPanels));
    CHECK(!parse_layout(changed("Timeline", "Somewhere"), kPanels));
    CHECK(!parse_layout(changed("\"Side by side\"\n", "\"Warnings\"\n"), kPanels));
    CHECK(!parse_layout(changed("250.0", "-3"), kPanels));
    CHECK(!parse_layout(changed("250.0", "1e30"), kPanels));
    CHECK(!parse_layout(changed("250.0", "null"), kPanels));
    CHECK(!parse_layout(changed("columns", "diagonals"), kPanels));
    CHECK(!parse_layout(changed("\"Timeline\"", "\"Timeline\", \"Selection\""), kPanels));
    std::string deep = R"({"tabs": ["Timeline"]})";
    for (int i = 0; i < 100; ++i)
        deep = R"({"split": "rows", "side": 100, "children": [{"tabs": []}, )" + deep + "]}";
    CHECK(!parse_layout(R"({"layout": 1, "docked": )" + deep + "}", kPanels));
}

TEST_CASE("panels added or removed since a layout was written do not break it") {
    const std::string text = layout_text(moved_layout());
    std::vector<std::string_view> more(kPanels.begin(), kPanels.end());
    more.emplace_back("Another");
    const auto grown = parse_layout(text, more);
    REQUIRE(grown);
    CHECK(grown->docked.children[1].children[1].tabs.back() == "Another");
    const auto at_first = parse_layout(layout_text(default_layout(false, 900)), more);
    REQUIRE(at_first);
    CHECK(at_first->docked.children[0].children[1].tabs.back() == "Another");
    const std::array<std::string_view, 2> fewer = {"Timeline", "Selection"};
    const auto shrunk = parse_layout(text, fewer);
    REQUIRE(shrunk);
    CHECK(shrunk->floating.empty());
    CHECK(shrunk->docked.children[0].tabs == std::vector<std::string>{"Selection"});
    CHECK(shrunk->docked.children[1].tabs == std::vector<std::string>{"Timeline"});
}

TEST_CASE("an invalid layout file is renamed, never overwritten") {
    const Folder folder;
    const std::string path = folder.file("layout.json");
    CHECK(!load_layout(path, kPanels).layout);
    CHECK(load_layout(path, kPanels).message.empty());
    for (const char* wrong : {"{ my own notes", "{\"layout\": 7}"}) {
        std::ofstream(path) << wrong;
        const LoadedLayout loaded = load_layout(path, kPanels);
        CHECK(!loaded.layout);
        CHECK(loaded.may_save);
        CHECK(loaded.message.find(path) != std::string::npos);
        CHECK(!std::filesystem::exists(path));
        REQUIRE(save_layout(moved_layout(), path));
        const LoadedLayout again = load_layout(path, kPanels);
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
    const LoadedLayout loaded = load_layout(folder.file("layout.json"), kPanels);
    CHECK(!loaded.may_save);
    CHECK(!loaded.message.empty());
    CHECK(std::filesystem::exists(folder.file("layout.json")));
}
