// Opening the same file again, by hand or because it has changed, with the view as it was.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/view/named_slice.h"
#include "ui/shell/app.h"

namespace lanescope {

void App::watch_file() {
    file_changed_ = false;
    watch_ = std::make_unique<FileWatch>(path_, [this] {
        file_changed_ = true;
        wake_();
    });
}

void App::follow_file() {
    if (!file_changed_.exchange(false) || path_.empty()) return;
    reload();
    notify(std::filesystem::path(path_).filename().string() + " has changed, and is read again.",
           now_);
}

// What is kept counts from the trace's origin: a file that was recorded anew has other times.
void App::reload() {
    if (path_.empty()) return;
    std::optional<KeptView> kept = std::exchange(kept_view_, std::nullopt);
    if (timeline_.index) {
        const Trace& trace = timeline_.trace();
        kept = KeptView{};
        kept->view = timeline_.camera.target();
        kept->view.start -= trace.origin;
        kept->scroll_y = timeline_.scroll_y;
        if (timeline_.marked)
            kept->marked = TimeRange{timeline_.marked->time.begin - trace.origin,
                                     timeline_.marked->time.end - trace.origin};
        if (timeline_.selected) {
            kept->selected = trace.name(timeline_.selected);
            kept->selected_at = trace.start(timeline_.selected) - trace.origin;
        }
    }
    open(std::string(path_));
    kept_view_ = std::move(kept);
}

void App::restore_view(bool whole) {
    if (!kept_view_) return;
    const Trace& trace = timeline_.trace();
    // The hand may have moved since; only what came earlier than all before moves it again.
    if (kept_view_->shown_from != trace.origin) {
        Viewport view = kept_view_->view;
        view.start += trace.origin;
        view.width = timeline_.camera.view().width;
        timeline_.camera.go_to(clamped(view, timeline_.camera.content()));
        timeline_.scroll_y = kept_view_->scroll_y;
        kept_view_->shown_from = trace.origin;
    }
    if (!whole) return;
    if (kept_view_->marked)
        mark_range(timeline_, {kept_view_->marked->begin + trace.origin,
                               kept_view_->marked->end + trace.origin});
    // The same slice as far as can be told: the first of its name from where it was.
    if (!kept_view_->selected.empty())
        timeline_.selected = first_slice_named(trace, kept_view_->selected,
                                               {kept_view_->selected_at + trace.origin, trace.end});
    kept_view_.reset();
}

}  // namespace lanescope
