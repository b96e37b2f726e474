// StateWriter: writes the state of the window as JSON, for tests that press real keys and check the
// result.
#pragma once

#include <string>

#include "ui/app/window_files.h"
#include "ui/frame/feature_list.h"
#include "ui/frame/frame_cost.h"

namespace lanescope {

class StateWriter {
  public:
    // An empty path: nothing is written.
    explicit StateWriter(std::string path) : path_(std::move(path)) {}
    // Writes the file if the state has changed. A reader never sees half of it.
    void write(const Frame& frame, const FeatureList& features, const WindowFiles& files,
               const FrameCost& cost);

  private:
    std::string path_;
    std::string written_;
};

}  // namespace lanescope
