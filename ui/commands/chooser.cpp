#include "ui/commands/chooser.h"

#include <utility>

namespace lanescope {

void Chooser::open(std::string hint, std::vector<Choice> choices) {
    choices_ = std::move(choices);
    std::vector<PaletteLine> lines;
    lines.reserve(choices_.size());
    for (const Choice& choice : choices_) lines.push_back(choice.line);
    palette_.open(std::move(hint), std::move(lines));
}

void Chooser::draw(const Look& look) {
    const std::optional<std::size_t> chosen = palette_.draw(look);
    if (!chosen) return;
    // The choice may open another list.
    const std::function<void()> choose = choices_[*chosen].choose;
    choose();
}

}  // namespace lanescope
