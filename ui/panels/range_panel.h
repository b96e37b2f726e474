// Range: the contents of the marked range over the marked lanes: by name, by lane, and how busy the
// GPUs are.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "core/analysis/statistics/range_summary.h"
#include "ui/commands/requests.h"
#include "ui/look/theme.h"
#include "ui/panels/panel.h"
#include "ui/panels/panel_inputs.h"

namespace lanescope {

class RangePanel : public Panel {
  public:
    enum class Form { names, lanes };
    struct Order {
        int column = 2;  // a column of the table shown
        bool up = false;
        friend bool operator==(const Order&, const Order&) = default;
    };

    std::string_view name() const override;
    void draw(Frame& frame) override;
    bool ready() const override { return made_ == wanted_ && sorted_ == sorting_wanted_; }
    void forget() override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

    // For tests: what is shown; null while it is being computed, or if no range is marked.
    const RangeSummary* shown() const { return ready() && summary_ ? summary_.get() : nullptr; }
    // The trace that the summary was computed from.
    const Trace& trace() const { return made_.context->trace(); }
    // The displayed table's rows, in order.
    const std::vector<uint32_t>& rows() const { return rows_; }
    Form form() const { return sorted_.form; }
    float first_row_y() const { return first_row_y_; }  // middle of the row on the screen
    ImVec2 form_place(Form form) const { return form_places_[static_cast<int>(form)]; }

  private:
    struct Made {
        std::shared_ptr<const TraceContext> context;
        std::optional<RangeQuery> query;
        TracePtr snapshot;  // snapshot of a running recording for which it was computed
        friend bool operator==(const Made&, const Made&) = default;
    };

    struct Result {
        std::shared_ptr<const RangeSummary> summary;
        std::vector<uint32_t> rows;
    };
    // Computes the panel's contents in the background; `lanes`: lanes of the marked range.
    void draw_contents(const PanelInputs& inputs, const std::vector<LaneId>& lanes,
                       const Look& look, Requests& requests);
    void make(const PanelInputs& inputs);
    void draw_facts(const Trace& trace, const Look& look);
    void draw_forms(const Look& look);
    void draw_table(const Trace& trace, SliceRef selected, const Look& look, Requests& requests);
    void draw_name(const Trace& trace, const NameInRange& sum, const Look& look);
    void draw_lane(const Trace& trace, const LaneInRange& sum, const Look& look);
    void draw_head(std::string_view name, double part, ImU32 color, const Look& look);
    void draw_number(const std::string& text, const Look& look);
    void take_sorting();
    void put_in_order(const PanelInputs& inputs);

    Made wanted_;
    Made made_;
    JobSlot making_;
    std::shared_ptr<const RangeSummary> summary_;
    struct Sorting {
        Form form = Form::names;
        Order order;
        friend bool operator==(const Sorting&, const Sorting&) = default;
    };
    Sorting sorting_wanted_;
    Sorting sorted_;  // the order of `rows_`
    JobSlot ordering_;
    std::vector<uint32_t> rows_;
    float first_row_y_ = 0;
    float row_width_ = 0;
    ImVec2 form_places_[2];
};

// The rows of a summary sorted by a column: of names 0 name, 1 count, 2 total, 3 self, 4 mean; of
// lanes 0 lane, 1 count, 2 busy, 3 share of the range.
std::vector<uint32_t> ordered_rows(const Trace& trace, const RangeSummary& summary,
                                   RangePanel::Form form, RangePanel::Order order);

}  // namespace lanescope
