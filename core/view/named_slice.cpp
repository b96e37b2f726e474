#include "core/view/named_slice.h"

#include "core/view/short_name.h"

namespace lanescope {

SliceRef first_slice_named(const Trace& trace, std::string_view name, TimeRange range) {
    SliceRef best;
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane) {
        for (const auto& chunk : trace.lanes[lane].chunks) {
            for (uint32_t i = 0; i < chunk->size(); ++i) {
                if (!range.contains(chunk->start[i]) ||
                    (best && chunk->start[i] >= trace.start(best)))
                    continue;
                const SliceRef slice{lane, chunk->first + i};
                if (trace.strings[chunk->name[i]] == name || short_name(trace, slice) == name)
                    best = slice;
            }
        }
    }
    return best;
}

}  // namespace lanescope
