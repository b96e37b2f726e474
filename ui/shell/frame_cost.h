// FrameCost: how long the window's own thread was kept by its frames, painting by OpenGL left out.
#pragma once

namespace lanescope {

class FrameCost {
  public:
    void begin();
    void end();
    // The longest, since the program began: in time that the thread ran, which other programs do
    // not lengthen, and on the wall, with what it waited for. Without the first frame, which draws
    // the glyphs of a window that nobody sees yet.
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
