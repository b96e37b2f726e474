#include "ui/panels/selection.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cmath>

#include "core/base/format.h"
#include "core/base/json_line.h"
#include "core/trace/short_name.h"
#include "ui/panels/histogram_picture.h"
#include "ui/panels/link.h"
#include "ui/panels/panel_column.h"

namespace lanescope {

namespace {

constexpr std::size_t kMaxOutlierLinks = 3;
constexpr float kSmallHistogram = 76;
constexpr float kHeadlineLines = 2.5f;  // texts up to this length fit in three lines

void headline(PanelColumn& c, const SliceFacts& facts) {
    const std::string brief(short_name(facts.name, facts.event_class));
    const CutText cut =
        cut_text(c.look, c.look.fonts.medium, type::kName, brief, c.width() * kHeadlineLines);
    const std::string shown = brief.substr(0, cut.bytes) + (cut.ellipsis > 0 ? "…" : "");
    ImGui::PushFont(c.look.fonts.medium, type::kName);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(shown.data(), shown.data() + shown.size());
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
    copy_menu("name", facts.name);
    if (shown == facts.name) return;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    draw_text_cut(c.list, c.look, c.look.fonts.regular, type::kSecondary, at, c.look.colors.low,
                  facts.name, c.width());
    ImGui::InvisibleButton("full name", {c.width(), c.look.px(15)});
    if (ImGui::IsItemHovered()) {
        ImGui::SetNextWindowSize({c.look.px(520), 0});
        if (ImGui::BeginTooltip()) {
            ImGui::PushTextWrapPos(0);
            ImGui::TextUnformatted(facts.name.data(), facts.name.data() + facts.name.size());
            ImGui::PopTextWrapPos();
            ImGui::EndTooltip();
        }
    }
    copy_menu("full name copy", facts.name);
}

void figures(PanelColumn& c, const SliceFacts& facts) {
    const std::pair<const char*, std::string> cells[] = {
        {"Duration", format_duration(facts.duration)},
        {"Self time", format_duration(facts.self)},
        {"Starts at", format_duration(facts.start)}};
    ImGui::Dummy({0, c.look.px(2)});
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float third = std::floor(c.width() / 3);
    for (int i = 0; i < 3; ++i) {
        const float x = at.x + static_cast<float>(i) * third;
        draw_text(c.list, c.look, c.look.fonts.regular, type::kSecondary, {x, at.y},
                  c.look.colors.low, cells[i].first);
        draw_text(c.list, c.look, c.look.fonts.medium, type::kText, {x, at.y + c.look.px(16)},
                  c.look.colors.hi, cells[i].second);
    }
    ImGui::Dummy({c.width(), c.look.px(34)});
}

// The explanation is needed only at first, so it comes after the slice's own facts.
void what_is_this(PanelColumn& c, const SliceFacts& facts) {
    if (!facts.explanation) return;
    section(c, "WHAT IS THIS?");
    const Explanation& e = *facts.explanation;
    ImGui::PushStyleColor(ImGuiCol_Text, c.look.colors.mid);
    ImGui::PushFont(c.look.fonts.regular, type::kTable);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(e.text.data(), e.text.data() + e.text.size());
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
    ImGui::PopStyleColor();
    const std::string link(e.link);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (draw_link(c.look, at, "learn more", "Learn more", c.width(), c.look.fonts.regular))
        if (const auto open = ImGui::GetPlatformIO().Platform_OpenInShellFn)
            open(ImGui::GetCurrentContext(), link.c_str());
    if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", link.c_str());
    copy_menu("link", link);
    ImGui::SetCursorScreenPos({at.x, at.y + c.look.px(kLinkHeight)});
}

// The displayed chain: Python frames other than modules only if requested.
std::vector<SliceRef> shown_origin(const Trace& trace, const SliceFacts& facts, bool every_frame) {
    std::vector<SliceRef> shown;
    for (const SliceRef parent : facts.origin) {
        if (every_frame || trace.event_class(parent) != EventClass::python) shown.push_back(parent);
    }
    return shown;
}

void origin(PanelColumn& c, const Trace& trace, const SliceFacts& facts, Requests& requests) {
    if (facts.origin.empty()) return;
    section(c, "ORIGIN");
    ImGuiStorage& storage = *ImGui::GetStateStorage();
    const ImGuiID every_id = ImGui::GetID("every frame");
    const bool only_frames = shown_origin(trace, facts, false).empty();
    const bool every_frame = only_frames || storage.GetBool(every_id);
    const std::vector<SliceRef> shown = shown_origin(trace, facts, every_frame);
    // Deep chains use smaller indents, so that the innermost names have space.
    const float step = std::min(c.look.px(10), c.width() * 0.4f / static_cast<float>(shown.size()));
    float indent = 0;
    int id = 0;
    for (const SliceRef parent : shown) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        if (id > 0) {
            const float x = at.x + indent - step + c.look.px(3);
            const float y = std::round(at.y + c.look.px(8));
            c.list.AddRectFilled({x, at.y}, {x + 1, y}, c.look.colors.line2);
            c.list.AddRectFilled({x, y}, {x + step * 0.5f, y + 1}, c.look.colors.line2);
        }
        ImGui::PushID(id++);
        if (draw_link(c.look, {at.x + indent + c.look.px(1), at.y}, "parent",
                      short_name(trace, parent), c.width() - indent - c.look.px(1),
                      c.look.fonts.regular)) {
            requests.add(SelectSlice{parent});
        }
        ImGui::PopID();
        ImGui::SetCursorScreenPos({at.x, at.y + c.look.px(18)});
        indent += step;
    }
    const std::size_t hidden = facts.origin.size() - shown_origin(trace, facts, false).size();
    if (!only_frames && hidden > 0) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const std::string text = every_frame
                                     ? "hide Python frames"
                                     : "and " + format_count(static_cast<int64_t>(hidden)) +
                                           (hidden == 1 ? " Python frame" : " Python frames");
        draw_text(c.list, c.look, c.look.fonts.regular, type::kSecondary,
                  {at.x + c.look.px(1), text_y(c.look, type::kSecondary, at.y, c.look.px(18))},
                  c.look.colors.low, text);
        if (ImGui::InvisibleButton("frames", {c.width(), c.look.px(18)},
                                   ImGuiButtonFlags_EnableNav))
            storage.SetBool(every_id, !every_frame);
        if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    }
    ImGui::Dummy({0, 0});
}

