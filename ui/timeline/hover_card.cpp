#include "ui/timeline/hover_card.h"

#include <algorithm>
#include <span>
#include <string>
#include <vector>

#include "core/base/format.h"
#include "core/trace/derived_lanes.h"
#include "core/trace/query.h"
#include "core/trace/short_name.h"
#include "ui/timeline/timeline.h"

namespace lanescope {

namespace {

std::string launch_shape(const LaunchConfig& config) {
    const auto three = [](const uint32_t(&v)[3]) {
        return std::to_string(v[0]) + "×" + std::to_string(v[1]) + "×" + std::to_string(v[2]);
    };
    return three(config.grid) + " · " + three(config.block);
}

std::string text_or_unknown(const Trace& trace, std::span<const StringId> column, uint32_t row) {
    if (row >= column.size() || column[row] == 0) return {};
    return std::string(trace.strings[column[row]]);
}

// The three most important facts for a GPU activity, an operator, a call, or anything else.
void add_facts(const Trace& trace, SliceRef slice, HoverCard& card) {
    if (const uint32_t row = find_row(trace.gpu_activities.slice, slice); row != kNoRow) {
        const GpuActivities& gpu = trace.gpu_activities;
        if (gpu.stream[row] >= 0) card.lines.push_back({"Stream", std::to_string(gpu.stream[row])});
        if (gpu.config[row] != kNoRow) {
            const LaunchConfig& config = trace.launch_configs[gpu.config[row]];
            card.lines.push_back({"Grid · block", launch_shape(config)});
        } else if (row < gpu.bytes.size() && gpu.bytes[row] != kNoValue) {
            card.lines.push_back({"Size", format_bytes(gpu.bytes[row])});
        }
        const auto links = links_to(trace, slice);
        if (!links.empty()) {
            const SliceRef call = trace.links[links.front()].from;
            card.lines.push_back(
                {"After its launch", format_duration(trace.start(slice) - trace.slice_end(call))});
        }
        return;
    }
    if (const uint32_t row = find_row(trace.operators.slice, slice); row != kNoRow) {
        if (auto dims = text_or_unknown(trace, trace.operators.input_dims, row); !dims.empty()) {
            card.lines.push_back({"Shapes", std::move(dims)});
        }
        if (auto types = text_or_unknown(trace, trace.operators.input_types, row); !types.empty()) {
            card.lines.push_back({"Types", std::move(types)});
        }
    }
    for (const Link& link : links_from(trace, slice)) {
        if (link.kind != LinkKind::launch) continue;
        card.lines.push_back({"Launches", std::string(short_name(trace, link.to))});
        break;
    }
    if (const SliceRef parent = parent_of(trace, slice); parent && card.lines.size() < 3) {
        card.lines.push_back({"In", std::string(short_name(trace, parent))});
    }
}

HoverCard slice_card(const Trace& trace, SliceRef slice) {
    HoverCard card{std::string(short_name(trace, slice)),
                   std::string(event_class_name(trace.event_class(slice))),
                   {}};
    card.lines.push_back({"Duration", format_duration(trace.duration(slice))});
    card.lines.push_back({"Self time", format_duration(self_time(trace, slice))});
    add_facts(trace, slice, card);
    return card;
}

// The curve of a derived lane at the pointer, such as the length of a stream's queue.
HoverCard derived_card(const Trace& trace, const DerivedLane& derived, LaneId id, double value) {
    const Lane& lane = trace.lanes[id];
    HoverCard card{std::string(derived.name), std::string(derived.derivation), {}};
    card.lines.push_back({std::string(derived.value), format_counter(trace, id, value)});
    card.lines.push_back({std::string(derived.most), format_counter(trace, id, lane.counter->max)});
    if (const Lane* const origin = origin_of(trace, lane))
        card.lines.push_back({"Of", std::string(trace.strings[origin->name])});
    return card;
}

HoverCard card_of(const Timeline& timeline, const Hit& hit) {
    const Trace& trace = timeline.trace();
    switch (hit.kind) {
        case HitKind::slice: {
            HoverCard card = slice_card(trace, hit.slice);
            if (hit.outer > 0)
                card.kind = "the innermost of " + std::to_string(hit.outer) +
                            " outer calls; a click shows them all";
            return card;
        }
        case HitKind::run: {
            HoverCard card = slice_card(trace, hit.slice);
            card.kind = format_count(hit.count) + " slices on this spot; the longest:";
            return card;
        }
        case HitKind::instant: {
            const Instants& instants = *trace.lanes[hit.lane].instants;
            HoverCard card{std::string(trace.strings[instants.name[hit.instant]]), "instant", {}};
            card.lines.push_back(
                {"At", format_duration(instants.time[hit.instant] - trace.origin)});
            if (hit.count > 1) card.lines.push_back({"On this spot", format_count(hit.count)});
            return card;
        }
        case HitKind::counter: {
            const LaneId lane = hit.lane;
            HoverCard card{std::string(trace.strings[trace.lanes[lane].name]), "counter", {}};
            if (const DerivedLane* const derived = declaration_of(trace, trace.lanes[lane]))
                return derived_card(trace, *derived, lane, hit.value);
            card.lines.push_back({"Value", format_counter(trace, lane, hit.value)});
            card.lines.push_back(
                {"Range", format_counter(trace, lane, trace.lanes[lane].counter->min) + " to " +
                              format_counter(trace, lane, trace.lanes[lane].counter->max)});
            return card;
        }
        default:
            return {};
    }
}

}  // namespace

HoverCard hover_card(const Timeline& timeline) {
    if (!timeline.index || !timeline.pointer_inside || ImGui::IsMouseDown(0) ||
        ImGui::IsMouseDown(1))
        return {};
    HoverCard card = card_of(timeline, timeline.hovered);
    for (const auto& layer : timeline.layers)
        if (card.kind.empty()) card = layer->card_at(timeline, ImGui::GetIO().MousePos);
    return card;
}

void draw_hover_card(const Timeline& timeline, const Look& look) {
    const HoverCard card = hover_card(timeline);
    if (card.kind.empty()) return;
    const float width = look.px(300);
    ImGui::SetNextWindowSizeConstraints({look.px(180), 0}, {width, 1e6f});
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {look.px(12), look.px(9)});
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(2)});
    if (ImGui::BeginTooltip()) {
        ImDrawList& list = *ImGui::GetWindowDrawList();
        ImVec2 at = ImGui::GetCursorScreenPos();
        const float inner = width - look.px(24);
        draw_text(list, look, look.fonts.regular, type::kSecondary, at, look.colors.low, card.kind);
        ImGui::Dummy({look.px(200), look.px(14)});
        at = ImGui::GetCursorScreenPos();
        draw_text_cut(list, look, look.fonts.medium, type::kText, at, look.colors.hi, card.name,
                      inner);
        ImGui::Dummy({std::min(inner, text_width(look, look.fonts.medium, type::kText, card.name)),
                      look.px(20)});
        const float room = std::max(look.px(156), ImGui::GetWindowWidth() - look.px(24));
        for (const HoverLine& line : card.lines) {
            at = ImGui::GetCursorScreenPos();
            const float label = draw_text(list, look, look.fonts.regular, type::kTable, at,
                                          look.colors.mid, line.label);
            const float max_width = room - label - look.px(16);
            const float value =
                std::min(max_width, text_width(look, look.fonts.regular, type::kTable, line.value));
            draw_text_cut(list, look, look.fonts.regular, type::kTable, {at.x + room - value, at.y},
                          look.colors.hi, line.value, max_width + 1);
            ImGui::Dummy({label + look.px(16) + value, look.px(16)});
        }
        ImGui::EndTooltip();
    }
    ImGui::PopStyleVar(2);
}

}  // namespace lanescope
