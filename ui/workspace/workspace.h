// Workspace: the panels around the timeline: their layout, their tabs, and moving and sizing them
// by keys.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "ui/frame/feature.h"
#include "ui/panels/panel.h"
#include "ui/workspace/border_keys.h"
#include "ui/workspace/column_keys.h"
#include "ui/workspace/first_table.h"
#include "ui/workspace/layout.h"
#include "ui/workspace/panel_groups.h"
#include "ui/workspace/panel_keys.h"
#include "ui/workspace/panel_mover.h"
#include "ui/workspace/panel_room.h"
#include "ui/workspace/tab_list.h"

namespace lanescope {

class Workspace : public Feature {
  public:
    // `panels`: in the order in which they are drawn; those after `always` are tables, which the
    // user can hide.
    Workspace(std::vector<Panel*> panels, std::size_t always, Frame& frame);

    std::span<const Action> actions() const override;
    void act(Action action, Frame& frame) override;
    bool take(const Request& request, Frame& frame) override;
    bool is_on(Action action, const Frame& frame) const override;
    bool take_key(ImGuiKeyChord pressed, Frame& frame) override;
    bool dismiss(Layer layer, Frame& frame) override;
    void loaded(LoadedTrace& loaded, Frame& frame) override;
    void begin(Frame& frame) override;
    bool settled(const Frame& frame) const override;
    void offer(std::vector<Choice>& choices, Frame& frame) override;
    void draw_menu(std::string_view group, Frame& frame) override;
    void describe(const Frame& frame, nlohmann::json& state) const override;

    // Draws the dock space in the current window.
    void draw_dock(Frame& frame);
    // Draws the panels and what belongs to them; after the timeline.
    void draw_panels(Frame& frame);
    // Whether only the timeline is drawn.
    void draw_none();
    // Makes panels release the trace that they show.
    void forget();
    // Whether a panel has the arrow keys.
    bool has_keys() const { return panel_keys_.on(); }

  private:
    // A panel that is drawn.
    struct Place {
        const Panel* panel = nullptr;  // null: the timeline
        std::string_view name;
        Box box;
        bool docked = false;
        bool in_front = false;  // it is visible
        // A click here brings the panel to the front: its button if its group is in front, else the
        // tab of its group; of a panel with a window of its own, the tab of that window.
        Box tab;
        bool lit = false;           // its tab is drawn as one in front
        std::string_view tab_text;  // as the next frame draws it
        std::string_view group;     // its window; empty: it has its own
    };
    std::vector<Place> places(const Frame& frame) const;
    // The windows that are in front, and the panels.
    std::vector<std::string> windows_in_front(const Frame& frame) const;
    std::vector<std::string> panels_in_front(const Frame& frame) const;
    bool begin_window(std::string_view name, bool* open, Frame& frame);
    void draw_each(Frame& frame);
    void draw_group(const PanelGroup& group, Frame& frame);
    void draw_own_window(Panel& panel, Frame& frame);
    void draw_contents(Panel& panel, bool visible, Frame& frame);
    Panel* panel_called(std::string_view name) const;
    // The panel that a window shows.
    std::string_view panel_shown_in(std::string_view window) const;
    void give_own_window(std::string_view panel, Frame& frame);
    void underline_tabs(const Look& look) const;

    void restore_layout(Frame& frame);
    PanelLayout chosen_layout(const Frame& frame) const;
    PanelLayout first_layout(const Frame& frame) const;
    void keep_layout(Frame& frame);
    void apply_layout(const std::string& text, Frame& frame);
    void reset_layout(Frame& frame);
    void show_first_table(Frame& frame);
    void follow_borders(Frame& frame);
    void choose_panel_to_move(Frame& frame);
    void move_panel(Frame& frame);  // moves a panel as the keys of the mover request
    void act_on_columns(Action action, Frame& frame);
    void save_table(Frame& frame);

    std::vector<Panel*> panels_;
    std::size_t always_;
    bool ready_ = false;    // visible panels are up to date
    std::string greeting_;  // a message for the first frame
    unsigned dockspace_ = 0;
    ImVec2 room_;                              // size of the dock space
    std::string layout_path_;                  // empty: the layout is not kept
    std::optional<PanelLayout> layout_;        // the user's own; none: the default
    std::optional<PanelLayout> moved_layout_;  // the layout that the next frame applies
    bool layout_wanted_ = true;
    int frames_with_panels_ = 0;  // frames since all panels were drawn
    FirstTable first_table_;
    PanelGroups groups_;
    std::string_view dragged_out_;  // a panel whose new window follows the pointer; empty: none
    std::string_view own_panel_;  // a panel whose new window appears in this frame; empty: none …
    ImVec2 own_place_, own_size_;  // … and where
    TabList tab_list_;
    PanelKeys panel_keys_;
    BorderKeys border_keys_;
    PanelMover panel_mover_;
    ColumnKeys column_keys_;
    PanelRoom roofline_room_;
};

}  // namespace lanescope
