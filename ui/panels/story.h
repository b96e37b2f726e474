// The story of the open trace in a few sentences, shown while nothing is selected.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "core/view/landmarks.h"
#include "ui/commands/requests.h"
#include "ui/look/theme.h"
#include "ui/panels/panel_inputs.h"

namespace lanescope {

class TraceStory {
  public:
    // To be called once a frame; recomputes the story for a new trace.
    void follow(const PanelInputs& inputs, JobQueue queue);
    void draw(const Look& look, Requests& requests) const;
    // Empty until known.
    const std::vector<std::string>& sentences() const { return sentences_; }
    // The summary of the same trace; null until known.
    const std::shared_ptr<const std::vector<Landmark>>& landmarks() const { return landmarks_; }

  private:
    struct Answer {
        std::vector<std::string> sentences;
        std::shared_ptr<const std::vector<Landmark>> landmarks;
        bool offers_samples = false;
    };
    static Answer compute(const TraceContext& context);

    JobSlot computing_;
    // The context of the sentences that are shown or being computed.
    std::shared_ptr<const TraceContext> described_;
    std::vector<std::string> sentences_;
    bool offers_samples_ = false;  // functions are missing, and could have been sampled
    std::shared_ptr<const std::vector<Landmark>> landmarks_;
};

}  // namespace lanescope
