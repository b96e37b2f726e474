#include "ui/panels/compare_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <span>
#include <utility>

#include "core/analysis/structure/step_batches.h"
#include "core/analysis/structure/steps.h"
#include "core/trace/join.h"
#include "ui/commands/panel_names.h"
#include "ui/panels/panel_column.h"
#include "ui/panels/table_cells.h"
#include "ui/panels/verdict_cell.h"

namespace lanescope {

namespace {

constexpr float kWideComparison = 1000;  // with more space, the words are left of the table …
constexpr float kWordsBeside = 400;      // … and so wide
constexpr float kWordsAbove = 0.45f;     // else above it, with at most this part of the height

constexpr const char* kWhatClicksDo =
    "A click on a row shows the function's longest call in A, another click that in B.";

// The step with the smallest number that both traces have, which they can be aligned by.
std::optional<int64_t> first_common_step(const TraceContext& a, const TraceContext& b) {
    std::vector<int64_t> in_b;
    for (const lanescope::Step& step : b.get<Steps>().all) in_b.push_back(step.index);
    std::ranges::sort(in_b);
    std::optional<int64_t> first;
    for (const lanescope::Step& step : a.get<Steps>().all)
        if ((!first || step.index < *first) && std::ranges::binary_search(in_b, step.index))
            first = step.index;
    return first;
}

// The phases of server steps that occur in any of the traces.
std::vector<BatchPhase> phases_of(std::span<const TraceContext> traces) {
    std::vector<BatchPhase> phases;
    for (const BatchPhase phase : kBatchPhases)
        if (std::ranges::any_of(traces, [&](const TraceContext& trace) {
                return std::ranges::count(trace.get<StepBatches>().all, phase, &BatchLabel::phase) >
                       0;
            }))
            phases.push_back(phase);
    return phases;
}

std::string name_in_window(const TraceContext& context) {
    const Trace& trace = context.trace();
    return trace.only_part == kNoRow ? std::filesystem::path(trace.path).filename().string()
                                     : trace.parts[trace.only_part].name;
}

void paragraph(const std::string& text, ImU32 color, float indent = 0) {
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    if (indent > 0) ImGui::Indent(indent);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.data(), text.data() + text.size());
    ImGui::PopTextWrapPos();
    if (indent > 0) ImGui::Unindent(indent);
    ImGui::PopStyleColor();
}

}  // namespace

ComparePanel::ComparePanel() : table_(kComparePanel) {
    table_.set_cell_painter({"verdict", kVerdictSignRoom, verdict_cell});
}

std::string_view ComparePanel::name() const {
    return kComparePanel;
}

bool ComparePanel::ready() const {
    if (!has_two_) return true;
    if (making_.busy() || !shown_ || made_ != wanted_) return false;
    return !shown_->all.comparison.comparable || table_.ready();
}

void ComparePanel::forget() {
    making_.drop();
    wanted_ = {};
    made_ = {};
    shown_.reset();
    table_.forget();
    flame_view_.forget();
    phase_ = BatchPhase::unknown;
}

// Names two files with the same name by their paths, like `lanescope compare`.
std::shared_ptr<const ComparePanel::Shown> ComparePanel::compute(const Made& wanted) {
    const std::vector<TraceContext> traces = {TraceContext(*wanted.a), TraceContext(*wanted.b)};
    const std::vector<TableQuery> queries(traces.size(), TableQuery{wanted.range});
    std::vector<RunProfile> runs = profile_runs(traces, queries, wanted.phase);
    if (runs.front().file == runs.back().file)
        for (std::size_t i = 0; i < runs.size(); ++i) runs[i].name = traces[i].trace().path;
    const std::span<const RunProfile> both = runs;
    auto shown = std::make_shared<Shown>();
    // People sort and search all rows, so none is left to a sum.
    shown->all.comparison = compare_runs(both.first(1), both.last(1), CompareOptions{0});
    if (wanted.phase != BatchPhase::unknown)
        for (const RunProfile& run : runs) {
            if (!run.steps.empty()) continue;
            shown->all.comparison.comparable = false;
            shown->all.comparison.remarks.push_back(
                fmt::format("{}: {}.", run.name, no_step_of_phase(batch_phase_name(wanted.phase))));
        }
    shown->text = comparison_text(shown->all.comparison);
    shown->flames =
        std::make_shared<const DifferenceFlames>(difference_flames(shown->all.comparison));
    shown->common_step = first_common_step(*wanted.a, *wanted.b);
    shown->phases = phases_of(traces);
    return shown;
}

