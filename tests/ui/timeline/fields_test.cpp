// The timeline has few fields of its own, and other parts of the window do not write to them.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostTimelineFields = 39;  // of the model and the view together

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    REQUIRE_MESSAGE(file, path.string());
    return {std::istreambuf_iterator<char>(file), {}};
}

std::string without_comments(const std::string& code) {
    return std::regex_replace(code, std::regex("//[^\n]*"), "");
}

// The declarations at the outer level of a class; bodies of functions are left out.
std::vector<std::string> declarations_of(const std::string& header, const std::string& name) {
    const std::string code = without_comments(header);
    std::smatch found;
    REQUIRE(
        std::regex_search(code, found, std::regex("(class|struct) " + name + "( : \\w+)? \\{")));
    std::vector<std::string> all;
    std::string one;
    int depth = 1;
    for (auto at = found.suffix().first; at != code.end() && depth > 0; ++at) {
        depth += *at == '{' ? 1 : *at == '}' ? -1 : 0;
        const bool body_ends = *at == '}' && depth == 1 && one.find('(') < one.find('=');
        if ((*at == ';' && depth == 1) || body_ends) {
            all.push_back(std::exchange(one, {}));
        } else if (*at == ':' && (one.ends_with("public") || one.ends_with("private"))) {
            one.clear();
        } else if (!one.empty() || !std::isspace(static_cast<unsigned char>(*at))) {
            one += *at;
        }
    }
    return all;
}

// The names of a class's fields.
std::vector<std::string> fields_of(const std::string& header, const std::string& name) {
    const std::regex other("^(struct|class|enum|using|friend|template)\\b");
    // A type, then the name, perhaps with an initial value.
    const std::regex field("[\\w>&*]\\s+(\\w+)\\s*(=[^]*|\\{[^]*)?$");
    std::vector<std::string> fields;
    for (const std::string& one : declarations_of(header, name)) {
        if (std::regex_search(one, other) || one.find('(') < one.find('=')) continue;
        std::smatch found;
        REQUIRE_MESSAGE(std::regex_search(one, found, field), one);
        fields.push_back(found[1]);
    }
    return fields;
}

const fs::path kRoom = LANESCOPE_ROOT "/ui/timeline";

std::vector<std::string> model_fields() {
    std::vector<std::string> fields =
        fields_of(text_of(kRoom / "timeline_model.h"), "TimelineModel");
    for (std::string& field : fields_of(text_of(kRoom / "timeline.h"), "Timeline"))
        fields.push_back(std::move(field));
    return fields;
}

// Finds code that writes to a field of the timeline: an assignment, a call that changes the field,
// or a reference through which it could be changed. Layers are for their features to change.
class Writes {
  public:
    explicit Writes(const std::vector<std::string>& fields) {
        std::string names;
        for (const std::string& field : fields)
            if (field != "layers") names += (names.empty() ? "" : "|") + field;
        const std::string place =
            R"(timeline_?(\(\))?\.()" + names + R"()\b((\.|->)\w+|\[[^\]]*\])*)";
        assigns_ = std::regex(place + R"(\s*([-+^|&*/]?=(?!=)|\+\+|--))");
        calls_ = std::regex(
            place +
            R"((\.|->)(reset|clear|emplace\w*|push_back|insert|erase|resize|assign|swap|go_to|frame|pan|zoom|drag|hold|set_\w+|note|forget\w*)\()");
        refers_ = std::regex(R"(^\s*(?!const\b)[\w:<>]+& \w+ = [\w.>()-]*\b)" + place + R"(\s*;)");
        moves_ = std::regex(R"(std::(move|exchange)\([\w.]*)" + place);
    }
    bool in(const std::string& line) const {
        return std::regex_search(line, assigns_) || std::regex_search(line, calls_) ||
               std::regex_search(line, refers_) || std::regex_search(line, moves_);
    }

  private:
    std::regex assigns_, calls_, refers_, moves_;
};

}  // namespace

TEST_CASE("the model and the view of the timeline have fewer than 40 fields together") {
    const std::vector<std::string> model = model_fields();
    const std::vector<std::string> view =
        fields_of(text_of(kRoom / "timeline_view.h"), "TimelineView");
    // Counted right: one of each kind.
    for (const char* const name : {"index", "camera", "head_width", "selected", "layers"})
        CHECK_MESSAGE(std::ranges::count(model, name) == 1, name);
    for (const char* const name : {"main_", "pinned_", "moving_", "drag_"})
        CHECK_MESSAGE(std::ranges::count(view, name) == 1, name);
    CAPTURE(model.size());
    CAPTURE(view.size());
    CHECK(model.size() + view.size() <= kMostTimelineFields);
}

TEST_CASE("code that writes to the timeline is found") {
    const Writes writes(model_fields());
    for (const char* const line :
         {"    timeline.selected = {};", "frame.timeline.areas.lanes.x0 += 1;",
          "frame_.timeline.camera.set_motion(true);", "    timeline.marked->lanes = lanes;",
          "    LaneArrangement& lanes = frame.timeline.arrangement;", "timeline.marked.reset();",
          "frame.timeline.arrangement.hidden.insert(lane);", "app.timeline().scroll_y = 0;",
          "    std::optional<MarkedRange>& marked = frame.timeline.marked;"})
        CHECK_MESSAGE(writes.in(line), line);
    for (const char* const line :
         {"if (timeline.selected == slice) return;", "const Box& lanes = timeline.areas.lanes;",
          "    const ViewIndexPtr& index = frame.timeline.index;", "view = timeline.camera.view();",
          "frame.timeline.layer<PathLayer>().shown = true;"})
        CHECK_MESSAGE(!writes.in(line), line);
}

TEST_CASE("only the timeline's own code writes to its fields") {
    const Writes writes(model_fields());
    std::size_t files = 0;
    for (const auto& entry : fs::recursive_directory_iterator(LANESCOPE_ROOT "/ui")) {
        const fs::path& path = entry.path();
        if (path.extension() != ".cpp" && path.extension() != ".h") continue;
        if (path.parent_path() == kRoom) continue;
        ++files;
        std::ifstream file(path);
        std::string line;
        for (int number = 1; std::getline(file, line); ++number)
            if (line.find("timeline") != std::string::npos)
                CHECK_MESSAGE(!writes.in(line), path.string(), ":", number, ": ", line);
    }
    CHECK(files > 100);
}
