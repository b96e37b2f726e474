// TablePanel: one table of the registry, computed in the background, which can be sorted, searched,
// copied and saved. A click on a row goes to its place on the timeline.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/export/tables/column_unit.h"
#include "core/registry/tables.h"
#include "ui/base/jobs.h"
#include "ui/commands/requests.h"
#include "ui/look/theme.h"
#include "ui/panels/column_widths.h"
#include "ui/panels/panel.h"
#include "ui/panels/panel_inputs.h"
#include "ui/panels/table_looks.h"

namespace lanescope {

class TablePanel : public Panel {
  public:
    TablePanel(std::string_view table, std::string_view title);
    // A panel that shows what its source makes.
    explicit TablePanel(std::string_view title) : title_(title) {}
    using Source = std::function<Table(const TraceContext&, const TableQuery&)>;
    void set_source(Source source);

    std::string_view name() const override { return title_; }
    void draw(Frame& frame) override;
    float width_of_tools(const Look& look) const override;
    bool ready() const override { return !busy() && table_ && ordered_ == order_; }
    bool save_rows(Frame& frame) override;
    void forget() override;
    nlohmann::json describe_table() const override;

    // Draws the cells of a column of texts in a way of its own, which takes `extra` more pixels of
    // the design than the text.
    struct CellPainter {
        std::string_view key;
        float extra = 0;
        void (*draw)(const Look& look, std::string_view text) = nullptr;
    };
    void set_cell_painter(const CellPainter& painter) { cell_painter_ = painter; }

    // Shows every column in its order under its own name, and whole values: for columns that nobody
    // declared.
    void show_exactly() { exact_ = true; }

    // Groups the rows by columns, of which a table of another variant may lack some; empty: not.
    void group_by(std::vector<std::string> keys);

    // Draws the table computed from the inputs.
    void draw_contents(const PanelInputs& inputs, const Look& look, Requests& requests);

    // For tests: the displayed table with its rows in order, once everything is ready.
    const Table* table() const { return table_.get(); }
    const std::vector<uint32_t>& rows() const { return *rows_; }
    bool busy() const { return making_.busy() || ordering_.busy(); }
    float first_row_y() const { return first_row_y_; }  // middle of the row on the screen
    struct ButtonPlace {
        std::string name;
        ImVec2 middle;  // on the screen
    };
    // The buttons of the table's variants; empty if the variants are in a list.
    const std::vector<ButtonPlace>& form_places() const { return form_places_; }
    const std::vector<ButtonPlace>& tool_places() const { return tool_places_; }
    // The titles that are at least partly visible, and their edges on the screen.
    struct ColumnPlace {
        std::string name;
        float left = 0, right = 0;
    };
    const std::vector<ColumnPlace>& column_places() const { return column_places_; }
    // The rows drawn by the last frame, as indices in rows().
    struct DrawnRows {
        std::size_t last = 0;
        std::size_t count = 0;
        std::size_t in_view = 0;  // that are completely visible
    };
    const DrawnRows& drawn_rows() const { return drawn_; }

  private:
    static std::shared_ptr<const std::vector<uint32_t>> no_rows() {
        return std::make_shared<const std::vector<uint32_t>>();
    }
    // The inputs of a table. Keeps its trace alive: otherwise another one could get the same
    // address.
    struct Made {
        std::shared_ptr<const TraceContext> context;
        uint64_t source = 0;
        std::size_t form = 0;
        std::optional<TimeRange> range;
        TracePtr snapshot;
        friend bool operator==(const Made&, const Made&) = default;
    };
    // The selection and order of its rows.
    struct Order {
        std::string sort;  // the key of a column, or kGroupKey; empty: the table's own order
        bool reversed = false;
        std::string filter;
        std::vector<uint32_t> folded;  // rows of a tree, ascending, whose descendants are hidden
        std::vector<std::string> by;   // keys of the columns that rows are grouped by: at most two
        std::set<std::string> open;    // paths of groups whose rows are shown
        friend bool operator==(const Order&, const Order&) = default;
    };

