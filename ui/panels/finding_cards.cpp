#include "ui/panels/finding_cards.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "ui/panels/panel_column.h"

namespace lanescope {

namespace {

constexpr float kCardPadding = 8;
constexpr float kCardEdge = 3;  // the coloured edge of a card
constexpr float kCardLine = 18;
constexpr float kShareBar = 4;
constexpr float kFindingRow = 24;
constexpr float kEvidenceWidth = 420;
// Columns of a row.
constexpr float kSeverityWidth = 74;
constexpr float kCostWidth = 116;
constexpr float kBarWidth = 90;
constexpr float kShareWidth = 58;
constexpr float kNarrowRow = 620;  // narrower rows have a short bar, and costs without words
constexpr float kNarrowBar = 36;
constexpr float kNarrowCost = 76;

// Keeps a number and its unit on one line.
std::string with_whole_numbers(std::string_view sentence) {
    constexpr std::string_view no_break = "\u00a0";
    std::string whole;
    for (std::size_t i = 0; i < sentence.size(); ++i) {
        const bool after_digit = i > 0 && sentence[i - 1] >= '0' && sentence[i - 1] <= '9';
        if (sentence[i] == ' ' && after_digit)
            whole += no_break;
        else
            whole += sentence[i];
    }
    return whole;
}

// A text that is wrapped at a width, in the font of tables.
struct Wrapped {
    std::string text;
    float width = 0;
    float height = 0;
};

Wrapped wrap(const Look& look, ImFont* font, std::string_view text, float width) {
    Wrapped wrapped{with_whole_numbers(text), width, 0};
    const float size = type::kTable * look.scale;
    wrapped.height = font->CalcTextSizeA(size, FLT_MAX, width, wrapped.text.c_str(),
                                         wrapped.text.c_str() + wrapped.text.size())
                         .y;
    return wrapped;
}

void draw_wrapped(ImDrawList& list, const Look& look, ImFont* font, ImVec2 at, ImU32 color,
                  const Wrapped& text) {
    list.AddText(font, type::kTable * look.scale, at, color, text.text.c_str(),
                 text.text.c_str() + text.text.size(), text.width);
}

void draw_bar(ImDrawList& list, const Look& look, const Box& box, double share, ImU32 color) {
    const float rounding = box.height() / 2;
    list.AddRectFilled({box.x0, box.y0}, {box.x1, box.y1}, look.colors.line, rounding);
    const auto part = static_cast<float>(std::clamp(share, 0.0, 1.0));
    if (part > 0)
        list.AddRectFilled({box.x0, box.y0},
                           {box.x0 + std::max(box.height(), box.width() * part), box.y1}, color,
                           rounding);
}

// A widget over the box: whether it is under the pointer or has the focus of the keyboard.
struct Touched {
    bool pressed = false;
    bool pointed = false;
};

Touched touch(const Box& box, const FindingText& text) {
    ImGui::SetCursorScreenPos({box.x0, box.y0});
    Touched touched;
    touched.pressed =
        ImGui::InvisibleButton("finding", {box.width(), box.height()}, ImGuiButtonFlags_EnableNav);
    touched.pointed =
        ImGui::IsItemHovered() || (ImGui::IsItemFocused() && ImGui::GetIO().NavVisible);
    if (ImGui::IsItemHovered()) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    copy_menu("copy", copied_text(text));
    return touched;
}

void draw_back(ImDrawList& list, const Look& look, const Box& box, bool pointed, bool chosen) {
    if (!pointed && !chosen) return;
    const ImU32 color =
        chosen ? mixed(look.colors.panel, look.colors.accent, 0.14f) : look.colors.raised;
    list.AddRectFilled({box.x0, box.y0}, {box.x1, box.y1}, color, look.px(4));
}

// The texts of a card and their places.
struct Card {
    Wrapped name;  // beside severity and cost; of one line, or of two for a long name
    float name_left = 0;
    Wrapped title;
    std::string remarks, place, share;
    float height = 0;
};

// The height of the bar including the space around it, at scale 1.
float bar_height(const FindingText& text) {
    return text.share.empty() ? 2 : kShareBar + 6;
}

// The cost of one step, or the whole cost without steps. The line below names what the cost is a
// share of.
const std::string& shown_cost(const FindingText& text) {
    return text.cost_per_step.empty() ? text.cost : text.cost_per_step;
}

std::string name_of(const FindingText& text) {
    return text.device.empty() ? std::string(text.name)
                               : fmt::format("{} · {}", text.name, text.device);
}

float name_height(const Card& card, const Look& look) {
    return std::max(look.px(kCardLine), card.name.height + look.px(4));
}

Card card_of(const TraceFindings& findings, uint32_t finding, const Look& look, float width) {
    const FindingText& text = findings.shown()->texts[finding];
    Card card;
    const float inner = width - look.px(2 * kCardPadding + kCardEdge);
    const auto medium_width = [&](float size, std::string_view words) {
        return text_width(look, look.fonts.medium, size, words);
    };
    card.name_left = medium_width(type::kSecondary, text.severity) + look.px(8);
    const float name_width =
        inner - card.name_left - medium_width(type::kTable, shown_cost(text)) - look.px(8);
    card.name = wrap(look, look.fonts.medium, name_of(text), std::max(1.0f, name_width));
    card.title = wrap(look, look.fonts.regular, text.title, inner);
    card.remarks = remarks_text(text);
    card.place = place_line(findings, finding);
    if (!text.share.empty())
        card.share = text.share + (text.cost_per_step.empty() ? " of the time" : " of a step");
    card.height = look.px(kCardPadding + bar_height(text)) + name_height(card, look) +
                  card.title.height + look.px(2 + kCardLine + kCardPadding);
    if (!card.remarks.empty()) card.height += look.px(kCardLine);
    if (card.place.empty() && card.share.empty()) card.height -= look.px(kCardLine);
    return card;
}

void draw_card(const Card& card, const FindingText& text, const Finding& finding, const Box& box,
               const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Colors& c = look.colors;
    const ImU32 color = severity_color(c, finding.severity);
    list.AddRectFilled({box.x0, box.y0}, {box.x0 + look.px(kCardEdge), box.y1}, color, look.px(1));
    const float x0 = box.x0 + look.px(kCardEdge + kCardPadding);
    const float x1 = box.x1 - look.px(kCardPadding);
    float y = box.y0 + look.px(kCardPadding);
    const float line = look.px(kCardLine);
    const std::string& cost = shown_cost(text);
    const float cost_width = text_width(look, look.fonts.medium, type::kTable, cost);
    const float text_top = text_y(look, type::kTable, y, line);
    draw_text(list, look, look.fonts.medium, type::kTable, {x1 - cost_width, text_top}, c.hi, cost);
    draw_text(list, look, look.fonts.medium, type::kSecondary,
              {x0, text_y(look, type::kSecondary, y, line)}, color, text.severity);
    draw_wrapped(list, look, look.fonts.medium, {x0 + card.name_left, text_top}, c.hi, card.name);
    y += name_height(card, look);
    if (finding.cost)
        draw_bar(list, look, {x0, y + look.px(1), x1, y + look.px(1 + kShareBar)}, finding.share,
                 color);
    y += look.px(bar_height(text));
    draw_wrapped(list, look, look.fonts.regular, {x0, y}, c.mid, card.title);
    y += card.title.height + look.px(2);
    if (!card.remarks.empty()) {
        draw_text_cut(list, look, look.fonts.regular, type::kSecondary,
                      {x0, text_y(look, type::kSecondary, y, line)}, c.low, card.remarks, x1 - x0);
        y += line;
    }
    const float share_width = text_width(look, look.fonts.regular, type::kSecondary, card.share);
    const float small_top = text_y(look, type::kSecondary, y, line);
    draw_text(list, look, look.fonts.regular, type::kSecondary, {x1 - share_width, small_top},
              c.low, card.share);
    draw_text_cut(list, look, look.fonts.regular, type::kSecondary, {x0, small_top}, c.accent,
                  card.place, x1 - x0 - share_width - look.px(12));
}

void draw_row(const FindingText& text, const Finding& finding, const Box& box, const Look& look) {
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const Colors& c = look.colors;
    const ImU32 color = severity_color(c, finding.severity);
    const float y = text_y(look, type::kTable, box.y0, box.height());
    list.AddRectFilled({box.x0, box.y0 + look.px(3)},
                       {box.x0 + look.px(kCardEdge), box.y1 - look.px(3)}, color);
    draw_text(list, look, look.fonts.medium, type::kTable, {box.x0 + look.px(12), y}, color,
              text.severity);
    const auto right_aligned = [&](const std::string& shown, float x, ImU32 ink) {
        const float length = text_width(look, look.fonts.regular, type::kTable, shown);
        draw_text(list, look, look.fonts.regular, type::kTable, {x - length, y}, ink, shown);
    };
    // The name needs the room more than words and bar do.
    const bool narrow = box.width() < look.px(kNarrowRow);
    const float bar_width = look.px(narrow ? kNarrowBar : kBarWidth);
    const float share_right = box.x1 - look.px(8);
    const float bar_left = share_right - look.px(kShareWidth) - bar_width;
    const float cost_right = bar_left - look.px(12);
    right_aligned(text.share, share_right, c.mid);
    right_aligned(narrow ? shown_cost(text) : cost_text(text), cost_right, c.hi);
    const float middle = std::round((box.y0 + box.y1) / 2);
    if (finding.cost)
        draw_bar(list, look,
                 {bar_left, middle - look.px(2), bar_left + bar_width, middle + look.px(2)},
                 finding.share, color);
    const float left = box.x0 + look.px(kSeverityWidth);
    const float right = cost_right - look.px(narrow ? kNarrowCost : kCostWidth);
    const float device_width =
        text.device.empty()
            ? 0
            : text_width(look, look.fonts.regular, type::kTable, text.device) + look.px(8);
    float used = draw_text_cut(list, look, look.fonts.medium, type::kTable, {left, y}, c.hi,
                               text.name, right - left - device_width);
    if (device_width > 0)
        draw_text(list, look, look.fonts.regular, type::kTable, {left + used + look.px(8), y},
                  c.mid, text.device);
    used += device_width;
    const float room = right - left - used - look.px(10);
    if (const std::string remarks = remarks_text(text); !remarks.empty() && room > look.px(40))
        draw_text_cut(
            list, look, look.fonts.regular, type::kSecondary,
            {left + used + look.px(10), text_y(look, type::kSecondary, box.y0, box.height())},
            c.low, remarks, room);
}

void show_evidence_beside(const Box& box, const FindingText& text, const Look& look) {
    const ImVec2 window = ImGui::GetMainViewport()->Size;
    const float width = std::min(look.px(kEvidenceWidth), window.x - look.px(32));
    const bool to_the_left = box.x0 > width;
    ImGui::SetNextWindowSize({width, 0});
    ImGui::SetNextWindowPos(
        {to_the_left ? box.x0 - look.px(8) : box.x0, to_the_left ? box.y0 : box.y1 + look.px(4)},
        ImGuiCond_Always, {to_the_left ? 1.0f : 0.0f, 0.0f});
    if (!ImGui::BeginTooltip()) return;
    draw_evidence(text, look);
    ImGui::EndTooltip();
}

}  // namespace

ImU32 severity_color(const Colors& colors, Severity severity) {
    switch (severity) {
        case Severity::high:
            return colors.costs;
        case Severity::medium:
            return colors.waiting;
        case Severity::low:
            return colors.accent;
        case Severity::info:
            break;
    }
    return colors.low;
}

std::string cost_text(const FindingText& text) {
    return text.cost_per_step.empty() ? text.cost : text.cost_per_step + " a step";
}

std::string remarks_text(const FindingText& text) {
    std::string remarks;
    if (!text.part_of.empty()) remarks = fmt::format("part of {}", text.part_of);
    if (!text.confidence.empty())
        remarks += (remarks.empty() ? "" : " · ") + std::string(text.confidence);
    return remarks;
}

std::string place_line(const TraceFindings& findings, uint32_t finding) {
    const std::vector<std::string>& places = findings.shown()->texts[finding].places;
    if (places.empty()) return {};
    const uint32_t place = findings.chosen() == finding ? findings.place() : 0;
    if (places.size() == 1) return places.front();
    return findings.chosen() == finding
               ? fmt::format("{} of {}: {}", place + 1, places.size(), places[place])
               : fmt::format("{} places: {}", places.size(), places.front());
}

std::string copied_text(const FindingText& text) {
    std::string copied = fmt::format("{} · {}", text.severity, text.rule);
    if (!text.cost.empty()) copied += fmt::format(" · {} · {}", cost_text(text), text.share);
    if (!text.device.empty()) copied += " · " + text.device;
    if (const std::string remarks = remarks_text(text); !remarks.empty()) copied += " · " + remarks;
    copied += "\n" + text.title;
    for (const std::string& evidence : text.evidence) copied += "\n" + evidence;
    for (const std::string& place : text.places) copied += "\n" + place;
    return copied + "\n" + text.advice + "\n" + text.page + "\n";
}

void draw_sentences(const std::vector<std::string>& sentences, const Look& look, ImU32 color) {
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushStyleColor(ImGuiCol_Text, color);
    ImGui::PushTextWrapPos(0);
    for (const std::string& sentence : sentences) {
        if (sentence.empty()) continue;
        ImGui::PushID(static_cast<int>(&sentence - sentences.data()));
        ImGui::TextUnformatted(with_whole_numbers(sentence).c_str());
        copy_menu("sentence", sentence);
        ImGui::PopID();
    }
    ImGui::PopTextWrapPos();
    ImGui::PopStyleColor();
    ImGui::PopFont();
}

void draw_evidence(const FindingText& text, const Look& look) {
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {look.px(8), look.px(3)});
    ImGui::PushTextWrapPos(0);
    for (const std::string& evidence : text.evidence)
        ImGui::TextUnformatted(with_whole_numbers(evidence).c_str());
    ImGui::Dummy({0, look.px(2)});
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.mid);
    ImGui::TextUnformatted(text.advice.c_str());
    ImGui::PopStyleColor();
    ImGui::PushStyleColor(ImGuiCol_Text, look.colors.low);
    ImGui::TextUnformatted(text.page.c_str());
    ImGui::PopStyleColor();
    ImGui::PopTextWrapPos();
    ImGui::PopStyleVar();
    ImGui::PopFont();
}

