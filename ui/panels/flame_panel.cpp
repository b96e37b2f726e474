#include "ui/panels/flame_panel.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/analysis/structure/time_range.h"
#include "core/base/format.h"
#include "ui/commands/panel_names.h"
#include "ui/panels/panel_column.h"

namespace lanescope {

namespace {

constexpr float kSearchWidth = 200;
constexpr float kFlameToolPadding = 8;  // of a button's text
constexpr float kToolGroupGap = 18;

constexpr std::array kSourceButtons = {"Calls", "Python", "Samples", "Waiting", "Modules", "GPU"};

}  // namespace

std::string_view FlamePanel::name() const {
    return kFlamePanel;
}

void FlamePanel::forget() {
    making_.drop();
    searching_.drop();
    slicing_.drop();
    wanted_ = made_ = {};
    tree_.reset();
    names_.reset();
    matches_.reset();
    matched_in_.reset();
    sandwich_ = {};
    sandwich_in_.reset();
    sources_of_.reset();
    view_.forget();
    callers_.forget();
    callees_.forget();
}

bool FlamePanel::ready() const {
    if (!tree_ || made_ != wanted_ || making_.busy() || searching_.busy() || slicing_.busy())
        return false;
    return mode_ != FlameMode::sandwich || sandwich_in_ == tree_ || names_->empty();
}

void FlamePanel::note_sources(const PanelInputs& inputs) {
    if (sources_of_ == inputs.context) return;
    sources_of_ = inputs.context;
    for (std::size_t i = 0; i < missing_.size(); ++i)
        missing_[i] = missing_for_flame(inputs.context->trace(), kFlameSources[i]);
}

FlameQuery FlamePanel::query_of(const PanelInputs& inputs) const {
    FlameQuery query;
    const auto has = [&](FlameSource source) {
        return missing_[static_cast<std::size_t>(source)].empty();
    };
    query.source = source_ && has(*source_) ? *source_ : FlameSource::calls;
    if (!has(query.source))
        for (const FlameSource source : kFlameSources)
            if (!has(query.source) && has(source)) query.source = source;
    query.order = mode_ == FlameMode::time ? FlameOrder::time : FlameOrder::heavy;
    query.weight =
        sampled_source(inputs.context->trace(), query.source) ? weight_ : FlameWeight::time;
    query.table.range = inputs.range;
    if (within_selection_) query.within = inputs.selected;
    return query;
}

void FlamePanel::make(const PanelInputs& inputs) {
    wanted_ = {inputs.context, query_of(inputs), inputs.snapshot()};
    if (making_.busy() || (made_ == wanted_ && tree_)) return;
    making_.ask(
        *inputs.jobs,
        [wanted = wanted_] {
            Result result;
            FlameQuery query = wanted.query;
            query.table = marked_query(*wanted.context, query.table.range);
            auto tree = std::make_shared<const FlameTree>(make_flame_tree(*wanted.context, query));
            result.names = std::make_shared<const std::vector<FlameName>>(flame_names(*tree));
            result.tree = std::move(tree);
            return result;
        },
        [this, wanted = wanted_](Result result) { take(wanted, std::move(result)); },
        JobQueue::analysis);
}

void FlamePanel::take(const Made& made, Result result) {
    const bool alike = tree_ && made.query.source == made_.query.source &&
                       made.query.order == FlameOrder::heavy &&
                       made_.query.order == FlameOrder::heavy;
    if (alike)
        view_.keep_zoom(*tree_, *result.tree);
    else
        view_.forget();
    made_ = made;
    tree_ = std::move(result.tree);
    names_ = std::move(result.names);
}

void FlamePanel::search(const PanelInputs& inputs) {
    const std::string text = search_.data();
    if (!tree_ || searching_.busy() || (matched_ == text && matched_in_ == tree_)) return;
    if (text.empty()) {
        matches_.reset();
        matched_.clear();
        matched_in_ = tree_;
        return;
    }
    searching_.ask(
        *inputs.jobs,
        [context = made_.context, tree = tree_, text] {
            return std::make_shared<const FlameMatches>(find_flames(context->trace(), *tree, text));
        },
        [this, tree = tree_, text](std::shared_ptr<const FlameMatches> matches) {
            if (tree != tree_) return;
            matches_ = std::move(matches);
            matched_ = text;
            matched_in_ = tree;
        },
        JobQueue::analysis);
}

void FlamePanel::note_place(const char* name) {
    const ImVec2 min = ImGui::GetItemRectMin();
    const ImVec2 max = ImGui::GetItemRectMax();
    buttons_.push_back({name, {(min.x + max.x) / 2, (min.y + max.y) / 2}});
}

bool FlamePanel::button(const char* label, bool chosen, const Look& look, const char* hint) {
    ImGui::PushStyleColor(ImGuiCol_Text, chosen ? look.colors.hi : look.colors.mid);
    ImGui::PushStyleColor(ImGuiCol_Button, chosen ? with_alpha(look.colors.accent, 0.2f) : 0);
    ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
    const bool pressed = ImGui::Button(label);
    ImGui::PopStyleVar();
    ImGui::PopStyleColor(2);
    note_place(label);
    if (hint && *hint &&
        ImGui::IsItemHovered(ImGuiHoveredFlags_ForTooltip | ImGuiHoveredFlags_AllowWhenDisabled))
        ImGui::SetTooltip("%s", hint);
    return pressed;
}

// A group of controls of this width continues the line if it fits there.
void FlamePanel::next_tool(float width, const Look& look) const {
    ImGui::SameLine(0, look.px(kToolGroupGap));
    if (ImGui::GetContentRegionAvail().x < width) ImGui::NewLine();
}

void FlamePanel::draw_sources(const Look& look) {
    for (std::size_t i = 0; i < kSourceButtons.size(); ++i) {
        if (i > 0) ImGui::SameLine(0, look.px(3));
        const FlameSource source = kFlameSources[i];
        ImGui::BeginDisabled(!missing_[i].empty());
        const std::string why(missing_[i]);
        const bool pressed =
            button(kSourceButtons[i], wanted_.query.source == source, look, why.c_str());
        if (pressed) source_ = source;
        ImGui::EndDisabled();
    }
}

void FlamePanel::draw_modes(const PanelInputs& inputs, const Look& look) {
    const auto mode = [&](const char* label, FlameMode value, const char* hint) {
        if (button(label, mode_ == value, look, hint)) mode_ = value;
    };
    mode("Left-heavy", FlameMode::heavy, "Equal stacks together, the heaviest to the left");
    ImGui::SameLine(0, look.px(3));
    mode("Time order", FlameMode::time, "Every call by itself, one after another");
    ImGui::SameLine(0, look.px(3));
    mode("Sandwich", FlameMode::sandwich, "What calls a function, and what it calls");
    if (sampled_source(inputs.context->trace(), wanted_.query.source)) {
        next_tool(look.px(150), look);
        const bool count = weight_ == FlameWeight::samples;
        if (button("By samples", count, look)) weight_ = FlameWeight::samples;
        ImGui::SameLine(0, look.px(3));
        if (button("By time", !count, look, "The time that the samples represent"))
            weight_ = FlameWeight::time;
    }
    next_tool(look.px(110), look);
    ImGui::BeginDisabled(!inputs.selected && !within_selection_);
    if (button("In selection", within_selection_, look,
               inputs.selected || within_selection_
                   ? "Only the selected slice and what is inside it"
                   : "Select a slice to see only what is inside it"))
        within_selection_ = !within_selection_;
    ImGui::EndDisabled();
}

void FlamePanel::draw_search(const Look& look) {
    next_tool(look.px(kSearchWidth), look);
    ImGui::SetNextItemWidth(look.px(kSearchWidth));
    ImGui::InputTextWithHint("##search", "Search names …", search_.data(), search_.size());
    note_place("search");
    if (view_.zoomed() == 0 || mode_ == FlameMode::sandwich) return;
    ImGui::SameLine();
    if (button("Reset zoom", false, look)) view_.reset_zoom();
}

void FlamePanel::draw_status(const PanelInputs& inputs, const Look& look) {
    std::string status = "Computing …";
    const Trace& trace = inputs.context->trace();
    if (tree_ && made_ == wanted_) {
        status = flame_weight_text(tree_->weight, tree_->root().total);
        if (matches_are_shown())
            status = fmt::format("{}, {} of {}", format_count(matches_->nodes, "match", "matches"),
                                 format_share(matches_->weight, tree_->root().total), status);
        if (inputs.range)
            status += "  ·  only " + format_duration(inputs.range->begin - trace.origin) + " … " +
                      format_duration(inputs.range->end - trace.origin);
        if (tree_->left_out > 0) status += "  ·  calls from " + format_duration(tree_->left_out);
    }
    ImGui::SameLine();
    if (ImGui::GetContentRegionAvail().x < ImGui::CalcTextSize(status.c_str()).x) ImGui::NewLine();
    ImGui::AlignTextToFramePadding();
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    ImGui::TextUnformatted(status.c_str());
    ImGui::PopStyleColor();
}

void FlamePanel::draw_tools(const PanelInputs& inputs, const Look& look, Requests& requests) {
    buttons_.clear();
    ImGui::PushID("flame tools");  // the group has a button Modules too
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {look.px(kFlameToolPadding), look.px(3)});
    draw_sources(look);
    next_tool(look.px(250), look);
    draw_modes(inputs, look);
    draw_search(look);
    draw_save(look, requests);
    draw_status(inputs, look);
    ImGui::PopStyleVar();
    ImGui::PopFont();
    ImGui::PopID();
}

