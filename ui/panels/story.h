// The story of the open trace, in a few sentences, for as long as nothing is selected.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/view/landmarks.h"
#include "ui/panels/table_panel.h"
#include "ui/shell/theme.h"

namespace lanescope {

class TraceStory {
  public:
    // Once a frame; has it worked out when there is another trace.
    void follow(const PanelInputs& inputs, Worker& worker);
    void draw(const Look& look) const;
    // Empty until they are known.
    const std::vector<std::string>& sentences() const { return sentences_; }
    // Of the same trace; null until they are known.
    const std::shared_ptr<const std::vector<Landmark>>& landmarks() const { return landmarks_; }

  private:
    std::shared_ptr<const TraceContext> told_;  // that the sentences are of, or will be
    std::vector<std::string> sentences_;
    std::shared_ptr<const std::vector<Landmark>> landmarks_;
};

}  // namespace lanescope
