#include "ui/panels/story.h"

#include "core/export/summary_sentences.h"
#include "ui/panels/link.h"
#include "ui/panels/panel_column.h"

namespace lanescope {

namespace {

// Keeps a number and its unit on one line.
std::string with_numbers_whole(std::string_view sentence) {
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

std::vector<std::string> sentences_of(const TraceContext& context, const Summary& summary) {
    const SummaryText text{context, context.trace(), summary};
    std::vector<std::string> sentences;
    for (const StoryPoint& point : summary.story) sentences.push_back(story_sentence(text, point));
    if (!summary.steps.all.empty()) sentences.push_back(with_numbers_whole(steps_sentence(text)));
    return sentences;
}

}  // namespace

TraceStory::Answer TraceStory::compute(const TraceContext& context) {
    const Summary summary = summarise(context, {});
    auto landmarks =
        std::make_shared<const std::vector<Landmark>>(find_landmarks(context, summary));
    return {sentences_of(context, summary), std::move(landmarks), summary.counters_only};
}

void TraceStory::follow(const PanelInputs& inputs, JobQueue queue) {
    if (described_ == inputs.context) return;
    described_ = inputs.context;
    computing_.drop();
    if (!described_ || !inputs.live) {
        sentences_.clear();
        landmarks_.reset();
    }
    if (!described_) return;
    computing_.ask(
        *inputs.jobs, [context = described_] { return compute(*context); },
        [this](Answer answer) {
            sentences_ = std::move(answer.sentences);
            offers_samples_ = answer.offers_samples;
            landmarks_ = std::move(answer.landmarks);
        },
        queue);
}

void TraceStory::draw(const Look& look, Requests& requests) const {
    if (sentences_.empty()) return;
    PanelColumn c = panel_column(look);
    section(c, "THE STORY OF THIS TRACE");
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushTextWrapPos(0);
    for (const std::string& sentence : sentences_) {
        if (sentence.empty()) continue;
        const std::string shown = with_numbers_whole(sentence);
        ImGui::TextUnformatted(shown.data(), shown.data() + shown.size());
        ImGui::Dummy({0, look.px(3)});
    }
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
    if (offers_samples_ && draw_link(look, ImGui::GetCursorScreenPos(), "samples",
                                     "Record it with samples…", c.width(), look.fonts.regular))
        requests.act(Action::record_samples);
}

}  // namespace lanescope
