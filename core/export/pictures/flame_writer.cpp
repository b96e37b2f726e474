#include "core/export/pictures/flame_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

namespace lanescope {

namespace {

std::string json_text(std::string_view text) {
    return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

// The names of all frames, each as `write` makes it.
template <typename Write>
std::vector<std::string> frame_texts(const Trace& trace, const FlameTree& tree,
                                     const Write& write) {
    std::vector<std::string> texts;
    for (const FlameFrame& frame : tree.frames) texts.push_back(write(frame_text(trace, frame)));
    return texts;
}

std::string folded_name(std::string_view name) {
    std::string text(name);
    for (char& c : text) {
        if (c == ';') c = ':';
        if (c == '\n' || c == '\r') c = ' ';
    }
    return text;
}

// Calls enter(node) before the nodes inside it and leave(node) after them, for all below `top`.
template <typename Enter, typename Leave>
void walk_flames(const FlameTree& tree, uint32_t top, const Enter& enter, const Leave& leave) {
    struct Open {
        uint32_t node, next;  // the next child to visit
    };
    std::vector<Open> stack = {{top, 0}};
    while (!stack.empty()) {
        const uint32_t at = stack.back().node;
        const FlameNode& node = tree.nodes[at];
        if (stack.back().next < node.child_count) {
            const uint32_t child = node.first_child + stack.back().next++;
            enter(tree.nodes[child]);
            stack.push_back({child, 0});
        } else {
            stack.pop_back();
            if (at != top) leave(node);
        }
    }
}

// One profile from the nodes below `top`; times count from its begin.
void put_profile(std::string& out, const FlameTree& tree, uint32_t top, std::string_view name) {
    const FlameNode& whole = tree.nodes[top];
    fmt::format_to(std::back_inserter(out),
                   R"({{"type":"evented","name":{},"unit":"{}","startValue":0,"endValue":{},)"
                   R"("events":[)",
                   json_text(name), tree.weight == FlameWeight::time ? "nanoseconds" : "none",
                   whole.total);
    bool first = true;
    const auto put = [&](char type, const FlameNode& node, int64_t at) {
        if (node.total == 0) return;
        fmt::format_to(std::back_inserter(out), R"({}{{"type":"{}","frame":{},"at":{}}})",
                       first ? "\n" : ",\n", type, node.frame, at - whole.begin);
        first = false;
    };
    walk_flames(
        tree, top, [&](const FlameNode& node) { put('O', node, node.begin); },
        [&](const FlameNode& node) { put('C', node, node.begin + node.total); });
    out += "]}";
}

}  // namespace

std::string flame_as_folded(const Trace& trace, const FlameTree& tree) {
    const std::vector<std::string> names = frame_texts(trace, tree, folded_name);
    std::string out;
    std::string stack;
    walk_flames(
        tree, 0,
        [&](const FlameNode& node) {
            if (!stack.empty()) stack += ';';
            stack += names[node.frame];
            if (node.self > 0) fmt::format_to(std::back_inserter(out), "{} {}\n", stack, node.self);
        },
        [&](const FlameNode& node) {
            const std::size_t length = names[node.frame].size();
            stack.resize(stack.size() - std::min(stack.size(), length + 1));
        });
    return out;
}

std::string flame_as_speedscope(const Trace& trace, const FlameTree& tree, std::string_view name) {
    std::string out =
        R"({"$schema":"https://www.speedscope.app/file-format-schema.json","exporter":"lanescope","name":)";
    out += json_text(name) + ",\"activeProfileIndex\":0,\"shared\":{\"frames\":[";
    const std::vector<std::string> names = frame_texts(trace, tree, json_text);
    for (std::size_t i = 0; i < names.size(); ++i)
        out += (i == 0 ? "\n{\"name\":" : ",\n{\"name\":") + names[i] + "}";
    out += "]},\n\"profiles\":[\n";
    const auto is_lane = [&](const FlameNode& node) {
        return tree.frames[node.frame].kind == FlameFrame::Kind::lane;
    };
    const std::span<const FlameNode> outermost = tree.children(tree.root());
    if (!outermost.empty() && std::ranges::all_of(outermost, is_lane)) {
        for (const FlameNode& lane : outermost) {
            if (&lane != outermost.data()) out += ",\n";
            put_profile(out, tree, tree.index_of(lane), frame_text(trace, tree.frames[lane.frame]));
        }
    } else {
        put_profile(out, tree, 0, name);
    }
    return out + "]}\n";
}

std::string flame_as_json(const Trace& trace, const FlameTree& tree) {
    const std::vector<std::string> names = frame_texts(trace, tree, json_text);
    const std::string_view unit = tree.weight == FlameWeight::time ? "ns" : "samples";
    const auto whole = static_cast<double>(std::max<int64_t>(tree.root().total, 1));
    std::string out = "[";
    int depth = 0;
    walk_flames(
        tree, 0,
        [&](const FlameNode& node) {
            const StringId module = tree.frames[node.frame].module;
            const bool is_function = tree.frames[node.frame].kind == FlameFrame::Kind::call;
            fmt::format_to(
                std::back_inserter(out),
                R"({}{{"depth":{},"name":{},"module":{},"calls":{},"total_{}":{},"self_{}":{},"share":{},"longest_start_ns":{}}})",
                out.size() == 1 ? "\n" : ",\n", depth++, names[node.frame],
                module != 0 && is_function ? json_text(trace.strings[module]) : "null", node.calls,
                unit, node.total, unit, node.self,
                nlohmann::json(static_cast<double>(node.total) / whole).dump(),
                node.longest ? std::to_string(trace.start(node.longest) - trace.origin) : "null");
        },
        [&](const FlameNode&) { --depth; });
    return out + "\n]\n";
}

}  // namespace lanescope
