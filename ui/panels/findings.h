// The findings of the open trace: computed in the background, for the panels that show them. Which
// of them is chosen, and which of its places was shown last.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/export/words/finding_text.h"
#include "core/insight/findings/rule.h"
#include "core/overlays/landmarks.h"
#include "ui/commands/requests.h"
#include "ui/panels/panel_inputs.h"

namespace lanescope {

using LandmarksPtr = std::shared_ptr<const std::vector<Landmark>>;

struct ShownFindings {
    std::optional<TimeRange> range;  // none: the whole trace
    TracePtr snapshot;               // of a running recording
    Findings found;
    std::vector<FindingText> texts;       // of found.all
    std::vector<std::string> answer;      // the sentences of the story before the findings
    std::vector<std::string> facts;       // and after them
    std::vector<std::string> story;       // all sentences
    std::vector<std::string> conclusion;  // what findings cost together, or that there are none
    bool offers_samples = false;          // functions are missing, and could have been sampled
};

class TraceFindings {
  public:
    // To be called once a frame; recomputes for a new trace, range or threshold. `written`: the
    // user's thresholds. A marked range counts while a panel shows the findings.
    void follow(const PanelInputs& inputs, const std::map<std::string, std::string>& written,
                JobQueue queue);
    void forget();
    // Null until known.
    const ShownFindings* shown() const { return shown_.get(); }
    bool ready() const { return !wanted_.context || (!computing_.busy() && made_ == wanted_); }
    // To be called by a panel that shows the findings.
    void draw_them() { drawn_ = true; }

    const WrittenThresholds& thresholds() const { return thresholds_; }
    // Marks on the overview; null until known. A new list whenever anything changes.
    const LandmarksPtr& marks() const { return marks_; }

    std::optional<uint32_t> chosen() const { return chosen_; }  // in Findings::all
    uint32_t place() const { return place_; }                   // of the chosen finding
    // Chooses a finding, and goes to its first place; if it is chosen already, to the next.
    void go(uint32_t finding, Requests& requests);
    // Likewise for the chosen finding, or else the first.
    void next_place(Requests& requests);
    void next_finding(Requests& requests);
    void choose_none();
    // Whether this slice or gap is the place of the chosen finding that was shown last.
    bool is_at_place(SliceRef selected, const std::optional<TimeRange>& gap) const;

    // A panel is to open the list of thresholds.
    bool thresholds_wanted = false;

  private:
    struct Wanted {
        std::shared_ptr<const TraceContext> context;
        std::optional<TimeRange> range;
        Thresholds thresholds;
        TracePtr snapshot;
        friend bool operator==(const Wanted&, const Wanted&) = default;
    };
    struct Answer {
        std::shared_ptr<const ShownFindings> shown;
        LandmarksPtr landmarks;  // without findings; null: as before
    };
    static Answer compute(const Wanted& wanted, bool with_landmarks);
    void take(const Wanted& wanted, Answer answer);
    void mark();

    JobSlot computing_;
    Wanted wanted_, made_;
    std::map<std::string, std::string> written_;
    WrittenThresholds thresholds_;
    std::shared_ptr<const ShownFindings> shown_;
    LandmarksPtr landmarks_;
    LandmarksPtr marks_;
    std::optional<uint32_t> chosen_;
    uint32_t place_ = 0;
    bool drawn_ = false;
};

}  // namespace lanescope