void ComparePanel::choose(const CompareInputs& inputs) {
    const auto count = static_cast<uint32_t>(inputs.contexts.size());
    if (a_ < count && b_ < count && a_ != b_) return;
    a_ = 0;
    b_ = 1;
}

void ComparePanel::make(const CompareInputs& inputs) {
    wanted_ = {inputs.contexts[a_], inputs.contexts[b_], inputs.range, phase_};
    if (made_.a != wanted_.a || made_.b != wanted_.b) shown_.reset();
    if (making_.busy() || (shown_ && made_ == wanted_)) return;
    making_.ask(
        *inputs.jobs, [wanted = wanted_] { return compute(wanted); },
        [this, wanted = wanted_](std::shared_ptr<const Shown> shown) {
            made_ = wanted;
            shown_ = std::move(shown);
            flame_view_.forget();
            table_.set_source([shown = shown_](const TraceContext&, const TableQuery&) {
                return compare_table({&shown->all.comparison, 1});
            });
        },
        JobQueue::analysis);
}

bool ComparePanel::button(const char* label, const char* name, const char* hint) {
    const bool pressed = ImGui::Button(label);
    ImGui::SetItemTooltip("%s", hint);
    places_.push_back({name, middle_of_item()});
    return pressed;
}

// Choosing the trace of the other side swaps the two.
void ComparePanel::draw_choice(const CompareInputs& inputs, const char* side, uint32_t& chosen,
                               uint32_t& other, const Look& look) {
    ImGui::AlignTextToFramePadding();
    ImGui::TextUnformatted(side);
    ImGui::SameLine(0, look.px(6));
    ImGui::SetNextItemWidth(look.px(150));
    ImGui::PushID(side);
    if (ImGui::BeginCombo("##trace", name_in_window(*inputs.contexts[chosen]).c_str())) {
        for (uint32_t i = 0; i < inputs.contexts.size(); ++i) {
            ImGui::PushID(static_cast<int>(i));
            if (ImGui::Selectable(name_in_window(*inputs.contexts[i]).c_str(), i == chosen)) {
                if (i == other) other = chosen;
                chosen = i;
            }
            ImGui::PopID();
        }
        ImGui::EndCombo();
    }
    ImGui::SetItemTooltip("%s", inputs.contexts[chosen]->trace().path.c_str());
    places_.push_back({side, middle_of_item()});
    ImGui::PopID();
    ImGui::SameLine();
}

// Prompts and generated tokens run different kernels, so a server's steps are compared by phase.
void ComparePanel::draw_phases(const Look& look) {
    if (!shown_ || shown_->phases.empty()) return;
    const auto name_of = [](BatchPhase phase) {
        return phase == BatchPhase::unknown ? std::string("All steps")
                                            : fmt::format("{} steps", batch_phase_name(phase));
    };
    std::vector<BatchPhase> choices = {BatchPhase::unknown};
    choices.insert(choices.end(), shown_->phases.begin(), shown_->phases.end());
    ImGui::SetNextItemWidth(look.px(110));
    if (ImGui::BeginCombo("##phase", name_of(phase_).c_str())) {
        for (const BatchPhase phase : choices) {
            if (ImGui::Selectable(name_of(phase).c_str(), phase == phase_)) phase_ = phase;
            places_.push_back({name_of(phase), middle_of_item()});
        }
        ImGui::EndCombo();
    }
    ImGui::SetItemTooltip("Compare only the steps of this phase");
    places_.push_back({"phase", middle_of_item()});
    ImGui::SameLine();
}

