#include "ui/panels/findings_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "ui/commands/panel_names.h"
#include "ui/panels/link.h"
#include "ui/panels/panel_column.h"

namespace lanescope {

namespace {

constexpr float kDetailsPart = 0.40f;
constexpr float kMinDetails = 300;
constexpr float kMinList = 420;  // narrower: evidence is shown as in the panel beside the timeline
constexpr float kThresholdsWidth = 620;
constexpr float kThresholdLine = 24;  // height of a threshold that was not drawn yet
constexpr float kBeyondPopup = 160;   // part of the list that is drawn beyond the visible one
constexpr const char* kThresholdsPopup = "Thresholds of findings";

const FindingRule* rule_called(std::string_view id) {
    const auto rule = std::ranges::find(rules(), id, &FindingRule::id);
    return rule == rules().end() ? nullptr : &*rule;
}

}  // namespace

std::string_view FindingsPanel::name() const {
    return kFindingsPanel;
}

std::optional<uint32_t> FindingsPanel::described() const {
    const ShownFindings* const shown = findings_.shown();
    if (!shown || shown->texts.empty()) return std::nullopt;
    const auto known = [&](const std::optional<uint32_t>& finding) {
        return finding && *finding < shown->texts.size();
    };
    if (known(pointed_)) return pointed_;
    return known(findings_.chosen()) ? findings_.chosen() : 0;
}

void FindingsPanel::take(const std::optional<ThresholdChange>& change, Frame& frame) {
    if (!change) return;
    if (const Result<void> done = change_threshold(*change, frame.settings.thresholds); !done)
        frame.notify(done.error().text);
    frame.pacing.wake();
}

void FindingsPanel::draw_head(Frame& frame) {
    const Look& look = frame.look;
    const ShownFindings& shown = *findings_.shown();
    // One paragraph, for a low panel.
    std::string answer;
    for (const std::string& sentence : shown.answer)
        answer += (answer.empty() ? "" : " ") + sentence;
    draw_sentences({answer}, look, look.colors.hi);
    std::string changed = changed_thresholds_text(findings_.thresholds().thresholds);
    for (const std::string& problem : findings_.thresholds().problems)
        changed += (changed.empty() ? "" : " ") + problem;
    if (!changed.empty()) draw_sentences({changed}, look, look.colors.waiting);
    ImGui::Dummy({0, look.px(2)});
}

void FindingsPanel::draw_list(Frame& frame) {
    const Look& look = frame.look;
    const ShownFindings& shown = *findings_.shown();
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), 0});
    draw_finding_rows(findings_, look, frame.requests, drawn_);
    ImGui::PopStyleVar();
    if (drawn_.pointed) pointed_ = drawn_.pointed;
    ImGui::Dummy({0, look.px(2)});
    draw_sentences(shown.conclusion, look, look.colors.low);
    draw_sentences(shown.facts, look, look.colors.low);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (draw_link(look, at, "thresholds", "Thresholds…", ImGui::GetContentRegionAvail().x,
                  look.fonts.regular))
        findings_.thresholds_wanted = true;
    all_link_ = {at.x + look.px(20), at.y + look.px(kLinkHeight / 2)};
}

void FindingsPanel::draw_details(Frame& frame) {
    const Look& look = frame.look;
    const std::optional<uint32_t> finding = described();
    if (!finding) return;
    const FindingText& text = findings_.shown()->texts[*finding];
    ImGui::PushFont(look.fonts.medium, type::kTable);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.title.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
    copy_menu("title", copied_text(text));
    if (const std::string place = place_line(findings_, *finding); !place.empty()) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        if (draw_link(look, at, "place", place, ImGui::GetContentRegionAvail().x,
                      look.fonts.regular))
            findings_.go(*finding, frame.requests);
    }
    draw_evidence(text, look);
    const FindingRule* const rule = rule_called(text.rule);
    if (!rule || rule->thresholds.empty()) return;
    ImGui::Dummy({0, look.px(2)});
    take(editor_.draw_rule(*rule, findings_.thresholds().thresholds, look), frame);
}

// A rule out of view only takes its room: all rules together would take too long for one frame.
void FindingsPanel::draw_rule_of_list(const FindingRule& rule, PanelColumn& column, Frame& frame) {
    const Look& look = frame.look;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    float& height = rule_heights_[rule.id];
    if (height == 0)
        height = look.px(kThresholdLine) * static_cast<float>(rule.thresholds.size() + 1);
    const float beyond = look.px(kBeyondPopup);
    if (!ImGui::IsRectVisible({at.x, at.y - beyond}, {at.x + 1, at.y + height + beyond})) {
        ImGui::Dummy({0, std::max(0.0f, height - ImGui::GetStyle().ItemSpacing.y)});
        return;
    }
    section(column, std::string(rule.title).c_str());
    take(editor_.draw_rule(rule, findings_.thresholds().thresholds, look), frame);
    height = ImGui::GetCursorScreenPos().y - at.y;
}

