// Ranks: which rank holds the others up, why, and in which steps: a heat map of ranks and steps.
#pragma once

#include <imgui.h>

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/analysis/ranks/open_ranks.h"
#include "ui/commands/requests.h"
#include "ui/look/theme.h"
#include "ui/panels/panel.h"

namespace lanescope {

// The comparison of the ranks of the loaded trace; in LoadedTrace::state.
struct ComparedRanks {
    std::shared_ptr<const OpenRanks> ranks;  // null: not known yet, or a single rank
    bool is_known = false;
};

class RanksPanel : public Panel {
  public:
    std::string_view name() const override;
    void follow(Frame& frame) override;
    void draw(Frame& frame) override;
    bool ready() const override { return !waits_; }
    void describe(const Frame& frame, nlohmann::json& state) const override;

  private:
    // The heat map's geometry in the last frame, in pixels of the screen.
    struct Grid {
        ImVec2 begin;  // of the first cell
        ImVec2 cell;
    };
    // Row and column of the grid.
    using Cell = std::pair<std::size_t, std::size_t>;

    void draw_answer(const OpenRanks& ranks, Frame& frame);
    void draw_grid(const OpenRanks& ranks, Frame& frame);
    void draw_cells(const OpenRanks& ranks, const Look& look);
    void draw_row_ends(const OpenRanks& ranks, float names, float sums, const Look& look);
    std::optional<Cell> cell_at(const OpenRanks& ranks, ImVec2 point) const;

    bool waits_ = false;  // for the comparison
    Grid grid_;
    std::vector<std::pair<std::string, ImVec2>> links_;  // for tests: the verdicts' centres
};

}  // namespace lanescope
