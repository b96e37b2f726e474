#include "core/view/named_slice.h"

#include <cstdint>
#include <vector>

#include "core/trace/short_name.h"

namespace lanescope {

namespace {

// The first slice in the range for which `fits(name, slice)` holds.
template <typename Fits>
SliceRef first_slice(const Trace& trace, TimeRange range, Fits fits) {
    SliceRef best;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        for (const auto& chunk : trace.lanes[lane].chunks) {
            for (uint32_t i = 0; i < chunk->size(); ++i) {
                if (!range.contains(chunk->start[i]) ||
                    (best && chunk->start[i] >= trace.start(best)))
                    continue;
                const SliceRef slice{lane, chunk->first + i};
                if (fits(chunk->name[i], slice)) best = slice;
            }
        }
    }
    return best;
}

}  // namespace

SliceRef first_slice_named(const Trace& trace, std::string_view name, TimeRange range) {
    return first_slice(trace, range, [&](StringId id, SliceRef slice) {
        return trace.strings[id] == name || short_name(trace, slice) == name;
    });
}

SliceRef first_slice_called(const Trace& trace, std::string_view text, TimeRange range) {
    if (const SliceRef named = first_slice_named(trace, text, range)) return named;
    return first_slice(trace, range, [&](StringId id, SliceRef) {
        return trace.strings[id].find(text) != std::string_view::npos;
    });
}

}  // namespace lanescope