// Says what the panel would show, and how to get it.
std::string FlamePanel::why_empty(const PanelInputs& inputs) const {
    const std::string_view missing = missing_[static_cast<std::size_t>(made_.query.source)];
    if (!missing.empty()) return std::string(missing);
    if (made_.query.within) return "Nothing of this kind is inside the selected slice.";
    if (inputs.range) return "Nothing of this kind is in the marked range. Esc clears the range.";
    return "Nothing of this kind takes any time in this trace.";
}

FlameScene FlamePanel::scene_of(const PanelInputs& inputs,
                                std::shared_ptr<const FlameTree> tree) const {
    FlameScene scene;
    scene.trace = &made_.context->trace();
    scene.tree = std::move(tree);
    scene.matches = matches_are_shown() && matched_in_ == tree_ ? matches_.get() : nullptr;
    if (inputs.selected && made_.context == inputs.context)
        scene.selected = scene.trace->name_id(inputs.selected);
    return scene;
}

void FlamePanel::carry_out(const FlameAnswer& answer, const FlameTree& tree, Requests& requests) {
    if (answer.find) {
        requests.add(ZoomToSlice{answer.find, made_.snapshot});
    }
    if (answer.sandwich != kNoRow) {
        chosen_ = tree.frames[answer.sandwich];
        show_chosen_ = true;
        mode_ = FlameMode::sandwich;
    }
    if (!answer.search.empty()) {
        const std::size_t length = std::min(answer.search.size(), search_.size() - 1);
        search_.fill(0);
        std::ranges::copy_n(answer.search.begin(), static_cast<std::ptrdiff_t>(length),
                            search_.begin());
    }
}

void FlamePanel::draw_contents(const PanelInputs& inputs, const Look& look, Requests& requests) {
    name_rows_.clear();
    if (!inputs.context) return say(look, why_nothing_to_show(inputs));
    if (made_.context && made_.context != inputs.context && !inputs.live) forget();
    note_sources(inputs);
    make(inputs);
    search(inputs);
    draw_tools(inputs, look, requests);
    if (!tree_) return;
    if (tree_->root().total == 0) {
        if (ready()) say(look, why_empty(inputs));
        return;
    }
    if (mode_ == FlameMode::sandwich) return draw_sandwich(inputs, look, requests);
    const FlameAnswer answer =
        view_.draw("##flames", scene_of(inputs, tree_), ImGui::GetContentRegionAvail(), look);
    carry_out(answer, *tree_, requests);
}

void FlamePanel::draw(Frame& frame) {
    draw_part_choice(frame);
    if (frame.loaded() && frame.loaded()->contexts.size() > 1) ImGui::SameLine();
    draw_contents(panel_inputs(frame), frame.look, frame.requests);
}

}  // namespace lanescope
