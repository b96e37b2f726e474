// A list to choose from by typing some letters of a line.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/search/fuzzy.h"
#include "ui/look/theme.h"

namespace lanescope {

struct PaletteLine {
    std::string text;
    std::string detail;  // follows the title and is searched too; may be empty
    std::string keys;    // at the right end; may be empty
};

class CommandPalette {
  public:
    // Shows these lines, in this order while nothing is typed.
    void open(std::string hint, std::vector<PaletteLine> lines);
    void close() { shown_ = false; }
    bool shown() const { return shown_; }
    // Draws it; returns the chosen line once, as an index in the list.
    std::optional<std::size_t> draw(const Look& look);

    // For tests: the offered lines, best first, and the one that Enter chooses.
    std::vector<std::string> offered() const;
    std::size_t chosen() const { return chosen_; }
    const std::string& typed() const { return typed_; }

  private:
    struct Offer {
        std::size_t line = 0;
        FuzzyMatch match;
        int likeness = 0;  // of the whole line to what is typed; the larger, the earlier
    };
    void choose_offers();
    void draw_line(const Offer& offer, bool chosen, float width, const Look& look) const;

    std::string hint_;
    std::vector<PaletteLine> lines_;
    std::vector<Offer> offers_;
    std::string typed_;
    std::size_t chosen_ = 0;
    int frames_ = 0;  // number of frames since the palette was opened
    bool shown_ = false;
    bool focus_again_ = false;
};

}  // namespace lanescope
