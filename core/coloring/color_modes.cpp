#include "core/coloring/color_modes.h"

#include <algorithm>
#include <array>

namespace lanescope {

namespace {

struct Mode {
    ColorModeName name;
    SliceClasses (*make)(const TraceContext&);
    bool by_part = false;  // of several files: each is classified, and all share the same classes
};
// Each line defines a mode: keys, menus, the command line and the legend read this list.
constexpr Mode kModes[] = {
    {{ColorMode::category, "category", "kind of work"},
     [](const TraceContext& context) { return classes_by_category(context.trace()); }},
    {{ColorMode::name, "name", "a hue for each name"}, classes_by_name},
    {{ColorMode::deviation, "deviation", "duration against the median of all of the same name"},
     classes_by_deviation},
    {{ColorMode::step, "step", "the step in which it ran or was launched"}, classes_by_step},
    {{ColorMode::module, "module", "the module that called it, or its launch"}, classes_by_module},
    {{ColorMode::occupancy, "occupancy", "theoretical occupancy of kernels"}, classes_by_occupancy},
    {{ColorMode::hotspot, "hotspot", "the share of lost time of all kernels of the name"},
     classes_by_hotspot,
     true},
    {{ColorMode::bound, "bound", "what limits kernels and steps"}, classes_by_bound, true},
    {{ColorMode::family, "family", "what kernels are for: matrix products, attention, …"},
     classes_by_family,
     true},
};

const Mode& mode_of(ColorMode mode) {
    return *std::ranges::find(kModes, mode, [](const Mode& m) { return m.name.mode; });
}

void count(const Trace& trace, SliceClasses& classes) {
    std::array<uint64_t, 256> counts{};
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
        for (const auto& chunk : trace.lanes[lane].chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i) ++counts[classes.slot_of(lane, *chunk, i)];
    for (std::size_t slot = 0; slot < classes.classes.size(); ++slot)
        classes.classes[slot].count = counts[slot];
    classes.counted = true;
}

}  // namespace

std::span<const ColorModeName> color_modes() {
    static const auto names = [] {
        std::vector<ColorModeName> all;
        for (const Mode& mode : kModes) all.push_back(mode.name);
        return all;
    }();
    return names;
}

std::string_view color_mode_word(ColorMode mode) {
    return mode_of(mode).name.word;
}

std::optional<ColorMode> find_color_mode(std::string_view word) {
    const auto modes = color_modes();
    const auto found = std::ranges::find(modes, word, &ColorModeName::word);
    return found == modes.end() ? std::nullopt : std::optional(found->mode);
}

SliceClassesPtr classify_slices(const TraceContext& context, ColorMode mode) {
    auto result = std::make_shared<SliceClasses>(mode_of(mode).make(context));
    result->mode = mode;
    count(context.trace(), *result);
    return result;
}

SliceClassesPtr classify_joined(const TracePtr& whole,
                                std::span<const std::shared_ptr<const TraceContext>> parts,
                                ColorMode mode) {
    if (parts.size() == 1) return classify_slices(*parts.front(), mode);
    const Mode& how = mode_of(mode);
    if (!how.by_part) return classify_slices(TraceContext(whole), mode);
    auto result = std::make_shared<SliceClasses>(how.make(*parts.front()));
    result->of_slice.resize(whole->lanes.size());
    for (const auto& part : parts.subspan(1)) {
        SliceClasses of_part = how.make(*part);
        for (std::size_t lane = 0; lane < of_part.of_slice.size(); ++lane)
            if (!of_part.of_slice[lane].empty())
                result->of_slice[lane] = std::move(of_part.of_slice[lane]);
    }
    result->table = table_of_one(*whole);
    result->mode = mode;
    count(*whole, *result);
    return result;
}

}  // namespace lanescope
