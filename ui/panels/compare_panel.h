// Compare: what changed between two of the window's traces. First whether they are comparable, then
// the step, then its functions in a table; in the words of `lanescope compare`.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/export/tables/compare_writer.h"
#include "core/insight/compare/difference_flames.h"
#include "core/models/batch_label.h"
#include "ui/panels/flame_view.h"
#include "ui/panels/table_panel.h"

namespace lanescope {

struct CompareInputs {
    const std::vector<std::shared_ptr<const TraceContext>>& contexts;  // one a trace of the window
    const KeyMap& keys;
    TracePtr shown;                     // the trace on the timeline
    std::optional<TimeRange> range;     // the range marked on the timeline
    SliceRef selected;                  // of any of the traces
    std::optional<int64_t> aligned_at;  // the step by which the traces are aligned
    bool busy = false;                  // another alignment is in progress
    Jobs* jobs = nullptr;               // its jobs end before the panel is destroyed
};

class ComparePanel : public Panel {
  public:
    ComparePanel();

    std::string_view name() const override;
    void draw(Frame& frame) override;
    bool ready() const override;
    bool save_rows(Frame& frame) override { return table_.save_rows(frame); }
    void forget() override;
    void describe(const Frame& frame, nlohmann::json& state) const override;
    nlohmann::json describe_table() const override;

    void draw_contents(const CompareInputs& inputs, const Look& look, Requests& requests);

    // For tests: what the last frame showed; null until computed, or with one trace.
    const Comparison* comparison() const { return shown_ ? &shown_->all.comparison : nullptr; }
    const ComparisonText* text() const { return shown_ ? &shown_->text : nullptr; }
    const TablePanel& table() const { return table_; }
    const DifferenceFlames* flames() const { return shown_ ? shown_->flames.get() : nullptr; }
    const FlameView& flame_view() const { return flame_view_; }
    struct Place {
        std::string
            name;       // "swap", "phase", "decode steps", "align", "flames", "copy", "add", "save"
        ImVec2 middle;  // on the screen
    };
    const std::vector<Place>& places() const { return places_; }

  private:
    struct Made {
        std::shared_ptr<const TraceContext> a, b;
        std::optional<TimeRange> range;
        BatchPhase phase = BatchPhase::unknown;  // phase of the steps; unknown: all steps
        friend bool operator==(const Made&, const Made&) = default;
    };
    struct Shown {
        ComparedRuns all;
        ComparisonText text;
        std::shared_ptr<const DifferenceFlames> flames;
        std::optional<int64_t> common_step;  // the first step that both have
        std::vector<BatchPhase> phases;      // phases of server steps in A or B
    };
    static std::shared_ptr<const Shown> compute(const Made& wanted);
    void choose(const CompareInputs& inputs);
    void make(const CompareInputs& inputs);
    bool button(const char* label, const char* name, const char* hint);
    void draw_choice(const CompareInputs& inputs, const char* side, uint32_t& chosen,
                     uint32_t& other, const Look& look);
    void draw_phases(const Look& look);
    void draw_tools(const CompareInputs& inputs, const Look& look, Requests& requests);
    void draw_words(const Look& look) const;
    void draw_flames(const CompareInputs& inputs, const Look& look, Requests& requests);
    void draw_flame_tools(const Look& look, Requests& requests);
    void draw_rows(const CompareInputs& inputs, const Look& look, Requests& requests);
    void draw_why_one_is_missing(const CompareInputs& inputs, const Look& look, Requests& requests);
    SliceRef next_place(SliceRef clicked, SliceRef selected) const;

    uint32_t a_ = 0;  // indices of traces; they differ if there are two
    uint32_t b_ = 1;
    bool has_two_ = false;
    Made wanted_;
    Made made_;
    JobSlot making_;
    std::shared_ptr<const Shown> shown_;
    BatchPhase phase_ = BatchPhase::unknown;  // the user's choice
    TablePanel table_;
    bool flames_shown_ = false;
    FlameView flame_view_;
    std::vector<Place> places_;
};

}  // namespace lanescope