void draw_finding_cards(TraceFindings& findings, const Look& look, Requests& requests,
                        DrawnFindings& drawn) {
    const ShownFindings& shown = *findings.shown();
    drawn = {};
    std::optional<uint32_t> pressed;
    for (uint32_t i = 0; i < shown.texts.size(); ++i) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float width = std::max(1.0f, ImGui::GetContentRegionAvail().x);
        const Card card = card_of(findings, i, look, width);
        const Box box{at.x, at.y, at.x + width, at.y + card.height};
        ImGui::PushID(static_cast<int>(i));
        const Touched touched = touch(box, shown.texts[i]);
        draw_back(*ImGui::GetWindowDrawList(), look, box, touched.pointed, findings.chosen() == i);
        draw_card(card, shown.texts[i], shown.found.all[i], box, look);
        if (touched.pointed) {
            drawn.pointed = i;
            show_evidence_beside(box, shown.texts[i], look);
        }
        ImGui::PopID();
        if (touched.pressed) pressed = i;
        drawn.boxes.push_back(box);
        ImGui::SetCursorScreenPos({at.x, box.y1 + look.px(8)});
        ImGui::Dummy({0, 0});
    }
    if (pressed) findings.go(*pressed, requests);
}

void draw_finding_rows(TraceFindings& findings, const Look& look, Requests& requests,
                       DrawnFindings& drawn) {
    const ShownFindings& shown = *findings.shown();
    drawn = {};
    std::optional<uint32_t> pressed;
    for (uint32_t i = 0; i < shown.texts.size(); ++i) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float width = std::max(1.0f, ImGui::GetContentRegionAvail().x);
        const Box box{at.x, at.y, at.x + width, at.y + look.px(kFindingRow)};
        ImGui::PushID(static_cast<int>(i));
        const Touched touched = touch(box, shown.texts[i]);
        ImGui::PopID();
        if (touched.pointed) drawn.pointed = i;
        if (touched.pressed) pressed = i;
        draw_back(*ImGui::GetWindowDrawList(), look, box, touched.pointed, findings.chosen() == i);
        draw_row(shown.texts[i], shown.found.all[i], box, look);
        drawn.boxes.push_back(box);
        ImGui::SetCursorScreenPos({at.x, box.y1});
        ImGui::Dummy({0, 0});
    }
    if (pressed) findings.go(*pressed, requests);
}

}  // namespace lanescope