void why_no_operator(PanelColumn& c, const SliceFacts& facts) {
    if (facts.unattributed.empty()) return;
    if (facts.origin.empty()) section(c, "ORIGIN");
    std::string text(facts.unattributed);
    text[0] = static_cast<char>(std::toupper(static_cast<unsigned char>(text[0])));
    text += '.';
    ImGui::PushStyleColor(ImGuiCol_Text, c.look.colors.mid);
    ImGui::PushFont(c.look.fonts.regular, type::kTable);
    ImGui::PushTextWrapPos(0);
    ImGui::TextUnformatted(text.c_str());
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
    ImGui::PopStyleColor();
}

void launches(PanelColumn& c, const Trace& trace, const SliceFacts& facts, Requests& requests) {
    if (facts.launches.empty()) return;
    section(c, facts.launches.front().is_call ? "LAUNCHED BY" : "LAUNCHES");
    int id = 0;
    for (const LaunchPeer& peer : facts.launches) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        // From the end of the call to the start of the activity, which may be inside the call.
        const std::string wait =
            peer.latency >= 0 ? "starts " + format_duration(peer.latency) + " after the call"
                              : "starts " + format_duration(-peer.latency) + " before it ends";
        const float wait_width = text_width(c.look, c.look.fonts.regular, type::kTable, wait);
        ImGui::PushID(id++);
        if (draw_link(c.look, at, "peer", short_name(trace, peer.slice),
                      c.width() - wait_width - c.look.px(12), c.look.fonts.regular)) {
            requests.add(SelectSlice{peer.slice});
        }
        ImGui::PopID();
        draw_text(c.list, c.look, c.look.fonts.regular, type::kTable,
                  {c.x1 - wait_width, text_y(c.look, type::kTable, at.y, c.look.px(18))},
                  c.look.colors.hi, wait);
        ImGui::SetCursorScreenPos({at.x, at.y + c.look.px(18)});
    }
    if (facts.other_launches > 0) {
        ImGui::TextDisabled("and %zu more", facts.other_launches);
    }
    ImGui::Dummy({0, 0});
}

