// Flame graph: calls merged by their stacks, from left to right by weight or by time, or the
// callers and callees of one name.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ui/commands/requests.h"
#include "ui/panels/flame_view.h"
#include "ui/panels/panel.h"
#include "ui/panels/panel_inputs.h"

namespace lanescope {

enum class FlameMode : uint8_t { heavy, time, sandwich };

class FlamePanel : public Panel {
  public:
    std::string_view name() const override;
    void draw(Frame& frame) override;
    bool ready() const override;
    void forget() override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

    void draw_contents(const PanelInputs& inputs, const Look& look, Requests& requests);

    // For tests: what the last frame showed; positions on the screen.
    struct Place {
        std::string name;
        ImVec2 middle;
    };
    const std::vector<Place>& buttons() const { return buttons_; }
    struct NameRow {
        uint32_t frame = 0;
        std::string name;
        ImVec2 middle;
    };
    const std::vector<NameRow>& name_rows() const { return name_rows_; }
    const FlameTree* tree() const { return tree_.get(); }
    const FlameView& view() const { return view_; }
    const FlameView& callers() const { return callers_; }
    const FlameView& callees() const { return callees_; }
    const FlameMatches* matches() const { return matches_.get(); }

  private:
    struct Made {
        std::shared_ptr<const TraceContext> context;
        FlameQuery query;
        TracePtr snapshot;  // snapshot of a running recording for which it was computed
        friend bool operator==(const Made&, const Made&) = default;
    };
    struct Result {
        std::shared_ptr<const FlameTree> tree;
        std::shared_ptr<const std::vector<FlameName>> names;
    };
    struct Sandwich {
        std::shared_ptr<const FlameTree> callers, callees;
    };

    void note_sources(const PanelInputs& inputs);
    FlameQuery query_of(const PanelInputs& inputs) const;
    void make(const PanelInputs& inputs);
    void take(const Made& made, Result result);
    void search(const PanelInputs& inputs);
    void make_sandwich(const PanelInputs& inputs);
    uint32_t chosen_frame() const;
    bool matches_are_shown() const { return matches_ && matched_ == search_.data(); }

    void note_place(const char* name);  // of the item drawn last
    bool button(const char* label, bool chosen, const Look& look, const char* hint = nullptr);
    void next_tool(float width, const Look& look) const;
    void draw_sources(const Look& look);
    void draw_modes(const PanelInputs& inputs, const Look& look);
    void draw_search(const Look& look);
    void draw_save(const Look& look, Requests& requests);
    enum class Format : uint8_t { svg, folded, speedscope };
    SaveRequest request_to_save(Format format, Theme theme) const;
    void draw_tools(const PanelInputs& inputs, const Look& look, Requests& requests);
    void draw_status(const PanelInputs& inputs, const Look& look);
    std::string why_empty(const PanelInputs& inputs) const;
    FlameScene scene_of(const PanelInputs& inputs, std::shared_ptr<const FlameTree> tree) const;
    void draw_names(const PanelInputs& inputs, ImVec2 size, const Look& look, Requests& requests);
    void draw_name(const FlameName& name, bool chosen, const PanelInputs& inputs, const Look& look,
                   Requests& requests);
    void draw_sandwich(const PanelInputs& inputs, const Look& look, Requests& requests);
    void carry_out(const FlameAnswer& answer, const FlameTree& tree, Requests& requests);

    // The choices of the user.
    std::optional<FlameSource> source_;  // none: the first that the trace has
    FlameMode mode_ = FlameMode::heavy;
    FlameWeight weight_ = FlameWeight::samples;  // of samples
    bool within_selection_ = false;
    std::array<char, 128> search_{};
    std::optional<FlameFrame> chosen_;  // of the sandwich; none: the first of the list
    bool show_chosen_ = false;          // scroll the list to it

    std::shared_ptr<const TraceContext> sources_of_;
    std::array<std::string_view, std::size(kFlameSources)>
        missing_;  // by source: why there is nothing; empty: there is

    Made wanted_;
    Made made_;
    std::shared_ptr<const FlameTree> tree_;
    std::shared_ptr<const std::vector<FlameName>> names_;
    std::shared_ptr<const FlameMatches> matches_;
    std::string matched_;                          // the text of the matches …
    std::shared_ptr<const FlameTree> matched_in_;  // … in this tree
    Sandwich sandwich_;
    std::optional<FlameFrame> sandwich_of_;
    std::shared_ptr<const FlameTree> sandwich_in_;
    JobSlot making_;
    JobSlot searching_;
    JobSlot slicing_;
    FlameView view_;
    FlameView callers_;
    FlameView callees_;
    std::vector<Place> buttons_;
    std::vector<NameRow> name_rows_;
};

}  // namespace lanescope
