// The page's program: C functions for worker.js, since JavaScript calls no C++.
#include <emscripten.h>

#include <string>
#include <vector>

#include "ui/platform/web/page_input.h"
#include "ui/platform/web/run_page.h"

using namespace lanescope;

extern "C" {

EMSCRIPTEN_KEEPALIVE void web_start(int dark) {
    start_page(dark != 0);
}

EMSCRIPTEN_KEEPALIVE void web_resize(int width, int height, double scale) {
    resize_page(width, height, static_cast<float>(scale));
}

EMSCRIPTEN_KEEPALIVE double web_step(double now) {
    return step_page(now);
}

// Whether work waits that a step may do.
EMSCRIPTEN_KEEPALIVE int web_works() {
    return page_works() ? 1 : 0;
}

// `paths`: separated by line ends.
EMSCRIPTEN_KEEPALIVE void web_open(const char* paths, int add) {
    std::vector<std::string> list;
    std::string rest = paths;
    while (!rest.empty()) {
        const std::size_t end = rest.find('\n');
        list.push_back(rest.substr(0, end));
        rest.erase(0, end == std::string::npos ? rest.size() : end + 1);
    }
    if (!list.empty()) open_in_page(list, add != 0);
}

// Valid until the next call.
EMSCRIPTEN_KEEPALIVE const char* web_table(const char* name) {
    static std::string text;
    text = table_in_page(name);
    return text.c_str();
}

EMSCRIPTEN_KEEPALIVE void web_cancel() {
    cancel_in_page();
}

EMSCRIPTEN_KEEPALIVE void web_pointer(double x, double y) {
    page_pointer(static_cast<float>(x), static_cast<float>(y));
}

EMSCRIPTEN_KEEPALIVE void web_pointer_left() {
    page_pointer_left();
}

EMSCRIPTEN_KEEPALIVE void web_button(int button, int down) {
    page_button(button, down != 0);
}

EMSCRIPTEN_KEEPALIVE void web_wheel(double across, double along, int modifiers) {
    page_wheel(static_cast<float>(across), static_cast<float>(along), modifiers);
}

EMSCRIPTEN_KEEPALIVE void web_key(const char* code, const char* key, int down, int modifiers) {
    page_key(code, key, down != 0, modifiers);
}

EMSCRIPTEN_KEEPALIVE void web_text(const char* text) {
    page_text(text);
}

EMSCRIPTEN_KEEPALIVE void web_clipboard(const char* text) {
    page_clipboard(text);
}

EMSCRIPTEN_KEEPALIVE void web_focus(int focused) {
    page_focus(focused != 0);
}

EMSCRIPTEN_KEEPALIVE void web_dark(int dark) {
    page_dark(dark != 0);
}

EMSCRIPTEN_KEEPALIVE void web_chooser_closed() {
    page_chooser_closed();
}

}  // extern "C"
