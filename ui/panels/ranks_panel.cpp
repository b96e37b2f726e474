#include "ui/panels/ranks_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/base/format.h"
#include "ui/commands/panel_names.h"
#include "ui/panels/link.h"
#include "ui/panels/panel_column.h"

namespace lanescope {

namespace {

constexpr float kAnswerPart = 0.36f;  // of the panel's width
constexpr float kMinAnswer = 280;
constexpr float kMinRow = 13, kMaxRow = 22;
constexpr float kMinCell = 6, kMaxCell = 40;
constexpr float kStepLabel = 40;  // least distance of the labels of steps
constexpr float kSums = 76;       // width of a column of sums
constexpr float kGap = 10;

const ComparedRanks* state_of(const Frame& frame) {
    const LoadedTrace* const loaded = frame.loaded();
    return loaded ? loaded->state.find<ComparedRanks>() : nullptr;
}

const OpenRanks* compared_ranks(const Frame& frame) {
    const ComparedRanks* const state = state_of(frame);
    return state ? state->ranks.get() : nullptr;
}

bool is_comparing(const Frame& frame) {
    const ComparedRanks* const state = state_of(frame);
    return frame.loaded() && !(state && state->is_known);
}

const char* why_no_ranks(const Frame& frame) {
    if (is_comparing(frame)) return "Comparing the ranks…";
    return "Open the traces of several ranks together, or a trace of several GPUs: this panel says "
           "which rank holds the others up.";
}

std::vector<const RankVerdict*> accusations_in(const OpenRanks& ranks) {
    std::vector<const RankVerdict*> found;
    for (const RankVerdict& verdict : ranks.result.verdicts)
        if (is_accusation(verdict)) found.push_back(&verdict);
    return found;
}

std::string conclusion_of(const OpenRanks& ranks) {
    if (ranks.result.matched.calls.empty())
        return "Nothing is compared: no collective was found on two ranks.";
    if (accusations_in(ranks).empty())
        return "No rank holds the others up by more than the limits.";
    return {};
}

std::string clocks_line(const OpenRanks& ranks) {
    double worst = 0;
    uint64_t ends = 0;
    for (const RankClock& clock : ranks.result.clocks.all) {
        if (clock.basis != ClockBasis::offset && clock.basis != ClockBasis::line) continue;
        worst = std::max(worst, clock.residual);
        ends = std::max(ends, clock.ends);
    }
    if (ends == 0) return "All ranks have one clock.";
    return fmt::format("Clocks are corrected by the ends of {}, to ± {}.",
                       format_count(ends, "collective", "collectives"), format_duration(worst));
}

// The place where a verdict costs most: the arrival of its rank, or of the last one.
SliceRef place_of_verdict(const OpenRanks& ranks, const RankVerdict& verdict) {
    const MatchedCall& call = ranks.result.matched.calls[verdict.place];
    const CallWait& wait = ranks.result.waits.calls[verdict.place];
    uint32_t shown = wait.last;
    for (uint32_t a = call.first; a < call.first + call.count; ++a)
        if (verdict.members.size() == 1 &&
            ranks.result.waits.arrivals[a].member == verdict.members.front())
            shown = a;
    return ranks.call(ranks.result.waits.arrivals[shown].call).slice;
}

std::string cell_text(const OpenRanks& ranks, std::size_t row, std::size_t column) {
    const RankCell& cell = ranks.grid.at(row, column);
    const std::string place =
        fmt::format("{}, step {}", member_name(ranks.data.members[ranks.grid.members[row]]),
                    ranks.grid.steps[column]);
    if (cell.calls == 0) return place + "\nno collective that was found on another rank";
    return fmt::format("{}\nothers waited {} for it\nit came last to {} of {}", place,
                       format_duration(static_cast<double>(cell.caused)), cell.last,
                       format_count(cell.calls, "collective", "collectives"));
}

void text_right(const Look& look, float right, float y, ImU32 color, const std::string& text) {
    const float width = text_width(look, look.fonts.regular, type::kSecondary, text);
    draw_text(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kSecondary,
              {std::round(right - width), y}, color, text);
}

// The widest name, but at most a fifth of the room.
float width_of_names(const OpenRanks& ranks, float room, const Look& look) {
    float width = 0;
    for (const uint32_t member : ranks.grid.members)
        width = std::max(width, text_width(look, look.fonts.regular, type::kSecondary,
                                           member_name(ranks.data.members[member])));
    return std::min(width, room / 5) + look.px(kGap);
}

}  // namespace

std::string_view RanksPanel::name() const {
    return kRanksPanel;
}

void RanksPanel::draw_answer(const OpenRanks& ranks, Frame& frame) {
    const Look& look = frame.look;
    links_.clear();
    if (const std::string text = conclusion_of(ranks); !text.empty()) {
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(text.c_str());
        ImGui::PopTextWrapPos();
    }
    for (const RankVerdict* const verdict : accusations_in(ranks)) {
        const std::string cost = format_duration(verdict->cost);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const std::string head = verdict_headline(ranks.data, *verdict);
        ImGui::PushID(verdict);
        if (draw_link(look, at, "verdict", head, ImGui::GetContentRegionAvail().x,
                      look.fonts.medium))
            frame.requests.add(ZoomToSlice{place_of_verdict(ranks, *verdict)});
        ImGui::PopID();
        links_.emplace_back(head, ImVec2{at.x + look.px(20), at.y + look.px(kLinkHeight / 2)});
        std::string text = verdict_text(ranks.data, *verdict) + ".";
        if (text.starts_with("rank ")) text.front() = 'R';
        say(look, text);
    }
    ImGui::Dummy({0, look.px(4)});
    for (const RankProblem& problem : ranks.result.problems) {
        ImGui::PushStyleColor(ImGuiCol_Text, look.colors.waiting);
        ImGui::TextWrapped("%s", problem.text.c_str());
        ImGui::PopStyleColor();
    }
    if (!ranks.result.matched.calls.empty()) say(look, clocks_line(ranks));
}

void RanksPanel::draw_cells(const OpenRanks& ranks, const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const RankGrid& grid = ranks.grid;
    const float gap = grid_.cell.x >= look.px(8) ? 1.0f : 0.0f;
    const auto most = static_cast<double>(std::max<Nanos>(grid.most_caused, 1));
    for (std::size_t row = 0; row < grid.members.size(); ++row)
        for (std::size_t column = 0; column < grid.steps.size(); ++column) {
            const RankCell& cell = grid.at(row, column);
            const ImVec2 min = {grid_.begin.x + grid_.cell.x * static_cast<float>(column),
                                grid_.begin.y + grid_.cell.y * static_cast<float>(row)};
            const ImVec2 max = {min.x + grid_.cell.x - gap, min.y + grid_.cell.y - 1};
            if (!ImGui::IsRectVisible(min, max) || cell.calls == 0) continue;
            const double shade = std::sqrt(static_cast<double>(cell.caused) / most);
            list.AddRectFilled(
                min, max, mixed(look.colors.raised, look.colors.costs, static_cast<float>(shade)));
        }
}

// Names at the left of the rows, sums at their right.
void RanksPanel::draw_row_ends(const OpenRanks& ranks, float names, float sums, const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const float head = grid_.begin.y - look.px(18);
    text_right(look, sums + look.px(kSums), head, look.colors.low, "others waited");
    text_right(look, sums + look.px(2 * kSums + kGap), head, look.colors.low, "it waited");
    for (std::size_t row = 0; row < ranks.grid.members.size(); ++row) {
        const uint32_t member = ranks.grid.members[row];
        const RankTotals& totals = ranks.result.waits.totals[member];
        const float y =
            text_y(look, type::kSecondary, grid_.begin.y + grid_.cell.y * static_cast<float>(row),
                   grid_.cell.y);
        draw_text_cut_middle(list, look, look.fonts.regular, type::kSecondary,
                             {grid_.begin.x - names, y}, look.colors.hi,
                             member_name(ranks.data.members[member]), names - look.px(kGap));
        text_right(look, sums + look.px(kSums), y, look.colors.hi,
                   format_duration(static_cast<double>(totals.caused)));
        text_right(look, sums + look.px(2 * kSums + kGap), y, look.colors.mid,
                   format_duration(static_cast<double>(totals.waited)));
    }
}

std::optional<RanksPanel::Cell> RanksPanel::cell_at(const OpenRanks& ranks, ImVec2 point) const {
    const ImVec2 at = {(point.x - grid_.begin.x) / grid_.cell.x,
                       (point.y - grid_.begin.y) / grid_.cell.y};
    if (at.x < 0 || at.y < 0) return std::nullopt;
    const auto column = static_cast<std::size_t>(at.x);
    const auto row = static_cast<std::size_t>(at.y);
    if (row >= ranks.grid.members.size() || column >= ranks.grid.steps.size()) return std::nullopt;
    return Cell{row, column};
}

void RanksPanel::draw_grid(const OpenRanks& ranks, Frame& frame) {
    const Look& look = frame.look;
    const RankGrid& grid = ranks.grid;
    if (grid.steps.empty()) {
        ImGui::TextDisabled("The recordings have no numbered steps to compare.");
        return;
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const float names = width_of_names(ranks, room.x, look);
    const float sums = look.px(2 * kSums + 3 * kGap);
    const auto rows = static_cast<float>(grid.members.size());
    const auto columns = static_cast<float>(grid.steps.size());
    const float head = look.px(20);
    grid_.begin = {at.x + names, at.y + head};
    grid_.cell = {
        std::clamp((room.x - names - sums) / columns, look.px(kMinCell), look.px(kMaxCell)),
        std::clamp((room.y - 2 * head) / rows, look.px(kMinRow), look.px(kMaxRow))};
    const ImVec2 size = {grid_.cell.x * columns, grid_.cell.y * rows};
    draw_text(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kSecondary,
              {grid_.begin.x, at.y + look.px(2)}, look.colors.low,
              "How long the other ranks waited for a rank, by step");
    draw_cells(ranks, look);
    draw_row_ends(ranks, names, grid_.begin.x + size.x + look.px(kGap), look);
    const auto every = static_cast<std::size_t>(std::ceil(look.px(kStepLabel) / grid_.cell.x));
    for (std::size_t column = 0; column < grid.steps.size(); column += every)
        draw_text(*ImGui::GetWindowDrawList(), look, look.fonts.regular, type::kSecondary,
                  {grid_.begin.x + grid_.cell.x * static_cast<float>(column),
                   grid_.begin.y + size.y + look.px(2)},
                  look.colors.low, std::to_string(grid.steps[column]));
    ImGui::SetCursorScreenPos(grid_.begin);
    const bool pressed = ImGui::InvisibleButton("cells", size);
    const auto pointed = ImGui::IsItemHovered() ? cell_at(ranks, ImGui::GetMousePos()) : Cell{};
    if (ImGui::IsItemHovered() && pointed) {
        ImGui::SetTooltip("%s", cell_text(ranks, pointed->first, pointed->second).c_str());
        const RankCell& cell = grid.at(pointed->first, pointed->second);
        if (pressed && cell.first != kNoRow) {
            const Trace& trace = frame.timeline.trace();
            frame.requests.add(SelectSlice{ranks.call(cell.final).slice});
            frame.requests.add(FrameRange{{trace.start(ranks.call(cell.first).slice),
                                           trace.slice_end(ranks.call(cell.final).slice)}});
        }
    }
    ImGui::SetCursorScreenPos({at.x, grid_.begin.y + size.y + head});
    ImGui::Dummy({names + size.x + sums, 0});
}

void RanksPanel::follow(Frame& frame) {
    waits_ = is_comparing(frame);
}

void RanksPanel::draw(Frame& frame) {
    const OpenRanks* const ranks = compared_ranks(frame);
    if (!ranks) {
        ImGui::PushTextWrapPos(0);
        ImGui::TextDisabled("%s", why_no_ranks(frame));
        ImGui::PopTextWrapPos();
        return;
    }
    const Look& look = frame.look;
    const float width =
        std::max(look.px(kMinAnswer), kAnswerPart * ImGui::GetContentRegionAvail().x);
    ImGui::PushFont(look.fonts.regular, type::kTable);
    if (ImGui::BeginChild("answer", {width, 0})) draw_answer(*ranks, frame);
    ImGui::EndChild();
    ImGui::SameLine(0, look.px(16));
    if (ImGui::BeginChild("grid", {0, 0}, ImGuiChildFlags_None,
                          ImGuiWindowFlags_HorizontalScrollbar))
        draw_grid(*ranks, frame);
    ImGui::EndChild();
    ImGui::PopFont();
}

void RanksPanel::describe(const Frame& frame, nlohmann::json& state) const {
    const OpenRanks* const ranks = compared_ranks(frame);
    if (!ranks) return;
    nlohmann::json verdicts = nlohmann::json::array();
    for (const RankVerdict* const verdict : accusations_in(*ranks))
        verdicts.push_back({{"verdict", rank_fault_name(verdict->fault)},
                            {"text", verdict_text(ranks->data, *verdict)},
                            {"cost_ns", std::llround(verdict->cost)}});
    nlohmann::json problems = nlohmann::json::array();
    for (const RankProblem& problem : ranks->result.problems)
        problems.push_back(rank_problem_name(problem.kind));
    nlohmann::json rows = nlohmann::json::array();
    for (std::size_t row = 0; row < ranks->grid.members.size(); ++row) {
        nlohmann::json caused = nlohmann::json::array();
        for (std::size_t column = 0; column < ranks->grid.steps.size(); ++column)
            caused.push_back(ranks->grid.at(row, column).caused);
        rows.push_back({{"rank", member_name(ranks->data.members[ranks->grid.members[row]])},
                        {"caused_ns", std::move(caused)}});
    }
    nlohmann::json links = nlohmann::json::object();
    for (const auto& [text, middle] : links_) links[text] = {middle.x, middle.y};
    state["rank_comparison"] = {{"verdicts", std::move(verdicts)},
                                {"conclusion", conclusion_of(*ranks)},
                                {"problems", std::move(problems)},
                                {"steps", ranks->grid.steps},
                                {"rows", std::move(rows)},
                                {"links", std::move(links)},
                                {"cells",
                                 {{"x", grid_.begin.x},
                                  {"y", grid_.begin.y},
                                  {"width", grid_.cell.x},
                                  {"height", grid_.cell.y}}}};
}

}  // namespace lanescope
