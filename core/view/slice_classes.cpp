#include "core/view/slice_classes.h"

#include <algorithm>

namespace lanescope {

namespace {

// At least one slice in this many must have a meaningful category.
constexpr std::size_t kMaxSlicesPerKnown = 20;

struct Mode {
    ColorModeName name;
    SliceClasses (*make)(const TraceContext&);
    bool by_part = false;  // of several files: each is classified, and all share the same classes
};
// Each line defines a mode: keys, menus, the command line and the legend read this list.
constexpr Mode kModes[] = {
    {{ColorMode::category, "category", "kind of work"}, classes_by_category},
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

SlotTable table_by_category(const Trace& trace) {
    SlotTable table = table_of_one(trace);
    std::copy(trace.name_traits.begin(), trace.name_traits.end(), table.key_of_name.begin());
    for (std::size_t category = 0; category < trace.categories.size(); ++category)
        for (std::size_t key = 0; key < SlotTable::kKeys; ++key)
            table.slot_of_key[category][key] = static_cast<Slot>(
                refine_class(table.class_of_category[category], static_cast<uint8_t>(key)));
    return table;
}

SliceClasses by_category(const Trace& trace) {
    SliceClasses result;
    const auto all = category_classes();
    result.classes.assign(all.begin(), all.end());
    result.table = table_by_category(trace);
    return result;
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

std::size_t SliceClasses::bytes() const {
    std::size_t sum = 0;
    for (const Column<Slot>& column : of_slice) sum += column.bytes();
    return sum;
}

std::span<const SliceClass> category_classes() {
    constexpr std::array<std::string_view, kEventClassCount> kSays = {
        "Python frames",
        "modules",
        "steps, user ranges, NVTX",
        "framework operators",
        "launches and other API calls",
        "GPU kernels",
        "copies and sets",
        "collectives",
        "synchronisation",
        "the profiler itself",
        "everything else",
    };
    static const auto classes = [&] {
        std::vector<SliceClass> all;
        for (std::size_t c = 0; c < kSays.size(); ++c)
            all.push_back(
                {std::string(kSays[c]), {ColorScale::event_class, static_cast<uint8_t>(c)}, 0});
        return all;
    }();
    return classes;
}

SliceClassesPtr classify_by_category(const Trace& trace) {
    return std::make_shared<const SliceClasses>(by_category(trace));
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

SliceClasses classes_by_category(const TraceContext& context) {
    return by_category(context.trace());
}

SlotTable table_of_one(const Trace& trace, Slot slot) {
    SlotTable table;
    table.name_traits = trace.name_traits;
    table.key_of_name.assign(trace.strings.size(), 0);
    for (const Category& category : trace.categories) {
        table.class_of_category.push_back(category.event_class);
        table.slot_of_key.emplace_back().fill(slot);
    }
    return table;
}

ColorMode fitting_color_mode(const Trace& trace) {
    const SliceClassesPtr by_category = classify_by_category(trace);
    std::size_t slices = 0;
    std::size_t known = 0;
    for (const Lane& lane : trace.lanes)
        for (const auto& chunk : lane.chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i, ++slices)
                if (by_category->table.class_of(chunk->name[i], chunk->category[i]) !=
                    EventClass::other)
                    ++known;
    return slices > 0 && known <= slices / kMaxSlicesPerKnown ? ColorMode::name
                                                              : ColorMode::category;
}

Column<Slot>& slots_of_lane(SliceClasses& classes, const Trace& trace, LaneId lane) {
    classes.of_slice.resize(trace.lanes.size());
    Column<Slot>& slots = classes.of_slice[lane];
    if (slots.empty()) slots = Column<Slot>::filled(trace.lanes[lane].slice_count, 0);
    return slots;
}

}  // namespace lanescope
