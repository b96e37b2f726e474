// FrameCost: how long frames occupied the window's own thread, without painting by OpenGL.
#pragma once

namespace lanescope {

class FrameCost {
  public:
    void begin();
    void end();
    // The maximum since the program began: in CPU time of the thread, which other programs do not
    // affect, and in wall-clock time, including waits. Excludes the first frame, which draws the
    // glyphs of a window that is not yet visible.
    double longest_cpu_ms() const { return longest_cpu_ms_; }
    double longest_wall_ms() const { return longest_wall_ms_; }

  private:
    bool first_ = true;
    double cpu_began_ = 0;
    double wall_began_ = 0;
    double longest_cpu_ms_ = 0;
    double longest_wall_ms_ = 0;
};

}  // namespace lanescope
