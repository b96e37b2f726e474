#include "core/view/slice_classes.h"

#include <algorithm>

namespace lanescope {

namespace {

// At least one slice in this many must have a meaningful category.
constexpr std::size_t kMaxSlicesPerKnown = 20;

SlotTable table_by_category(const Trace& trace) {
    SlotTable table = table_of_one(trace);
    std::copy(trace.name_traits.begin(), trace.name_traits.end(), table.key_of_name.begin());
    for (std::size_t category = 0; category < trace.categories.size(); ++category)
        for (std::size_t key = 0; key < SlotTable::kKeys; ++key)
            table.slot_of_key[category][key] = static_cast<Slot>(
                refine_class(table.class_of_category[category], static_cast<uint8_t>(key)));
    return table;
}

}  // namespace

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

SliceClasses classes_by_category(const Trace& trace) {
    SliceClasses result;
    const auto all = category_classes();
    result.classes.assign(all.begin(), all.end());
    result.table = table_by_category(trace);
    return result;
}

SliceClassesPtr classify_by_category(const Trace& trace) {
    return std::make_shared<const SliceClasses>(classes_by_category(trace));
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
