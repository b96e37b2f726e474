// The page around the program: what the program tells the page, and what the page says of itself.
// The page's side is app/web/page.js and app/web/worker.js.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>

namespace lanescope {

// Sends a message with one text; worker.js passes it to the page. `kind`: a name that page.js
// knows.
void tell_page(const char* kind, const std::string& text);
void give_page(const char* kind, const std::string& text, std::span<const uint8_t> bytes);

// What the page knows of the browser and its user.
struct PageState {
    bool dark = true;               // the browser's preferred colours
    std::string clipboard;          // the text that was pasted or copied last
    bool chooser_open = false;      // the browser's dialog for files
    std::string chosen;             // the path of the file that was chosen in it; empty: none
    std::function<void()> changed;  // when `dark` has another value
};

PageState& page_state();

}  // namespace lanescope