void ComparePanel::draw_tools(const CompareInputs& inputs, const Look& look, Requests& requests) {
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(8), look.px(3)});
    draw_choice(inputs, "A", a_, b_, look);
    draw_choice(inputs, "B", b_, a_, look);
    if (button("Swap", "swap", "Compare A with B instead of B with A")) std::swap(a_, b_);
    ImGui::SameLine();
    draw_phases(look);
    const std::optional<int64_t> step = shown_ ? shown_->common_step : std::nullopt;
    ImGui::BeginDisabled(!step || inputs.busy || step == inputs.aligned_at);
    if (button("Align by step", "align",
               step ? fmt::format("Step {} of both begins at the same time on the timeline", *step)
                          .c_str()
                    : "The two have no step of the same number"))
        requests.add(AlignTraces{{AlignBy::step, *step, {}}});
    ImGui::EndDisabled();
    ImGui::SameLine();
    ImGui::BeginDisabled(!shown_ || !shown_->all.comparison.comparable);
    const bool marked = flames_shown_;
    if (marked) ImGui::PushStyleColor(ImGuiCol_Button, with_alpha(look.colors.accent, 0.3f));
    const bool pressed = button("Flame graph", "flames",
                                "The functions of both as a flame graph, coloured by what changed");
    if (marked) ImGui::PopStyleColor();
    if (pressed) flames_shown_ = !flames_shown_;
    ImGui::EndDisabled();
    ImGui::SameLine();
    ImGui::BeginDisabled(!shown_);
    if (button("Copy Markdown", "copy", "Copy the whole comparison, for a pull request"))
        inputs.jobs->run(
            [shown = shown_] {
                return write_comparisons({&shown->all, 1}, TableFormat::markdown);
            },
            [](const std::string& text) { ImGui::SetClipboardText(text.c_str()); },
            JobQueue::analysis);
    ImGui::EndDisabled();
    if (!shown_ || made_ != wanted_) {
        ImGui::SameLine();
        ImGui::AlignTextToFramePadding();
        ImGui::TextDisabled("Computing …");
    }
    ImGui::PopStyleVar();
    ImGui::PopFont();
}

// Differences between the runs come before all numbers.
void ComparePanel::draw_words(const Look& look) const {
    const ComparisonText& text = shown_->text;
    const auto gap = [&] { ImGui::Dummy({0, look.px(2)}); };
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(3)});
    for (const std::string& side : text.sides) paragraph(side, look.colors.mid);
    gap();
    paragraph(text.comparability, text.differences.empty() ? look.colors.mid : look.colors.hi);
    for (const std::string& line : text.differences) paragraph(line, look.colors.hi, look.px(10));
    for (const std::string& remark : text.remarks) paragraph(remark, look.colors.costs);
    if (!text.compiled.empty()) {
        gap();
        paragraph("Compiled code", look.colors.hi);
        for (const std::string& line : text.compiled) paragraph(line, look.colors.mid, look.px(10));
    }
    if (!text.step.empty()) {
        gap();
        ImGui::PushFont(look.fonts.medium, type::kTable);
        paragraph(text.step, look.colors.hi);
        ImGui::PopFont();
        gap();
    }
    for (const std::string& note : text.notes) paragraph(note, look.colors.mid);
    if (!text.step.empty()) paragraph(kWhatClicksDo, look.colors.low);
    ImGui::PopStyleVar();
    ImGui::PopFont();
}

// Rows lead to the function's longest call in A, and the row of the selected call to that in B.
SliceRef ComparePanel::next_place(SliceRef clicked, SliceRef selected) const {
    if (clicked != selected) return clicked;
    for (const CompareRow& row : shown_->all.comparison.rows)
        if (row.a.longest == clicked && row.b.longest) return row.b.longest;
    return clicked;
}

void ComparePanel::draw_rows(const CompareInputs& inputs, const Look& look, Requests& requests) {
    PanelInputs of_table;
    of_table.context = made_.a;
    of_table.range = made_.range;
    of_table.selected = inputs.selected;
    of_table.shown = inputs.shown;
    of_table.jobs = inputs.jobs;
    Requests of_rows;
    table_.draw_contents(of_table, look, of_rows);
    for (Request& request : of_rows.take_all()) {
        if (ZoomToSlice* const zoom = std::get_if<ZoomToSlice>(&request))
            zoom->slice = next_place(zoom->slice, inputs.selected);
        requests.add(std::move(request));
    }
}