// When each rank joined: a collective waits for the last rank.
void across_ranks(PanelColumn& c, const SliceFacts& facts, Requests& requests) {
    if (facts.ranks.empty()) return;
    section(c, "ACROSS RANKS");
    const auto last = std::ranges::max_element(facts.ranks, {}, &RankPeer::late);
    int id = 0;
    for (const RankPeer& peer : facts.ranks) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const std::string late = peer.late == 0 ? "first" : "+" + format_duration(peer.late);
        const std::string text = late + " · " + format_duration(peer.duration);
        const float width = text_width(c.look, c.look.fonts.regular, type::kTable, text);
        ImGui::PushID(id++);
        if (draw_link(c.look, at, "rank", peer.rank, c.width() - width - c.look.px(12),
                      peer.slice == facts.slice ? c.look.fonts.medium : c.look.fonts.regular))
            requests.add(SelectSlice{peer.slice});
        ImGui::PopID();
        const bool is_last = &peer == &*last && peer.late > 0;
        draw_text(c.list, c.look, c.look.fonts.regular, type::kTable,
                  {c.x1 - width, text_y(c.look, type::kTable, at.y, c.look.px(18))},
                  is_last ? c.look.colors.waiting : c.look.colors.hi, text);
        ImGui::SetCursorScreenPos({at.x, at.y + c.look.px(18)});
    }
    ImGui::Dummy({0, 0});
}

void outlier_links(PanelColumn& c, const Trace& trace, const Siblings& siblings,
                   Requests& requests) {
    const auto& outliers = siblings.all.outliers;
    if (outliers.empty()) return;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const std::string label = format_count(static_cast<int64_t>(outliers.size())) +
                              (outliers.size() == 1 ? " outlier" : " outliers");
    const float y = text_y(c.look, type::kTable, at.y, c.look.px(kLinkHeight));
    draw_text(c.list, c.look, c.look.fonts.regular, type::kTable, {at.x, y}, c.look.colors.mid,
              label);
    float x = c.x1;
    for (std::size_t i = std::min(kMaxOutlierLinks, outliers.size()); i-- > 0;) {
        const std::string text = format_duration(trace.duration(outliers[i]));
        const float width = text_width(c.look, c.look.fonts.regular, type::kTable, text);
        x -= width;
        ImGui::PushID(static_cast<int>(i));
        if (draw_link(c.look, {x, at.y}, "outlier", text, width + 1, c.look.fonts.regular))
            requests.add(ZoomToSlice{outliers[i]});
        ImGui::PopID();
        x -= c.look.px(14);
    }
    ImGui::SetCursorScreenPos({at.x, at.y + c.look.px(kLinkHeight)});
}

