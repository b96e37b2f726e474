// Search: finds matches of the typed text in the background, steps through them, and reads the file
// again for arguments that the trace does not store.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "core/search/expression.h"
#include "ui/features/argument_reading.h"
#include "ui/features/find_box.h"
#include "ui/frame/feature.h"
#include "ui/panels/table_panel.h"

namespace lanescope {

class SearchFeature : public Feature {
  public:
    // Sets the source of the panel's rows.
    explicit SearchFeature(TablePanel& panel) : panel_(panel) {}
    ~SearchFeature() override;

    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool take_key(ImGuiKeyChord pressed, Frame& frame) override;
    bool dismiss(Layer layer, Frame& frame) override;
    void follow(Frame& frame) override;
    bool settled(const Frame& /*frame*/) const override { return !searches(); }
    void describe(const Frame& frame, nlohmann::json& state) const override;

    // Draws the field into the top bar.
    void draw_box(const Box& box, Frame& frame);

  private:
    bool searches() const;
    void read_arguments(const SearchExpression& expression, Frame& frame);
    void end_reading(const std::optional<Error>& problem, Frame& frame);
    void take_newly_found(Frame& frame);
    void follow_reading(Frame& frame);
    bool stop_reading();
    std::string reading_status(const Frame& frame) const;
    std::string status(const Frame& frame) const;
    void set_found(const FoundPtr& found, Frame& frame);
    void step(bool forward, Frame& frame);
    void step_in(const Found& found, bool forward, Frame& frame);
    void remember(Frame& frame) const;
    static void next_filter(Frame& frame);

    TablePanel& panel_;
    FindBox box_;
    std::string asked_;    // the text for which `Timeline::found` was or is being computed
    TracePtr trace_;       // the trace and …
    ShownLanesPtr shown_;  // … the lanes for which it was or is being computed
    // The selection and its number among the matches; 0: not a match.
    mutable std::optional<std::pair<SliceRef, uint64_t>> placed_;
    JobSlot finding_;
    std::shared_ptr<ArgumentReading> reading_;  // reads the file; null: it is not read
    std::optional<double> stopped_at_;          // the fraction of the file that was read
    std::optional<bool> step_;  // direction of a step that was requested during the search
};

}  // namespace lanescope
