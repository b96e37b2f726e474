#include "ui/app/carry_out.h"

#include <optional>
#include <type_traits>

#include "core/trace/same_slice.h"

namespace lanescope {

namespace {

template <class Message>
constexpr bool kIsAboutSlice =
    std::is_same_v<Message, SelectSlice> || std::is_same_v<Message, ZoomToSlice> ||
    std::is_same_v<Message, AskWhatIf>;

// During a recording, a panel's request refers to an older snapshot. False: the timeline's trace
// does not have what the request is about.
bool bring_up_to_date(Request& request, const Timeline& timeline) {
    return std::visit(
        [&]<class Message>(Message& message) {
            if constexpr (kIsAboutSlice<Message>) {
                if (!message.of || !timeline.index || message.of == timeline.index->trace)
                    return true;
                message.slice = same_slice(*message.of, message.slice, timeline.trace());
                return static_cast<bool>(message.slice);
            } else if constexpr (std::is_same_v<Message, ShowLane>) {
                if (!message.of || !timeline.index || message.of == timeline.index->trace)
                    return true;
                const auto lane = same_lane(*message.of, message.lane, timeline.trace());
                message.lane = lane.value_or(message.lane);
                return lane.has_value();
            } else {
                return true;
            }
        },
        request);
}

void carry_out(const Request& request, Features& features, Frame& frame) {
    if (const Action* const action = std::get_if<Action>(&request))
        features.all.act(*action, frame);
    else if (const Notify* const message = std::get_if<Notify>(&request))
        frame.notify(message->text);
    else
        features.all.take(request, frame);
}

}  // namespace

void carry_out_requests(Features& features, Frame& frame) {
    // Carrying out a request may add further requests.
    while (!frame.requests.all().empty())
        for (Request& request : frame.requests.take_all())
            if (bring_up_to_date(request, frame.timeline)) carry_out(request, features, frame);
}

}  // namespace lanescope
