// Flame graphs as text, for comparison with trees computed by hand.
#pragma once

#include <string>

#include "core/analysis/flame/flame_tree.h"

namespace lanescope::testing {

// A line for each node in preorder: two spaces for each level, name, total, self and calls.
// `begins`: also where the box begins.
inline std::string flame_text(const Trace& trace, const FlameTree& tree, bool begins = false) {
    std::string text;
    const auto add = [&](const auto& self, const FlameNode& node, int level) -> void {
        if (level >= 0) {
            text += std::string(static_cast<std::size_t>(2 * level), ' ');
            text += std::string(frame_text(trace, tree.frames[node.frame]));
            if (begins) text += " @" + std::to_string(node.begin);
            text += ' ' + std::to_string(node.total) + ' ' + std::to_string(node.self) + ' ' +
                    std::to_string(node.calls) + '\n';
        }
        for (const FlameNode& child : tree.children(node)) self(self, child, level + 1);
    };
    add(add, tree.root(), -1);
    return text;
}

inline uint32_t frame_called(const Trace& trace, const FlameTree& tree, std::string_view name) {
    for (uint32_t i = 0; i < tree.frames.size(); ++i)
        if (frame_text(trace, tree.frames[i]) == name) return i;
    return kNoRow;
}

}  // namespace lanescope::testing