void FindingsPanel::draw_all_thresholds(Frame& frame) {
    const Look& look = frame.look;
    if (std::exchange(findings_.thresholds_wanted, false)) ImGui::OpenPopup(kThresholdsPopup);
    const ImVec2 window = ImGui::GetMainViewport()->Size;
    ImGui::SetNextWindowSize({std::min(look.px(kThresholdsWidth), window.x - look.px(32)),
                              std::min(look.px(560), window.y - look.px(64))});
    ImGui::SetNextWindowPos(ImGui::GetMainViewport()->GetCenter(), ImGuiCond_Always, {0.5f, 0.5f});
    if (!ImGui::BeginPopup(kThresholdsPopup)) return;
    ImGui::PushFont(look.fonts.medium, type::kName);
    ImGui::TextUnformatted(kThresholdsPopup);
    ImGui::PopFont();
    const Thresholds& thresholds = findings_.thresholds().thresholds;
    const std::string changed = changed_thresholds_text(thresholds);
    say(look, changed.empty() ? "All thresholds have their defaults." : changed);
    if (!changed.empty() && ImGui::Button("Reset all")) {
        frame.settings.thresholds.clear();
        frame.pacing.wake();
    }
    PanelColumn column = panel_column(look);
    // Facts that differ come first.
    for (const bool differs : {true, false})
        for (const FindingRule& rule : rules()) {
            if (rule.thresholds.empty() || has_changes(rule, thresholds) != differs) continue;
            draw_rule_of_list(rule, column, frame);
        }
    ImGui::EndPopup();
}

void FindingsPanel::draw(Frame& frame) {
    findings_.draw_them();
    editor_.begin_frame();
    drawn_ = {};
    all_link_.reset();
    const Look& look = frame.look;
    if (!findings_.shown()) {
        ImGui::TextDisabled("%s", "Findings are known once the trace is loaded.");
        return;
    }
    if (std::exchange(chosen_then_, findings_.chosen()) != findings_.chosen()) pointed_.reset();
    draw_head(frame);
    const float width = ImGui::GetContentRegionAvail().x;
    const float details = std::max(look.px(kMinDetails), std::floor(width * kDetailsPart));
    const bool beside = width - details >= look.px(kMinList);
    if (ImGui::BeginChild("findings", {beside ? width - details - look.px(16) : 0, 0})) {
        if (beside)
            draw_list(frame);
        else
            draw_finding_cards(findings_, look, frame.requests, drawn_);
    }
    ImGui::EndChild();
    if (beside) {
        ImGui::SameLine(0, look.px(16));
        if (ImGui::BeginChild("evidence")) draw_details(frame);
        ImGui::EndChild();
    }
    draw_all_thresholds(frame);
}

nlohmann::json state_of(const DrawnFindings& drawn) {
    nlohmann::json boxes = nlohmann::json::array();
    for (const Box& box : drawn.boxes) boxes.push_back({box.x0, box.y0, box.x1, box.y1});
    nlohmann::json state = {{"boxes", boxes}, {"pointed", nullptr}};
    if (drawn.pointed) state["pointed"] = *drawn.pointed;
    return state;
}

nlohmann::json state_of(const TraceFindings& findings) {
    using nlohmann::json;
    const ShownFindings* const shown = findings.shown();
    if (!shown) return nullptr;
    json list = json::array();
    for (uint32_t i = 0; i < shown->texts.size(); ++i) {
        const FindingText& text = shown->texts[i];
        list.push_back({{"rule", text.rule},
                        {"severity", text.severity},
                        {"name", text.name},
                        {"title", text.title},
                        {"cost", cost_text(text)},
                        {"share", text.share},
                        {"remarks", remarks_text(text)},
                        {"device", text.device},
                        {"place", place_line(findings, i)},
                        {"places", text.places},
                        {"evidence", text.evidence},
                        {"advice", text.advice},
                        {"page", text.page}});
    }
    json state = {{"ready", findings.ready()},
                  {"of_range", shown->range.has_value()},
                  {"answer", shown->answer},
                  {"facts", shown->facts},
                  {"conclusion", shown->conclusion},
                  {"list", list},
                  {"chosen", nullptr},
                  {"place", findings.place()},
                  {"thresholds", changed_thresholds_text(findings.thresholds().thresholds)},
                  {"threshold_problems", findings.thresholds().problems}};
    if (findings.chosen()) state["chosen"] = *findings.chosen();
    return state;
}

void FindingsPanel::describe(const Frame& /*frame*/, nlohmann::json& state) const {
    nlohmann::json panel = state_of(drawn_);
    panel["described"] = nullptr;
    if (const std::optional<uint32_t> finding = described()) panel["described"] = *finding;
    panel["all_thresholds"] = nullptr;
    if (all_link_) panel["all_thresholds"] = {all_link_->x, all_link_->y};
    panel["fields"] = nlohmann::json::object();
    for (const auto& [key, middle] : editor_.places()) panel["fields"][key] = {middle.x, middle.y};
    state["findings_panel"] = std::move(panel);
}

}  // namespace lanescope
