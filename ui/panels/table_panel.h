// TablePanel: one table of the registry, worked out in the background, to be sorted, searched,
// copied and saved. A click on a row goes to its place on the timeline.
#pragma once

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/analysis/tables.h"
#include "ui/panels/column_widths.h"
#include "ui/panels/table_looks.h"
#include "ui/shell/requests.h"
#include "ui/shell/theme.h"
#include "ui/shell/worker.h"

namespace lanescope {

// What the rest of the window says to its panels.
struct PanelInputs {
    std::shared_ptr<const TraceContext> context;  // null: no trace
    std::optional<TimeRange> range;               // marked on the timeline
    SliceRef selected;
    TracePtr shown;            // on the timeline: all slices are of it
    Worker* worker = nullptr;  // its jobs end before the panels do
    // The context is of a snapshot, and another comes now and then: what is shown of one stays
    // until the next has it.
    bool live = false;
    TracePtr snapshot() const { return live ? shown : nullptr; }
};

// Why there is nothing while there is no context.
const char* nothing_to_tell(const PanelInputs& inputs);

class TablePanel {
  public:
    TablePanel(std::string_view table, std::string_view title);
    // One that shows what its source makes.
    explicit TablePanel(std::string_view title) : title_(title) {}
    using Source = std::function<Table(const TraceContext&, const TableQuery&)>;
    void set_source(Source source);

    std::string_view title() const { return title_; }
    void draw(const PanelInputs& inputs, const Look& look, Requests& requests);
    // Lets go of the trace that it tells of.
    void forget();

    // What is shown, for tests: the rows in their order, once nothing is being worked out.
    const Table* table() const { return table_.get(); }
    const std::vector<uint32_t>& rows() const { return *rows_; }
    bool busy() const { return making_ || ordering_; }
    float first_row_y() const { return first_row_y_; }  // its middle, on the screen
    struct ButtonPlace {
        std::string name;
        ImVec2 middle;  // on the screen
    };
    // The buttons of its forms; empty where they are in a list.
    const std::vector<ButtonPlace>& form_places() const { return form_places_; }
    const std::vector<ButtonPlace>& tool_places() const { return tool_places_; }
    // The heads of the columns that are in view, if only in part, and their sides on the screen.
    struct ColumnPlace {
        std::string name;
        float left = 0, right = 0;
    };
    const std::vector<ColumnPlace>& column_places() const { return column_places_; }
    // Rows that the last frame drew, by their place in rows().
    struct DrawnRows {
        std::size_t last = 0;
        std::size_t count = 0;
    };
    const DrawnRows& drawn_rows() const { return drawn_; }
    // All that was asked for is shown.
    bool ready() const { return !busy() && table_ && ordered_ == order_; }

  private:
    static std::shared_ptr<const std::vector<uint32_t>> no_rows() {
        return std::make_shared<const std::vector<uint32_t>>();
    }
    // What a table was made of.
    // It keeps its trace: another could come to stand at the same address.
    struct Made {
        std::shared_ptr<const TraceContext> context;
        uint64_t source = 0;
        std::size_t form = 0;
        std::optional<TimeRange> range;
        TracePtr of;
        friend bool operator==(const Made&, const Made&) = default;
    };
    // How its rows were chosen and put in order.
    struct Order {
        std::optional<std::size_t> column;  // none: the table's own
        bool reversed = false;
        std::string filter;
        std::vector<uint32_t>
            folded;  // rows of a tree, ascending; what is inside them is not shown
        friend bool operator==(const Order&, const Order&) = default;
    };

    static std::vector<uint32_t> rows_in_order(const Table& table, const Order& wanted);
    void make(const PanelInputs& inputs);
    void put_in_order(const PanelInputs& inputs);
    void draw_forms(const Look& look);
    void draw_tools(const PanelInputs& inputs, const Look& look);
    void draw_table(const PanelInputs& inputs, const Look& look, Requests& requests);
    std::string text_of_cell(uint32_t row, std::size_t column) const;
    std::string head_of(const ColumnSpec& column) const;
    std::vector<ColumnRoom> rooms_of_columns(const Look& look) const;
    void share_width(float room, const Look& look);
    void note_columns();
    void take_look(const Table& table);
    void draw_bar(const Cell& cell, const Look& look) const;
    bool is_tree() const;
    bool has_inside(uint32_t row) const;
    float tree_part_width(uint32_t row, const Look& look) const;
    void draw_tree_part(uint32_t row, const Look& look);
    void draw_row(uint32_t row, const PanelInputs& inputs, const Look& look, Requests& requests);
    void take_sorting();
    void find_selection(const PanelInputs& inputs);
    void hand_out(const PanelInputs& inputs, bool save);  // as CSV

    std::string_view title_;
    std::vector<const TableMaker*> forms_;
    Source source_;
    uint64_t source_number_ = 0;  // counts them
    std::size_t form_ = 0;
    std::optional<Made> made_;
    std::shared_ptr<const Table> table_;
    const TableLook* look_ = &table_look({});
    std::optional<std::size_t> error_;  // column that stands behind the mean
    std::optional<std::size_t> bar_;    // column with bars
    std::optional<std::size_t> depth_;  // column that says how deep in a tree a row stands
    int64_t largest_ = 0;               // in that column
    std::optional<Order> ordered_;
    Order order_;
    std::array<char, 128> filter_{};  // what is typed
    std::string told_;                // what came of copying or saving
    std::shared_ptr<const std::vector<uint32_t>> rows_ = no_rows();
    DrawnRows drawn_;
    bool making_ = false;
    uint64_t forgotten_ = 0;  // how often
    bool ordering_ = false;
    SliceRef shown_selection_;              // that the table was scrolled to
    std::optional<std::size_t> scroll_to_;  // a row, by its place
    // How the columns shared the width when that was worked out last, and of what.
    struct Shared {
        unsigned table = 0;             // Dear ImGui's
        std::weak_ptr<const Table> of;  // which is not kept by it, nor the trace with it
        float scale = 0;
        float room = 0;
        std::vector<int> shown;
        std::vector<ColumnRoom> rooms;  // of all
        std::vector<float> widths;      // of those shown; 0: hidden
    };
    Shared shared_;
    float first_row_y_ = 0;
    std::vector<ButtonPlace> form_places_;
    std::vector<ButtonPlace> tool_places_;
    std::vector<ColumnPlace> column_places_;
    std::optional<std::size_t> costs_;  // the column that the table is sorted by at first
};

}  // namespace lanescope
