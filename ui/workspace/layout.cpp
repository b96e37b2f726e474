#include "ui/workspace/layout.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <set>

namespace lanescope {

using nlohmann::json;
using Split = LayoutNode::Split;

namespace {

constexpr int kVersion = 2;
constexpr int kOldVersion = 1;
constexpr float kSelectionWidth = 388;
constexpr float kSelectionPart = 0.2f;  // fraction of a wide window
constexpr float kMaxSelectionWidth = 640;
// From this width on, two pictures fit below the selection.
constexpr float kWide = 2400;
constexpr float kPicturesPart = 0.4f;  // fraction of the height
// Tabs, tools, heads and eight rows.
constexpr float kTablesHeight = 312;
constexpr float kTablesPart = 0.36f;  // fraction of a high window
constexpr float kMaxTablesPart = 0.48f;
constexpr float kRounding = 2.5f;
constexpr int kDeepest = 12;
constexpr float kMinSide = 16;
constexpr float kMaxSide = 20000;

LayoutNode leaf(std::vector<std::string> tabs) {
    LayoutNode node;
    node.tabs = std::move(tabs);
    return node;
}

LayoutNode split(Split how, float side, LayoutNode first, LayoutNode second) {
    LayoutNode node;
    node.split = how;
    node.side = side;
    node.children.push_back(std::move(first));
    node.children.push_back(std::move(second));
    return node;
}

bool nearly_equal(float a, float b) {
    return std::abs(a - b) <= kRounding;
}

bool same_node(const LayoutNode& a, const LayoutNode& b) {
    if (a.split != b.split || a.tabs != b.tabs || !nearly_equal(a.side, b.side)) return false;
    const auto seen = [](const LayoutNode& n) {
        return n.front.empty() && !n.tabs.empty() ? n.tabs.front() : n.front;
    };
    return seen(a) == seen(b) && std::equal(a.children.begin(), a.children.end(),
                                            b.children.begin(), b.children.end(), same_node);
}

json json_of(const LayoutNode& node) {
    if (node.split == Split::none) return {{"tabs", node.tabs}, {"front", node.front}};
    return {{"split", node.split == Split::columns ? "columns" : "rows"},
            {"side", node.side},
            {"children", {json_of(node.children[0]), json_of(node.children[1])}}};
}

// Parses the output of json_of(); remembers the first error.
class LayoutReader {
  public:
    explicit LayoutReader(const std::vector<std::string_view>& panels)
        : panels_(panels.begin(), panels.end()) {}

    const std::string& wrong() const { return wrong_; }
    const std::set<std::string_view>& placed() const { return placed_; }

    // Returns an empty leaf if the object contains nothing known.
    LayoutNode node(const json& from, int depth) {
        if (!from.is_object() || depth > kDeepest) return fail("an invalid part");
        if (!from.contains("split")) return tabs(from);
        const json& how = from["split"];
        if (how != "columns" && how != "rows") return fail("an invalid split");
        const float side = length(from, "side", kMinSide);
        const auto children = from.find("children");
        if (children == from.end() || !children->is_array() || children->size() != 2)
            return fail("a split without two parts");
        LayoutNode first = node((*children)[0], depth + 1);
        LayoutNode second = node((*children)[1], depth + 1);
        if (is_empty(first)) return second;
        if (is_empty(second)) return first;
        return split(how == "columns" ? Split::columns : Split::rows, side, std::move(first),
                     std::move(second));
    }

    float length(const json& from, const char* key, float min) {
        const auto found = from.find(key);
        if (found == from.end() || !found->is_number()) {
            fail("an invalid length");
            return min;
        }
        const auto value = found->get<double>();
        if (!(value >= static_cast<double>(min) && value <= double{kMaxSide}))
            fail("a length out of bounds");
        return static_cast<float>(value);
    }

    static bool is_empty(const LayoutNode& node) {
        return node.split == Split::none && node.tabs.empty();
    }

