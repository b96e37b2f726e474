#include "ui/panels/story.h"

#include "core/export/summary_sentences.h"
#include "ui/panels/panel_column.h"

namespace lanescope {

namespace {

std::vector<std::string> sentences_of(const TraceContext& context) {
    const Summary summary = summarise(context, {});
    const SummaryText text{context, context.trace(), summary};
    std::vector<std::string> sentences;
    for (const StoryPoint& point : summary.story) sentences.push_back(story_sentence(text, point));
    if (!summary.steps.all.empty()) sentences.push_back(steps_sentence(text));
    return sentences;
}

}  // namespace

void TraceStory::follow(const PanelInputs& inputs, Worker& worker) {
    if (told_ == inputs.context.get()) return;
    told_ = inputs.context.get();
    sentences_.clear();
    if (!told_) return;
    worker.post([this, context = inputs.context] {
        return [this, context, sentences = sentences_of(*context)] {
            if (told_ == context.get()) sentences_ = sentences;
        };
    });
}

void TraceStory::draw(const Look& look) const {
    if (sentences_.empty()) return;
    PanelColumn c = panel_column(look);
    section(c, "THE STORY OF THIS TRACE");
    ImGui::PushFont(look.fonts.regular, type::kTable);
    ImGui::PushTextWrapPos(0);
    for (const std::string& sentence : sentences_) {
        if (sentence.empty()) continue;
        ImGui::TextUnformatted(sentence.data(), sentence.data() + sentence.size());
        ImGui::Dummy({0, look.px(3)});
    }
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
}

}  // namespace lanescope
