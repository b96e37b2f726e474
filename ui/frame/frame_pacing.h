// Decides when a frame is drawn and how long to sleep: an idle window draws nothing and uses no
// CPU.
#pragma once

#include <cstdint>

namespace lanescope {

class FramePacing {
  public:
    enum class Sleep {
        none,     // draw at once
        until,    // sleep until `seconds` have passed or something happens
        forever,  // sleep until something happens
    };
    struct Plan {
        Sleep sleep = Sleep::none;
        double seconds = 0;  // from now; only with Sleep::until
    };

    // Something has changed, or a background task has a result: draw until settled.
    void wake() { frames_left_ = kSettlingFrames; }
    // A key or button changed, or the wheel turned.
    void take_input() {
        ++inputs_;
        wake();
    }
    // Number of inputs so far.
    uint64_t inputs() const { return inputs_; }
    // While something moves (a held key, an easing camera), every frame is drawn.
    void set_moving(bool moving) { moving_ = moving; }
    // A frame is due at `time` even if nothing happens until then.
    void set_deadline(double time) {
        deadline_ = deadline_ < time && deadline_ > 0 ? deadline_ : time;
    }

    Plan plan(double now) const {
        if (frames_left_ > 0 || moving_) return {Sleep::none, 0};
        if (deadline_ <= 0) return {Sleep::forever, 0};
        return deadline_ <= now ? Plan{Sleep::none, 0} : Plan{Sleep::until, deadline_ - now};
    }
    // Call when a frame begins; later requests of the frame count for the next one.
    void frame_begins(double now) {
        if (frames_left_ > 0) --frames_left_;
        if (deadline_ <= now) deadline_ = 0;
        moving_ = false;
    }

  private:
    // Dear ImGui needs one frame to lay out new contents, and one more for parts that depend on
    // this layout.
    static constexpr int kSettlingFrames = 3;

    int frames_left_ = kSettlingFrames;
    uint64_t inputs_ = 0;
    bool moving_ = false;
    double deadline_ = 0;  // 0: none
};

}  // namespace lanescope
