// FeatureList: all features of the window, in the order in which the window calls them, and the
// owner of each command.
#pragma once

#include <map>
#include <vector>

#include "ui/frame/feature.h"

namespace lanescope {

class FeatureList {
  public:
    explicit FeatureList(std::vector<Feature*> features);

    std::vector<Feature*>::const_iterator begin() const { return features_.begin(); }
    std::vector<Feature*>::const_iterator end() const { return features_.end(); }
    // The features that execute a command: one, unless a feature's list is wrong.
    std::vector<Feature*> owners_of(Action action) const;

    void act(Action action, Frame& frame) const;
    // Gives a request to the feature that takes it; false: none does.
    bool take(const Request& request, Frame& frame) const;
    bool is_on(Action action, const Frame& frame) const;
    // Closes the uppermost layer that is open.
    void dismiss(Frame& frame) const;
    bool take_key(ImGuiKeyChord pressed, Frame& frame) const;
    bool dialog_shown() const;

  private:
    std::vector<Feature*> features_;
    std::map<Action, Feature*> owner_;
};

}  // namespace lanescope
