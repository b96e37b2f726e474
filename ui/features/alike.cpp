#include "ui/features/alike.h"

#include <memory>

#include "core/base/format.h"
#include "core/trace/short_name.h"
#include "ui/timeline/alike_layer.h"

namespace lanescope {

std::span<const Action> AlikeFeature::actions() const {
    static constexpr Action kActions[] = {Action::all_alike};
    return kActions;
}

void AlikeFeature::act(Action /*action*/, Frame& frame) {
    Timeline& timeline = frame.timeline;
    if (!timeline.index || !frame.trace) return;
    const JobKey key = frame.trace->key("alike");
    if (frame.jobs.busy(key)) return;
    if (!timeline.selected) {
        frame.notify("Select a slice first: then all like it are marked.");
        return;
    }
    // A marked range limits the search, if the slice itself is in the range.
    const Nanos start = timeline.trace().start(timeline.selected);
    std::optional<TimeRange> range;
    if (timeline.marked && timeline.marked->time.contains(start)) range = timeline.marked->time;
    const TracePtr trace = timeline.index->trace;
    const SliceRef slice = timeline.selected;
    frame.jobs.ask(
        key,
        [trace, range, slice] {
            return std::make_shared<const Alike>(find_alike(*trace, {range}, slice));
        },
        [&frame, trace, slice](const std::shared_ptr<const Alike>& alike) {
            frame.pacing.wake();
            if (!frame.timeline.index || frame.timeline.index->trace != trace) return;
            frame.timeline.layer<AlikeLayer>().alike = alike;
            frame.notify(format_count(static_cast<int64_t>(alike->slices.size())) + " × " +
                         brief_name(short_name(*trace, slice)) + ", together " +
                         format_duration(alike->total) + ". " +
                         keys_of(frame.keys, Action::next_in_lane) + " and " +
                         keys_of(frame.keys, Action::previous_in_lane) + " step through them");
        });
}

bool AlikeFeature::dismiss(Layer layer, Frame& frame) {
    if (layer != Layer::alike || !frame.timeline.layer<AlikeLayer>().alike) return false;
    frame.timeline.layer<AlikeLayer>().alike.reset();
    return true;
}

}  // namespace lanescope
