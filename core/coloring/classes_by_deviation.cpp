// The colour mode "deviation": a slice's duration compared with the median of all slices of the
// same name and category.
#include <algorithm>
#include <array>
#include <limits>

#include "core/analysis/structure/steps.h"
#include "core/base/flat_map.h"
#include "core/coloring/color_modes.h"
#include "core/view/color.h"

namespace lanescope {

namespace {

constexpr uint32_t kMinCount = 5;  // minimum of siblings for a median

// The upper limit of a class as a fraction of the median; the last class has none.
struct DeviationBand {
    double below;
    const char* name;
};
constexpr std::array<DeviationBand, kDeviations> kDeviationBands = {{
    {0.5, "less than half the median"},
    {0.8, "0.5 to 0.8 of the median"},
    {0.95, "0.8 to 0.95 of the median"},
    {1.05, "within 5 % of the median"},
    {1.25, "1.05 to 1.25 times"},
    {2.0, "1.25 to 2 times"},
    {std::numeric_limits<double>::infinity(), "twice the median or more"},
}};

// Numbers groups of siblings: same name and category; all ProfilerStep#N are siblings.
class SiblingNumbers {
  public:
    explicit SiblingNumbers(const Trace& trace) : name_(trace.strings.size()) {
        StringId step = StringPool::none;
        for (StringId name = 0; name < name_.size(); ++name) {
            name_[name] = name;
            if (profiler_step_index(trace.strings[name]) < 0) continue;
            step = std::min(step, name);
            name_[name] = step;
        }
    }
    uint32_t number(StringId name, CategoryId category) {
        const uint64_t key = uint64_t{name_[name]} << 16 | category;
        const auto [number, added] = numbers_.try_emplace(key, next_);
        next_ += added;
        return number;
    }
    uint32_t count() const { return next_; }

  private:
    std::vector<StringId> name_;
    FlatMap<uint32_t> numbers_;
    uint32_t next_ = 0;
};

template <typename Visit>
void each_slice(const Trace& trace, const Visit& visit) {
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
        for (const auto& chunk : trace.lanes[lane].chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i) visit(lane, *chunk, i);
}

// Slices of derived lanes are compared with each other.
uint32_t number_of(const Trace& trace, SiblingNumbers& numbers, LaneId lane, const Chunk& chunk,
                   uint32_t i) {
    const std::size_t derived = trace.lanes[lane].derived ? trace.categories.size() : 0;
    return numbers.number(chunk.name[i], static_cast<CategoryId>(chunk.category[i] + derived));
}

// The median duration by sibling number; negative: too few. Temporarily takes four bytes a slice:
// 24 bits of a duration are precise enough.
std::vector<float> medians(const Trace& trace, SiblingNumbers& numbers) {
    std::vector<uint32_t> end;
    each_slice(trace, [&](LaneId lane, const Chunk& chunk, uint32_t i) {
        const uint32_t number = number_of(trace, numbers, lane, chunk, i);
        if (number >= end.size()) end.resize(number + 1);
        ++end[number];
    });
    uint32_t sum = 0;
    for (uint32_t& place : end) place = std::exchange(sum, sum + place);
    Column<float> durations(sum);
    each_slice(trace, [&](LaneId lane, const Chunk& chunk, uint32_t i) {
        durations[end[number_of(trace, numbers, lane, chunk, i)]++] =
            static_cast<float>(chunk.duration[i]);
    });
    std::vector<float> result(end.size(), -1);
    uint32_t begin = 0;
    for (std::size_t number = 0; number < end.size(); ++number) {
        const uint32_t count = end[number] - begin;
        float* const first = durations.data() + begin;
        begin = end[number];
        if (count < kMinCount) continue;
        std::nth_element(first, first + count / 2, first + count);
        const float upper = first[count / 2];
        result[number] =
            count % 2 == 1 ? upper : (upper + *std::max_element(first, first + count / 2)) / 2;
    }
    return result;
}

Slot band_of(Nanos duration, float median) {
    if (median < 0) return 0;
    const auto length = static_cast<double>(duration);
    double ratio = length / static_cast<double>(median);
    if (median == 0) ratio = duration == 0 ? 1 : std::numeric_limits<double>::max();
    const auto band = std::ranges::find_if(kDeviationBands,
                                           [&](const DeviationBand& b) { return ratio < b.below; });
    return static_cast<Slot>(1 + (band - kDeviationBands.begin()));
}

}  // namespace

SliceClasses classes_by_deviation(const TraceContext& context) {
    const Trace& trace = context.trace();
    SiblingNumbers numbers(trace);
    const std::vector<float> median = medians(trace, numbers);
    SliceClasses result;
    result.table = table_of_one(trace);
    result.classes.push_back({"fewer than five of that name", {}, 0});
    for (std::size_t band = 0; band < kDeviationBands.size(); ++band)
        result.classes.push_back(
            {kDeviationBands[band].name, {ColorScale::deviation, static_cast<uint8_t>(band)}, 0});
    result.of_slice.resize(trace.lanes.size());
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
        result.of_slice[lane] = Column<Slot>(trace.lanes[lane].slice_count);
    each_slice(trace, [&](LaneId lane, const Chunk& chunk, uint32_t i) {
        result.of_slice[lane][chunk.first + i] =
            band_of(chunk.duration[i], median[number_of(trace, numbers, lane, chunk, i)]);
    });
    return result;
}

}  // namespace lanescope
