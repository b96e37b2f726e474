#include "ui/frame/feature_list.h"

#include <algorithm>
#include <utility>

namespace lanescope {

FeatureList::FeatureList(std::vector<Feature*> features) : features_(std::move(features)) {
    for (Feature* const feature : features_)
        for (const Action action : feature->actions()) owner_.emplace(action, feature);
}

std::vector<Feature*> FeatureList::owners_of(Action action) const {
    std::vector<Feature*> owners;
    for (Feature* const feature : features_)
        for (const Action own : feature->actions())
            if (own == action) owners.push_back(feature);
    return owners;
}

void FeatureList::act(Action action, Frame& frame) const {
    frame.pacing.wake();
    const auto owner = owner_.find(action);
    if (owner != owner_.end()) owner->second->act(action, frame);
}

bool FeatureList::take(const Request& request, Frame& frame) const {
    return std::ranges::any_of(features_,
                               [&](Feature* feature) { return feature->take(request, frame); });
}

bool FeatureList::is_on(Action action, const Frame& frame) const {
    const auto owner = owner_.find(action);
    return owner != owner_.end() && owner->second->is_on(action, frame);
}

void FeatureList::dismiss(Frame& frame) const {
    for (int layer = 0; layer < kLayers; ++layer) {
        bool closed = false;
        for (Feature* const feature : features_)
            closed = feature->dismiss(static_cast<Layer>(layer), frame) || closed;
        if (closed) return;
    }
}

bool FeatureList::take_key(ImGuiKeyChord pressed, Frame& frame) const {
    return std::ranges::any_of(features_,
                               [&](Feature* feature) { return feature->take_key(pressed, frame); });
}

bool FeatureList::dialog_shown() const {
    return std::ranges::any_of(features_,
                               [](const Feature* feature) { return feature->dialog_shown(); });
}

}  // namespace lanescope
