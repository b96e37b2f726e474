// Whether a thread in which nothing runs waits for something: for autograd's thread, or in a call
// that synchronises.
#pragma once

#include <map>
#include <vector>

#include "core/analysis/context.h"
#include "core/analysis/structure/steps.h"
#include "core/base/intervals.h"

namespace lanescope {

// The reason why a thread waits during a dead window.
struct WindowWait {
    enum class Kind : uint8_t {
        nothing,
        // Autograd's thread of the process runs operators, but the file does not connect these
        // operators with the waiting thread.
        perhaps_autograd,
        autograd,  // autograd's thread runs the backward pass of this thread, or of the step
        call,      // the thread is inside a synchronising call
    };
    Kind kind = Kind::nothing;
    // For `autograd`, the lane of autograd's thread; for `call`, the call's index in the thread's
    // own lane.
    uint32_t place = 0;
};

// The context must outlive this object.
class WindowKinds {
  public:
    explicit WindowKinds(const TraceContext& context);

    // The thread waits if a backward pass or a synchronising call takes at least 90 % of the
    // window. A backward pass includes the time of autograd's engine between its operators.
    WindowWait wait_in(LaneId lane, TimeRange window) const;

  private:
    // The outermost operators of one of autograd's threads, in order of time.
    struct Backward {
        LaneId lane = 0;
        std::vector<TimeRange> all;
        Intervals of_steps;                                // those that launch work in a step
        std::map<LaneId, std::vector<TimeRange>> forward;  // by thread of their forward operators
    };
    struct Call {
        TimeRange range;
        uint32_t index = 0;
    };

    WindowWait autograd_in(LaneId lane, TimeRange window) const;
    const Call* call_around(LaneId lane, TimeRange window) const;

    const Trace& trace_;
    const Steps& steps_;
    std::vector<std::vector<Backward>> backward_;  // by process
    std::vector<std::vector<Call>> calls_;         // by lane: outermost ones, sorted
};

}  // namespace lanescope
