#include "ui/platform/web/page.h"

#include <emscripten.h>

// NOLINTBEGIN: JavaScript
EM_JS(void, lanescope_tell, (const char* kind, const char* text),
      { Module.tell({kind : UTF8ToString(kind), text : UTF8ToString(text)}); });
EM_JS(void, lanescope_give,
      (const char* kind, const char* text, const unsigned char* bytes, unsigned size), {
          Module.tell({
              kind : UTF8ToString(kind),
              text : UTF8ToString(text),
              bytes : HEAPU8.slice(bytes, bytes + size)
          });
      });
// NOLINTEND

namespace lanescope {

void tell_page(const char* kind, const std::string& text) {
    lanescope_tell(kind, text.c_str());
}

void give_page(const char* kind, const std::string& text, std::span<const uint8_t> bytes) {
    lanescope_give(kind, text.c_str(), bytes.data(), bytes.size());
}

PageState& page_state() {
    static PageState state;
    return state;
}

}  // namespace lanescope