void ComparePanel::draw_why_one_is_missing(const CompareInputs& inputs, const Look& look,
                                           Requests& requests) {
    const std::string keys = keys_of(inputs.keys, Action::add_trace);
    say(look,
        fmt::format("This panel says what changed between two traces, and the window has one. Add "
                    "the second with “Add a trace to the window…”{}, or open both with lanescope A "
                    "B.",
                    keys.empty() ? "" : " (" + keys + ")"));
    ImGui::Dummy({0, look.px(2)});
    if (button("Add a trace…", "add", "Open one more in this window"))
        requests.act(Action::add_trace);
}

void ComparePanel::draw_contents(const CompareInputs& inputs, const Look& look,
                                 Requests& requests) {
    places_.clear();
    has_two_ = inputs.contexts.size() > 1;
    if (!has_two_) {
        forget();
        if (inputs.contexts.empty())
            say(look, "Open a trace to fill this panel.");
        else
            draw_why_one_is_missing(inputs, look, requests);
        return;
    }
    choose(inputs);
    draw_tools(inputs, look, requests);
    make(inputs);
    if (!shown_) return;
    const ImVec2 room = ImGui::GetContentRegionAvail();
    const bool wide = room.x >= look.px(kWideComparison);
    const bool only_words = !shown_->all.comparison.comparable;
    const ImVec2 size = only_words ? room
                        : wide     ? ImVec2(look.px(kWordsBeside), room.y)
                                   : ImVec2(room.x, room.y * kWordsAbove);
    if (ImGui::BeginChild("words", size)) draw_words(look);
    ImGui::EndChild();
    if (only_words) return;
    if (wide) ImGui::SameLine(0, look.px(16));
    if (ImGui::BeginChild("rows")) {
        if (flames_shown_) draw_flames(inputs, look, requests);
        draw_rows(inputs, look, requests);
    }
    ImGui::EndChild();
}

void ComparePanel::draw(Frame& frame) {
    if (frame.live()) {
        say(frame.look, "Traces can be compared when the recording has ended.");
        return;
    }
    const std::vector<std::shared_ptr<const TraceContext>> none;
    const LoadedTrace* const loaded = frame.loaded();
    const Timeline& timeline = frame.timeline;
    const OpenTrace* const trace = frame.trace.get();
    CompareInputs inputs{
        loaded ? loaded->contexts : none, frame.keys, {}, {}, {}, {}, false, &frame.jobs};
    if (timeline.index) inputs.shown = timeline.index->trace;
    if (timeline.marked) inputs.range = timeline.marked->time;
    inputs.selected = timeline.selected;
    if (loaded && loaded->aligned_by == AlignBy::step && trace->alignment.by == AlignBy::step)
        inputs.aligned_at = trace->alignment.step;
    inputs.busy = trace && trace->is_moving();
    draw_contents(inputs, frame.look, frame.requests);
}

nlohmann::json ComparePanel::describe_table() const {
    return has_two_ && shown_ && shown_->all.comparison.comparable ? table_.describe_table()
                                                                   : nlohmann::json();
}

void ComparePanel::describe(const Frame& frame, nlohmann::json& state) const {
    using nlohmann::json;
    if (!frame.timeline.index) return;
    json places = json::object();
    for (const Place& place : places_) places[place.name] = {place.middle.x, place.middle.y};
    json& compare = state["compare"];
    compare = {{"ready", ready()}, {"traces", json()}, {"text", json()}, {"places", places}};
    if (!has_two_ || !shown_) return;
    const ComparisonText& text = shown_->text;
    compare["traces"] = {a_, b_};
    compare["phase"] = batch_phase_name(made_.phase);
    compare["comparable"] = shown_->all.comparison.comparable;
    compare["text"] = {{"sides", text.sides},
                       {"comparability", text.comparability},
                       {"differences", text.differences},
                       {"remarks", text.remarks},
                       {"compiled", text.compiled},
                       {"step", text.step},
                       {"notes", text.notes}};
}

}  // namespace lanescope