    static std::vector<uint32_t> rows_in_order(const Table& table, const Order& wanted);
    // The rows of a table in the order in which the panel shows them.
    struct Ordered {
        std::shared_ptr<const Table> table;  // itself, or its groups with its rows
        std::shared_ptr<const std::vector<uint32_t>> rows;
        std::optional<std::size_t> sorted;  // a column, and its unit
        std::optional<ColumnUnit> unit;
        std::vector<bool> informative;  // by column; empty: as before
        std::vector<uint32_t> opened;   // groups, ascending, whose rows are shown
    };
    // `shown`: what is shown now, if it is of the same table with the same groups in this order.
    static Ordered in_order(const std::shared_ptr<const Table>& table, const Order& wanted,
                            const std::shared_ptr<const Table>& shown);
    struct Result {
        std::shared_ptr<const Table> table;
        Ordered ordered;
        std::optional<std::size_t> costs;  // the initial sort column
    };
    void make(const PanelInputs& inputs);
    void take(const Made& made, const std::optional<Order>& order, Result result);
    void show(Ordered ordered);
    bool is_grouped() const { return table_ != base_; }
    bool is_same_table(const Order& order) const;
    std::string path_of_group(uint32_t row) const;
    void open_or_close(uint32_t row);
    void draw_group_items(std::optional<std::size_t> column);
    void draw_group_menu(const Look& look);
    void draw_column_menu();
    void put_in_order(const PanelInputs& inputs);
    float width_of_forms(const Look& look) const;
    void draw_forms(const Look& look);
    void draw_tools(const PanelInputs& inputs, const Look& look, Requests& requests);
    void draw_table(const PanelInputs& inputs, const Look& look, Requests& requests);
    std::string text_of_cell(uint32_t row, std::size_t column) const;
    std::string head_of(const ColumnSpec& column) const;
    void set_up_columns(const Look& look) const;
    std::vector<ColumnRoom> rooms_of_columns(const Look& look) const;
    std::string id_of_table() const;
    void share_width(float room, const Look& look);
    void note_columns();
    void take_look(const Table& table);
    void draw_bar(const Cell& cell, const Look& look) const;
    bool is_tree() const;
    bool has_inside(uint32_t row) const;
    float tree_part_width(uint32_t row, const Look& look) const;
    void draw_tree_part(uint32_t row, const Look& look);
    void draw_row(uint32_t row, const PanelInputs& inputs, const Look& look, Requests& requests);
    void follow_row(uint32_t row, RowTarget target, Requests& requests);
    void take_sorting();
    void find_selection(const PanelInputs& inputs);
    void copy_rows(const PanelInputs& inputs);  // as CSV
    SaveRequest request_to_save() const;

    std::string_view title_;
    std::vector<const TableMaker*> forms_;
    Source source_;
    CellPainter cell_painter_;
    bool exact_ = false;
    uint64_t source_number_ = 0;  // number of the present source
    std::size_t form_ = 0;
    std::optional<Made> made_;
    std::shared_ptr<const Table> base_;   // as computed
    std::shared_ptr<const Table> table_;  // as shown: base_, or its groups
    const TableLook* look_ = &table_look({});
    std::vector<std::size_t> view_;      // the columns of the panel, the most useful first
    std::vector<bool> informative_;      // by column of the table
    std::optional<std::size_t> sorted_;  // the column that rows are in order of
    std::optional<ColumnUnit> unit_;     // of that column
    std::vector<uint32_t> opened_;       // groups, ascending, whose rows are shown
    std::optional<std::size_t> error_;   // the column shown after the mean
    std::optional<std::size_t> bar_;     // column with bars
    std::optional<std::size_t> depth_;   // the column with a row's depth in a tree
    int64_t largest_ = 0;                // the largest number in the column with bars
    std::optional<Order> ordered_;
    Order order_;
    std::array<char, 128> filter_{};  // the typed filter
    std::string message_;             // result of copying or saving
    std::shared_ptr<const std::vector<uint32_t>> rows_ = no_rows();
    DrawnRows drawn_;
    JobSlot making_;
    JobSlot ordering_;
    JobSlot finding_;
    SliceRef shown_selection_;              // the slice that the table was scrolled to
    std::optional<std::size_t> scroll_to_;  // a row, by its position
    // The inputs of the last distribution of widths.
    struct Shared {
        unsigned table = 0;  // id of Dear ImGui's table
        // Weak: must not keep the table and its trace alive.
        std::weak_ptr<const Table> table_of_rows;
        float scale = 0;
        float room = 0;
        std::optional<ColumnUnit> unit;
        std::vector<int> shown;         // by place in view_, as all below
        std::vector<ColumnRoom> rooms;  // widths of all columns
        std::vector<float> widths;      // widths of the visible columns; 0: hidden
    };
    Shared shared_;
    float first_row_y_ = 0;
    std::vector<ButtonPlace> form_places_;
    std::vector<ButtonPlace> tool_places_;
    std::vector<ColumnPlace> column_places_;
    std::optional<std::size_t> costs_;  // the initial sort column
};

}  // namespace lanescope
