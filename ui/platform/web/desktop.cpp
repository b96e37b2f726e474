// The browser in place of a desktop: its colours, its clipboard and its dialog for files.
#include "ui/platform/clipboard.h"
#include "ui/platform/desktop_theme.h"
#include "ui/platform/editor.h"
#include "ui/platform/file_dialog.h"
#include "ui/platform/web/page.h"

namespace lanescope {

Result<std::string> copy_picture(std::span<const uint8_t> png) {
    give_page("picture", "image/png", png);
    return std::string("the browser");
}

DesktopTheme::DesktopTheme(std::function<void()> changed) {
    page_state().changed = std::move(changed);
}

DesktopTheme::~DesktopTheme() {
    page_state().changed = nullptr;
}

std::optional<Theme> DesktopTheme::theme() const {
    return page_state().dark ? Theme::dark : Theme::light;
}

Result<std::string> open_in_editor(const std::string& file, int64_t /*line*/) {
    return Error{ErrorCode::unsupported, Error::no_offset,
                 "A page cannot start an editor for " + file};
}

void FileDialog::show(const std::string& /*folder*/) {
    page_state().chosen.clear();
    page_state().chooser_open = true;
    tell_page("choose", "");
}

void FileDialog::refuse(std::string problem) {
    tell_page("problem", problem);
}

std::optional<std::string> FileDialog::draw(const Look& /*look*/) {
    if (page_state().chosen.empty()) return std::nullopt;
    page_state().chooser_open = false;
    return std::exchange(page_state().chosen, {});
}

}  // namespace lanescope
