// The colour mode "name": a class for each of the names with the longest total time.
#include <algorithm>
#include <numeric>
#include <string>

#include "core/analysis/structure/short_names.h"
#include "core/coloring/color_modes.h"
#include "core/trace/short_name.h"
#include "core/view/color.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxNames = 240;  // number of names with a class of their own

struct NameSum {
    Nanos total = 0;
    CategoryId category = 0;  // category of one of its slices
    bool seen = false;
};

std::vector<NameSum> sums_by_name(const Trace& trace) {
    std::vector<NameSum> sums(trace.strings.size());
    for (const Lane& lane : trace.lanes) {
        for (const auto& chunk : lane.chunks) {
            for (uint32_t i = 0; i < chunk->size(); ++i) {
                NameSum& sum = sums[chunk->name[i]];
                if (!lane.derived) sum.total += chunk->duration[i];
                sum.category = chunk->category[i];
                sum.seen = true;
            }
        }
    }
    return sums;
}

std::string shown_name(const TraceContext& context, StringId name, EventClass kind) {
    const Trace& trace = context.trace();
    const bool kernel = kind == EventClass::kernel || kind == EventClass::communication;
    return std::string(kernel ? context.get<ShortNames>().of(trace, name)
                              : short_name(trace.strings[name], kind));
}

}  // namespace

SliceClasses classes_by_name(const TraceContext& context) {
    const Trace& trace = context.trace();
    const std::vector<NameSum> sums = sums_by_name(trace);
    std::vector<StringId> names;
    for (StringId name = 0; name < sums.size(); ++name)
        if (sums[name].seen) names.push_back(name);
    std::ranges::stable_sort(names, std::greater(),
                             [&](StringId name) { return sums[name].total; });
    const std::size_t own = std::min(names.size(), kMaxNames);

    SliceClasses result;
    result.table = table_of_one(trace);
    for (auto& slots : result.table.slot_of_key)
        std::iota(slots.begin(), slots.end(), static_cast<Slot>(0));
    result.classes.push_back({"other names", {}, 0});
    for (std::size_t i = 0; i < own; ++i) {
        const std::string_view text = trace.strings[names[i]];
        const auto hue = static_cast<uint8_t>(hash_text(text) % kHues);
        result.table.key_of_name[names[i]] = static_cast<uint8_t>(result.classes.size());
        const EventClass kind = trace.event_class(names[i], sums[names[i]].category);
        result.classes.push_back({shown_name(context, names[i], kind), {ColorScale::hue, hue}, 0});
    }
    return result;
}

}  // namespace lanescope
