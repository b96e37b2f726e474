// SqlPanel: queries over the open traces, and their results.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/overlays/query_lane.h"
#include "ui/panels/panel.h"
#include "ui/panels/sql_editor.h"
#include "ui/panels/sql_runner.h"
#include "ui/panels/table_panel.h"

namespace lanescope {

struct SqlInputs {
    PanelInputs table;
    std::shared_ptr<SqlSession> session;  // null: no trace is loaded
    Settings* settings = nullptr;         // has the history and the saved queries
    double now = 0;                       // seconds
};

// Returns whether a query has nothing but blanks.
bool is_blank_query(std::string_view query);

class SqlPanel : public Panel {
  public:
    SqlPanel() { result_.show_exactly(); }

    std::string_view name() const override;
    void draw(Frame& frame) override;
    float width_of_tools(const Look& look) const override;
    bool ready() const override;
    bool save_rows(Frame& frame) override;
    void forget() override;
    void describe(const Frame& frame, nlohmann::json& state) const override;
    nlohmann::json describe_table() const override;

    void draw_contents(const SqlInputs& inputs, const Look& look, Requests& requests);

    // For tests.
    SqlEditor& editor() { return editor_; }
    const SqlRunner& runner() const { return runner_; }
    const TablePanel& result() const { return result_; }
    // The text below the editor: the error of the last query, or that it was cancelled.
    const std::string& note() const { return note_; }
    // The places on the screen of the buttons, links and list lines that the last frame drew.
    const std::vector<TablePanel::ButtonPlace>& places() const { return places_; }

  private:
    void follow_answer();
    void run(const SqlInputs& inputs);
    void draw_tools(const SqlInputs& inputs, const Look& look, Requests& requests);
    void draw_history(const SqlInputs& inputs, const Look& look);
    void draw_saved(const SqlInputs& inputs, const Look& look);
    void draw_saved_line(const std::string& name, std::optional<std::string>& deleted,
                         const SqlInputs& inputs, const Look& look);
    void draw_lane_button(const SqlInputs& inputs, const Look& look, Requests& requests);
    void make_lane(const SqlInputs& inputs);
    void draw_choice_of_trace(const SqlInputs& inputs, const Look& look);
    std::string status(double now) const;
    void draw_query(const SqlInputs& inputs, const Look& look, ImVec2 size);
    void draw_result(const SqlInputs& inputs, const Look& look, Requests& requests);
    void draw_examples(const Look& look);
    bool has_rows() const;
    void note_place(std::string name);

    SqlEditor editor_;
    SqlRunner runner_;
    TablePanel result_{"SQL"};
    unsigned shown_answer_ = 0;         // number of the answer that `result_` shows
    std::optional<std::size_t> only_;   // the part that is queried; none: all
    std::string note_;                  // the error of the last query, or that it was cancelled
    bool has_keyboard_ = false;         // this panel's window has the focus
    std::string saved_as_;              // typed name of a query to be saved
    std::string lane_name_;             // typed name of a lane
    unsigned lanes_made_ = 0;           // since the trace was opened
    std::optional<QueryLanePtr> lane_;  // made, but not yet shown; null: no row has a place
    JobSlot making_lane_;
    std::vector<TablePanel::ButtonPlace> places_;
};

}  // namespace lanescope