// The slice's rank among all slices of its kind.
void siblings_of_slice(PanelColumn& c, const Trace& trace, const SliceFacts& facts,
                       const Siblings* siblings, Requests& requests) {
    if (!siblings || siblings->kind != sibling_kind(trace, facts.slice)) return;
    const Distribution& d = siblings->all.durations;
    section(c, "SIBLINGS");
    if (d.count == 1) {
        row(c, "Instances", "1, the only one");
        return;
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const HistogramClick click = draw_histogram(
        trace, *siblings, facts.slice, {at.x, at.y, c.x1, at.y + c.look.px(kSmallHistogram)},
        HistogramAxis::ends, c.look);
    if (click.slice) requests.add(ZoomToSlice{*click.slice});
    row(c, "Instances",
        format_count(static_cast<int64_t>(d.count)) +
            (siblings->part.empty() ? "" : " of " + siblings->part));
    row(c, "Total", format_duration(d.total));
    row(c, "Mean ± 95 %", mean_text(d));
    row(c, "p50 · p90 · p99",
        format_duration(d.p50) + " · " + format_duration(d.p90) + " · " + format_duration(d.p99));
    outlier_links(c, trace, *siblings, requests);
    const ImVec2 all = ImGui::GetCursorScreenPos();
    if (draw_link(c.look, all, "alike", "Mark all of them  Ctrl+Shift+A", c.width(),
                  c.look.fonts.regular))
        requests.act(Action::all_alike);
    ImGui::SetCursorScreenPos({all.x, all.y + c.look.px(kLinkHeight)});
    const ImVec2 more = ImGui::GetCursorScreenPos();
    if (draw_link(c.look, more, "statistics", "All statistics  H", c.width(), c.look.fonts.regular))
        requests.act(Action::statistics);
}

// For slices in the dependency graph, which can be made faster.
void what_if_link(PanelColumn& c, const SliceFacts& facts, Requests& requests) {
    switch (facts.event_class) {
        case EventClass::kernel:
        case EventClass::memory:
        case EventClass::communication:
        case EventClass::op:
        case EventClass::runtime:
            break;
        default:
            return;
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (draw_link(c.look, at, "what if", "What if it took less  Shift+K", c.width(),
                  c.look.fonts.regular))
        requests.add(AskWhatIf{facts.slice});
    ImGui::SetCursorScreenPos({at.x, at.y + c.look.px(kLinkHeight)});
    ImGui::Dummy({0, 0});
}

void details(PanelColumn& c, const SliceFacts& facts) {
    section(c, "DETAILS");
    const std::string kind(facts.sampled ? "sampled" : event_class_name(facts.event_class));
    row(c, "Kind",
        facts.category.empty() || facts.category == kind ? kind : kind + " · " + facts.category);
    row(c, "Lane", facts.lane);
    row(c, "Process", facts.process);
    if (!facts.step.empty()) row(c, "Step", facts.step);
    if (facts.samples > 0) row(c, "Samples", fmt::format("{}", facts.samples));
    if (facts.samples > 0 && facts.cpu_time != kNoValue)
        row(c, "CPU time, estimated", format_duration(facts.cpu_time));
    if (facts.gil_samples != kNoValue)
        row(c, "Samples with the GIL", fmt::format("{}", facts.gil_samples));
    if (facts.running_samples != kNoValue)
        row(c, "Samples that ran", fmt::format("{}", facts.running_samples));
    if (!facts.module.empty()) row(c, "Module", std::string(facts.module));
    row(c, "Start", format_duration_exact(facts.start));
    row(c, "End", format_duration_exact(facts.start + facts.duration));
    row(c, "Duration, exact", format_duration_exact(facts.duration));
    row(c, "Depth", format_count(facts.depth));
}

void arguments_of(PanelColumn& c, const SelectionArguments& arguments) {
    if (!arguments.read) return;
    section(c, "ARGUMENTS");
    if (!*arguments.read) {
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(arguments.read->error().text.c_str());
        ImGui::PopTextWrapPos();
        return;
    }
    if ((*arguments.read)->empty()) {
        ImGui::TextDisabled("none in the file");
        return;
    }
    for (const Argument& argument : **arguments.read) {
        const std::string value =
            argument.is_string ? argument.value : json_on_one_line(argument.value);
        row(c, argument.name, value.empty() ? std::string(kUnknown) : value);
    }
}

}  // namespace

void draw_selection(const Trace* trace, const std::optional<SliceFacts>& facts,
                    const SelectionArguments& arguments, const Siblings* siblings,
                    const SliceModel* model, const CompiledSlice* compiled, const Look& look,
                    Requests& requests) {
    if (!trace || !facts) {
        ImGui::PushStyleColor(ImGuiCol_Text, look.colors.low);
        ImGui::PushTextWrapPos(0);
        ImGui::TextUnformatted(
            trace ? "Click a slice to see its times, where it comes from, and its arguments."
                  : "This panel describes the selected slice.");
        ImGui::PopTextWrapPos();
        ImGui::PopStyleColor();
        return;
    }
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(1)});
    PanelColumn c = panel_column(look);
    headline(c, *facts);
    figures(c, *facts);
    what_is_this(c, *facts);
    origin(c, *trace, *facts, requests);
    why_no_operator(c, *facts);
    launches(c, *trace, *facts, requests);
    across_ranks(c, *facts, requests);
    if (model && model->slice != facts->slice) model = nullptr;  // the model of the slice before
    if (facts->footprint) draw_footprint(c, *facts->footprint);
    if (model && model->planned) {
        if (!facts->footprint) section(c, "FOOTPRINT");
        say(c, "Its grid was planned by an occupancy query before the launch");
    }
    if (model) {
        const bool known = facts->footprint && facts->footprint->occupancy &&
                           !facts->footprint->occupancy->at_most;
        draw_model(c, *model, known ? facts->footprint->occupancy->waves : std::nan(""));
    }
    if (compiled) draw_compiled(c, *compiled, requests);
    siblings_of_slice(c, *trace, *facts, siblings, requests);
    what_if_link(c, *facts, requests);
    details(c, *facts);
    arguments_of(c, arguments);
    ImGui::PopStyleVar();
}

}  // namespace lanescope
