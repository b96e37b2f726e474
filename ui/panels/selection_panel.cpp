#include "ui/panels/selection_panel.h"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "ui/base/abilities.h"
#include "ui/commands/panel_names.h"
#include "ui/panels/findings_panel.h"
#include "ui/panels/gap_panel.h"
#include "ui/panels/link.h"
#include "ui/panels/panel_column.h"
#include "ui/panels/selection.h"
#include "ui/panels/threshold_editor.h"
#include "ui/timeline/gap_layer.h"
#include "ui/timeline/landmarks_layer.h"

namespace lanescope {

namespace {

// The gap that is described instead of a selection; null: none.
const WalkedGap* described_gap(const Frame& frame) {
    const DescribedGap* const described = frame.loaded() && !frame.timeline.selected
                                              ? frame.loaded()->state.find<DescribedGap>()
                                              : nullptr;
    return described && described->walked ? &*described->walked : nullptr;
}

nlohmann::json json_of(const SliceModel& model) {
    nlohmann::json result = {{"why_not", no_model_reason(model.why)},
                             {"flop", nullptr},
                             {"bytes", nullptr},
                             {"floor_ns", nullptr},
                             {"bound", work_bound_name(model.bound)},
                             {"planned", model.planned},
                             {"uncertain", model.uncertain}};
    if (model.flop != kNoValue) result["flop"] = model.flop;
    if (model.bytes != kNoValue) result["bytes"] = model.bytes;
    if (!std::isnan(model.floor_ns)) result["floor_ns"] = model.floor_ns;
    return result;
}

nlohmann::json json_of(const CompiledSlice& compiled) {
    nlohmann::json lines = nlohmann::json::array();
    for (const SourceLine& line : compiled.lines) lines.push_back(short_place(line));
    return {{"site", compiled.site},
            {"graph", compiled.graph},
            {"operators", compiled.operators},
            {"lines", std::move(lines)},
            {"grade", grade_name(compiled.grade)}};
}

}  // namespace

std::string_view SelectionPanel::name() const {
    return kSelectionPanel;
}

bool SelectionPanel::shows_findings(const Frame& frame) const {
    return findings_.shown() && !frame.timeline.selected && !described_gap(frame);
}

std::string SelectionPanel::tab_text(const Frame& frame) const {
    if (!shows_findings(frame)) return {};
    const std::size_t count = findings_.shown()->texts.size();
    return count == 0 ? std::string("Findings") : fmt::format("Findings {}", count);
}

void SelectionPanel::follow(Frame& frame) {
    const PanelInputs inputs = panel_inputs(frame);
    siblings_.follow(inputs);
    model_.follow(timeline_inputs(frame));
    compiled_.follow(timeline_inputs(frame));
    findings_.follow(inputs, frame.settings.thresholds,
                     frame.live() ? JobQueue::analysis : JobQueue::quick);
    if (const auto& problems = findings_.thresholds().problems; problems != told_) {
        told_ = problems;
        if (!told_.empty()) frame.notify(told_.front());
    }
    // The next frame draws the tab.
    if (const std::string text = tab_text(frame); text != tab_text_) {
        tab_text_ = text;
        frame.pacing.wake();
    }
    LandmarksLayer& layer = frame.timeline.layer<LandmarksLayer>();
    if (frame.live() || layer.landmarks() == findings_.marks()) return;
    layer.set_landmarks(findings_.marks());
    frame.pacing.wake();
}

void SelectionPanel::draw_way_back(Frame& frame) {
    const Timeline& timeline = frame.timeline;
    const std::optional<uint32_t> chosen = findings_.chosen();
    if (!chosen || !findings_.is_at_place(timeline.selected, timeline.layer<GapLayer>().gap))
        return;
    const Look& look = frame.look;
    const FindingText& text = findings_.shown()->texts[*chosen];
    const auto link = [&](const char* id, const std::string& words) {
        return draw_link(look, ImGui::GetCursorScreenPos(), id, words,
                         ImGui::GetContentRegionAvail().x, look.fonts.regular);
    };
    if (link("all findings", "‹ All findings")) {
        set_selected(frame.timeline, {});
        frame.timeline.layer<GapLayer>().gap.reset();
        if (frame.loaded()) frame.loaded()->state.get<DescribedGap>().walked.reset();
        frame.pacing.wake();
        return;
    }
    const std::string words =
        fmt::format("{}: place {} of {}", text.name, findings_.place() + 1, text.places.size());
    if (text.places.size() > 1) {
        if (link("next place", words + ", next ›")) findings_.next_place(frame.requests);
    } else {
        say(look, words);
    }
    ImGui::Dummy({0, look.px(4)});
}

void SelectionPanel::draw_findings(Frame& frame) {
    const Look& look = frame.look;
    const ShownFindings* const shown = findings_.shown();
    if (!shown) return;
    findings_.draw_them();
    PanelColumn column = panel_column(look);
    draw_sentences(shown->answer, look, look.colors.hi);
    ImGui::Dummy({0, look.px(4)});
    if (shown->range && !shown->texts.empty()) section(column, "IN THE RANGE");
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), 0});
    draw_finding_cards(findings_, look, frame.requests, drawn_);
    ImGui::PopStyleVar();
    draw_sentences(shown->conclusion, look, look.colors.low);
    if (!shown->facts.empty()) section(column, "FURTHER FACTS");
    draw_sentences(shown->facts, look, look.colors.mid);
    const std::string changed = changed_thresholds_text(findings_.thresholds().thresholds);
    const auto link = [&](const char* id, const std::string& words) {
        return draw_link(look, ImGui::GetCursorScreenPos(), id, words, column.width(),
                         look.fonts.regular);
    };
    if (!changed.empty() && link("thresholds", changed)) frame.requests.act(Action::thresholds);
    if (!shown->offers_samples || !abilities().captures) return;
    if (link("samples", "Record it with samples…")) frame.requests.act(Action::record_samples);
    if (link("profiler", "Record it with PyTorch's profiler…"))
        frame.requests.act(Action::record_torch);
}

void SelectionPanel::draw(Frame& frame) {
    const Timeline& timeline = frame.timeline;
    const Trace* const trace = timeline.index ? &timeline.trace() : nullptr;
    drawn_ = {};
    if (shows_findings(frame)) {
        draw_findings(frame);
        return;
    }
    const WalkedGap* const gap = described_gap(frame);
    draw_way_back(frame);
    if (gap) {
        draw_gap(*trace, *gap, frame.look, frame.requests);
        return;
    }
    const DescribedSlice& described = frame.trace->state.get<DescribedSlice>();
    draw_selection(trace, described.facts, described.arguments,
                   frame.live() ? nullptr : siblings_.get(), model_.get(), compiled_.get(),
                   frame.look, frame.requests);
}

void SelectionPanel::forget() {
    siblings_.clear();
    model_.clear();
    compiled_.clear();
    findings_.forget();
}

void SelectionPanel::describe(const Frame& frame, nlohmann::json& state) const {
    using nlohmann::json;
    state["findings"] = state_of(findings_);
    state["finding_cards"] = state_of(drawn_);
    const ShownFindings* const shown = findings_.shown();
    state["story"] = frame.timeline.selected || !shown ? json() : json(shown->story);
    if (!frame.timeline.index) return;
    state["model"] = model_.get() ? json_of(*model_.get()) : json();
    state["compiled"] = compiled_.get() ? json_of(*compiled_.get()) : json();
}

}  // namespace lanescope
