// Flame graphs as text for other programs, and as a picture.
#pragma once

#include <string>
#include <string_view>

#include "core/analysis/flame/flame_tree.h"
#include "core/insight/compare/difference_flames.h"
#include "core/view/color.h"

namespace lanescope {

// "a;b;c 120": a line for each stack with weight of its own, as Brendan Gregg's flamegraph.pl reads
// it. In names, ; is written as : and a line break as a space.
std::string flame_as_folded(const Trace& trace, const FlameTree& tree);

// A file for speedscope.app: evented profiles, one for each thread in order of time. `name`: of the
// whole file.
std::string flame_as_speedscope(const Trace& trace, const FlameTree& tree, std::string_view name);

// A list of objects, one for each node in preorder. Later versions only add keys.
std::string flame_as_json(const Trace& trace, const FlameTree& tree);

struct FlameSvgOptions {
    Theme theme = Theme::light;
    double width = 1200;
    std::string title;
};
// The figures of a box are its title, which browsers show at the pointer.
std::string flame_svg(const Trace& trace, const FlameTree& tree, const FlameSvgOptions& options);
// Two runs in one flame graph; below it, what the colours mean.
std::string difference_flame_svg(const DifferenceFlames& flames, const FlameSvgOptions& options);

}  // namespace lanescope
