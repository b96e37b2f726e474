// The bound of a step, or of the span of a GPU: the part of its time that limits it. Tables, story,
// lanes and colours share this definition.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/base/nanos.h"

namespace lanescope {

// `unknown` if the trace has no GPU activity, or the time has no length.
enum class StepBound : uint8_t { unknown, input, communication, overhead, device, mixed };
std::string_view step_bound_name(StepBound bound);  // empty when unknown

// Parts of a step's time. Idle: nothing runs on the GPU.
struct BoundTimes {
    Nanos whole = 0;
    Nanos busy = 0;
    Nanos exposed_communication = 0;  // part of `busy`
    Nanos data_loading = 0;           // idle while the data loader runs
    Nanos overhead = 0;               // idle otherwise, for a cause that is_overhead()

    BoundTimes& operator+=(const BoundTimes& more);
};

// The first that holds: input (data loading takes at least 30 %), communication (exposed, 30 %),
// overhead (15 %), device (busy for 70 %), otherwise mixed.
StepBound step_bound(const BoundTimes& times);

// The parts are disjoint and add up to the whole.
struct BoundPart {
    std::string_view name;  // "GPU work", "communication", "data loading", "overhead", "other idle"
    Nanos time = 0;
};
// The longest first.
std::array<BoundPart, 2> largest_parts(const BoundTimes& times);
// "other idle 40.0 %, GPU work 35.0 %"
std::string largest_parts_text(const BoundTimes& times);

}  // namespace lanescope
