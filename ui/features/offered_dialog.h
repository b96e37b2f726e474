// The question what to do with traces that another program gave to this window: add them below the
// open ones, or open them instead.
#pragma once

#include <string>
#include <vector>

#include "ui/look/theme.h"

namespace lanescope {

enum class OfferAnswer { none, add, replace, refuse };

class OfferedDialog {
  public:
    // Opens in the next frame, or adds the paths to those that it already asks about.
    void show(const std::vector<std::string>& paths);
    bool shown() const { return shown_; }
    const std::vector<std::string>& paths() const { return paths_; }
    // `open_name`: what is open now. `may_add`: whether traces can be added now; while the open one
    // is read, they cannot. Any other answer than `none` closes the dialog, and paths() are of the
    // answer until the next show().
    OfferAnswer draw(const Look& look, const std::string& open_name, bool may_add);

  private:
    OfferAnswer draw_choice(const Look& look, bool may_add);

    std::vector<std::string> paths_;
    bool wanted_ = false;
    bool shown_ = false;
    bool answered_ = false;
};

}  // namespace lanescope
