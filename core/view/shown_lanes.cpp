#include "core/view/shown_lanes.h"

#include <utility>

#include "core/trace/python_frames.h"
#include "core/trace/query.h"

namespace lanescope {

namespace {

class Filter {
  public:
    Filter(const Trace& trace, LaneFilter filter) : trace_(trace), filter_(filter) {
        if (filter.python == PythonShown::own) frames_.resize(trace.strings.size());
    }

    bool shows(const Chunk& chunk, uint32_t i) {
        if (filter_.hide_short && chunk.duration[i] < LaneFilter::kShort) return false;
        if (filter_.python == PythonShown::all) return true;
        const EventClass kind = trace_.event_class(chunk.name[i], chunk.category[i]);
        if (kind == EventClass::python)
            return filter_.python == PythonShown::own && is_own(chunk.name[i]);
        return kind != EventClass::module || filter_.python != PythonShown::none;
    }

  private:
    enum class Frame : uint8_t { unknown, own, other };

    bool is_own(StringId name) {
        Frame& frame = frames_[name];
        if (frame == Frame::unknown)
            frame = is_own_python_frame(trace_.strings[name]) ? Frame::own : Frame::other;
        return frame == Frame::own;
    }

    const Trace& trace_;
    LaneFilter filter_;
    std::vector<Frame> frames_;  // by name; only for PythonShown::own
};

std::vector<uint32_t> kept_slices(const Lane& lane, Filter& filter) {
    std::vector<uint32_t> kept;
    for (const auto& chunk : lane.chunks)
        for (uint32_t i = 0; i < chunk->size(); ++i)
            if (filter.shows(*chunk, i)) kept.push_back(chunk->first + i);
    return kept;
}

RawSlices raw_slices(const Lane& lane, const std::vector<uint32_t>& kept) {
    RawSlices raw;
    raw.start = Column<Nanos>(kept.size());
    raw.duration = Column<Nanos>(kept.size());
    raw.name = Column<StringId>(kept.size());
    raw.category = Column<CategoryId>(kept.size());
    raw.source = Column<uint64_t>(kept.size());
    for (std::size_t k = 0; k < kept.size(); ++k) {
        const auto [chunk, i] = lane.locate(kept[k]);
        raw.start[k] = chunk->start[i];
        raw.duration[k] = chunk->duration[i];
        raw.name[k] = chunk->name[i];
        raw.category[k] = chunk->category[i];
        raw.source[k] = chunk->source[i];
    }
    return raw;
}

std::unique_ptr<const ShownLane> shown_part(const Lane& lane, const std::vector<uint32_t>& kept) {
    auto shown = std::make_unique<ShownLane>();
    shown->lane = lane;
    shown->lane.chunks.clear();
    shown->from_trace.assign(lane.slice_count, ShownLane::hidden);
    shown->to_trace.resize(kept.size());
    NestingResult nested = nest(raw_slices(lane, kept));
    for (std::size_t k = 0; k < kept.size(); ++k) {
        shown->to_trace[nested.place[k]] = kept[k];
        shown->from_trace[kept[k]] = nested.place[k];
    }
    shown->lane.slice_count = static_cast<uint32_t>(kept.size());
    shown->lane.depth_count = static_cast<uint32_t>(nested.chunk.rows.size());
    shown->lane.chunks.push_back(std::make_shared<const Chunk>(std::move(nested.chunk)));
    return shown;
}

}  // namespace

std::string_view python_shown_name(PythonShown shown) {
    constexpr std::string_view names[] = {"all", "modules", "none", "own"};
    return names[static_cast<std::size_t>(shown)];
}

LaneFilter filter_that_shows(LaneFilter filter, const Trace& trace, SliceRef slice) {
    if (trace.duration(slice) < LaneFilter::kShort) filter.hide_short = false;
    const EventClass kind = trace.event_class(slice);
    if (kind == EventClass::module && filter.python == PythonShown::none)
        filter.python = PythonShown::modules;
    if (kind == EventClass::python && filter.python != PythonShown::all)
        filter.python =
            is_own_python_frame(trace.name(slice)) ? PythonShown::own : PythonShown::all;
    return filter;
}

ShownLanesPtr filter_lanes(const Trace& trace, LaneFilter filter) {
    if (filter.shows_all()) return nullptr;
    auto shown = std::make_shared<ShownLanes>();
    shown->filter = filter;
    shown->lanes.resize(trace.lanes.size());
    Filter shows(trace, filter);
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const Lane& lane = trace.lanes[id];
        const std::vector<uint32_t> kept = kept_slices(lane, shows);
        if (kept.size() < lane.slice_count) shown->lanes[id] = shown_part(lane, kept);
    }
    return shown;
}

const Lane& shown_lane(const Trace& trace, const ShownLanesPtr& shown, LaneId lane) {
    return shown && shown->lanes[lane] ? shown->lanes[lane]->lane : trace.lanes[lane];
}

uint32_t shown_depth(const Trace& trace, const ShownLanesPtr& shown, SliceRef slice) {
    if (!shown || !shown->lanes[slice.lane]) return depth_of(trace, slice);
    const ShownLane& lane = *shown->lanes[slice.lane];
    const uint32_t index = lane.from_trace[slice.index];
    return index == ShownLane::hidden ? index : lane.lane.chunks.front()->depth(index);
}

}  // namespace lanescope