    LayoutNode fail(const char* what) {
        if (wrong_.empty()) wrong_ = what;
        return {};
    }

  private:
    LayoutNode tabs(const json& from) {
        const auto tabs = from.find("tabs");
        if (tabs == from.end() || !tabs->is_array()) return fail("a part without panels");
        LayoutNode node;
        for (const json& tab : *tabs) {
            if (!tab.is_string()) return fail("a panel without a name");
            const auto name = tab.get<std::string>();
            const auto known = panels_.find(name);
            if (known == panels_.end()) continue;
            if (!placed_.insert(*known).second) return fail("a panel at two places");
            node.tabs.push_back(name);
        }
        if (node.tabs.size() > 1 && holds_timeline(node)) return fail("a timeline behind a tab");
        const auto front = from.find("front");
        if (front != from.end() && front->is_string() &&
            std::count(node.tabs.begin(), node.tabs.end(), front->get<std::string>()) == 1)
            node.front = front->get<std::string>();
        return node;
    }

    std::set<std::string_view> panels_;
    std::set<std::string_view> placed_;
    std::string wrong_;
};

// The leaf of a layout that contains a panel, or null.
LayoutNode* leaf_of(LayoutNode& node, std::string_view panel) {
    if (std::count(node.tabs.begin(), node.tabs.end(), panel) > 0) return &node;
    for (LayoutNode& child : node.children)
        if (LayoutNode* found = leaf_of(child, panel)) return found;
    return nullptr;
}

// The leaf for panels without a place: the one with most tabs, usually the tables. Null if there is
// only the timeline.
LayoutNode* fullest_leaf(LayoutNode& node) {
    if (node.split == Split::none) return holds_timeline(node) ? nullptr : &node;
    LayoutNode* fullest = nullptr;
    for (LayoutNode& child : node.children) {
        LayoutNode* const found = fullest_leaf(child);
        if (found && (!fullest || found->tabs.size() >= fullest->tabs.size())) fullest = found;
    }
    return fullest;
}

// The windows that always have a place: the timeline, the panels beside it, and the groups.
std::vector<std::string_view> standing_windows() {
    std::vector<std::string_view> windows;
    for (const std::string_view panel : panel_names())
        if (!group_of_panel(panel)) windows.push_back(panel);
    for (const PanelGroup& group : panel_groups()) windows.push_back(group.window);
    return windows;
}

std::vector<std::string_view> known_windows() {
    std::vector<std::string_view> windows(panel_names().begin(), panel_names().end());
    for (const PanelGroup& group : panel_groups()) windows.push_back(group.window);
    return windows;
}

void add_detached(const LayoutNode& node, std::set<std::string_view>& panels) {
    for (const std::string& tab : node.tabs)
        for (const PanelGroup& group : panel_groups())
            for (const std::string_view panel : group.panels)
                if (panel == tab) panels.insert(panel);
    for (const LayoutNode& child : node.children) add_detached(child, panels);
}

}  // namespace

bool holds_timeline(const LayoutNode& node) {
    return std::count(node.tabs.begin(), node.tabs.end(), kTimelinePanel) > 0 ||
           std::any_of(node.children.begin(), node.children.end(), holds_timeline);
}

void add_panel(PanelLayout& layout, std::string_view panel, bool in_front) {
    LayoutNode* home = nullptr;
    if (is_side_panel(panel)) home = leaf_of(layout.docked, kSelectionPanel);
    if (!home) home = fullest_leaf(layout.docked);
    if (home) {
        home->tabs.emplace_back(panel);
        if (in_front) home->front = panel;
    } else {
        layout.docked =
            split(Split::rows, kTablesHeight, std::move(layout.docked), leaf({std::string(panel)}));
    }
}

PanelLayout default_layout(bool narrow, float width, float height) {
    const float tables =
        std::min(std::max(kTablesHeight, kTablesPart * height), kMaxTablesPart * height);
    std::vector<std::string> below;
    for (const PanelGroup& group : panel_groups()) below.emplace_back(group.window);
    if (narrow)
        for (const std::string_view panel : panel_names())
            if (is_side_panel(panel)) below.emplace_back(panel);
    PanelLayout layout;
    LayoutNode groups = leaf(below);
    groups.front = group_of_panel(kFirstPanel)->window;
    layout.docked =
        split(Split::rows, tables, leaf({std::string(kTimelinePanel)}), std::move(groups));
    if (!narrow) {
        const float side = std::clamp(kSelectionPart * width, kSelectionWidth, kMaxSelectionWidth);
        LayoutNode right = leaf(
            {std::string(kSelectionPanel), std::string(kRangePanel), std::string(kNotesPanel)});
        if (width >= kWide)
            right = split(Split::rows, kPicturesPart * height, std::move(right),
                          leaf({std::string(kRooflinePanel), std::string(kStatisticsPanel)}));
        layout.docked = split(Split::columns, side, std::move(layout.docked), std::move(right));
    }
    return layout;
}

void put_in_front(LayoutNode& node, std::string_view instead, std::string_view panel) {
    if (node.front == panel && std::ranges::count(node.tabs, instead) > 0) node.front = instead;
    for (LayoutNode& child : node.children) put_in_front(child, instead, panel);
}

bool same_layout(const PanelLayout& a, const PanelLayout& b) {
    const auto same_floating = [](const FloatingPanels& f, const FloatingPanels& g) {
        return nearly_equal(f.x, g.x) && nearly_equal(f.y, g.y) && nearly_equal(f.width, g.width) &&
               nearly_equal(f.height, g.height) && same_node(f.node, g.node);
    };
    return same_node(a.docked, b.docked) &&
           std::equal(a.floating.begin(), a.floating.end(), b.floating.begin(), b.floating.end(),
                      same_floating);
}

std::string layout_text(const PanelLayout& layout) {
    json document = {{"layout", kVersion}, {"docked", json_of(layout.docked)}};
    document["floating"] = json::array();
    for (const FloatingPanels& panels : layout.floating) {
        document["floating"].push_back({{"x", panels.x},
                                        {"y", panels.y},
                                        {"width", panels.width},
                                        {"height", panels.height},
                                        {"panels", json_of(panels.node)}});
    }
    return document.dump(2) + "\n";
}

bool is_old_layout(std::string_view text) {
    const json document = json::parse(text, nullptr, false);
    return document.is_object() && document.value("layout", json()) == kOldVersion;
}

std::set<std::string_view> detached_panels(const PanelLayout& layout) {
    std::set<std::string_view> panels;
    add_detached(layout.docked, panels);
    for (const FloatingPanels& floating : layout.floating) add_detached(floating.node, panels);
    return panels;
}

Result<PanelLayout> parse_layout(std::string_view text) {
    const json document = json::parse(text, nullptr, false);
    LayoutReader reader(known_windows());
    PanelLayout layout;
    if (!document.is_object() || document.value("layout", json()) != kVersion ||
        !document.contains("docked")) {
        reader.fail("no layout in it");
    } else {
        layout.docked = reader.node(document["docked"], 0);
        if (!holds_timeline(layout.docked)) reader.fail("no timeline in it");
        for (const json& from : document.value("floating", json::array())) {
            if (!from.is_object() || !from.contains("panels")) {
                reader.fail("an invalid floating part");
                break;
            }
            FloatingPanels floating{reader.length(from, "x", 0), reader.length(from, "y", 0),
                                    reader.length(from, "width", kMinSide),
                                    reader.length(from, "height", kMinSide),
                                    reader.node(from["panels"], 0)};
            if (!LayoutReader::is_empty(floating.node))
                layout.floating.push_back(std::move(floating));
        }
    }
    if (!reader.wrong().empty()) return Error{ErrorCode::damaged, Error::no_offset, reader.wrong()};
    for (const std::string_view window : standing_windows())
        if (!reader.placed().contains(window)) add_panel(layout, window, false);
    return layout;
}

}  // namespace lanescope
