// Opens the same file again, by hand or because it has changed, and keeps the view.
#include <algorithm>
#include <filesystem>
#include <utility>

#include "core/base/format.h"
#include "core/view/named_slice.h"
#include "ui/app/app.h"

namespace lanescope {

void App::watch_file() {
    std::vector<std::string> paths = traces_.paths;
    if (paths.empty()) paths.push_back(path_);
    std::erase_if(watched_, [&](const WatchedFile& file) {
        return std::ranges::find(paths, file.path) == paths.end();
    });
    for (const std::string& path : paths) {
        // An existing watch may have seen a change that is not reported yet.
        if (std::ranges::find(watched_, path, &WatchedFile::path) != watched_.end()) continue;
        auto changed = std::make_shared<std::atomic<bool>>(false);
        auto watch = std::make_unique<FileWatch>(path, [this, changed] {
            *changed = true;
            wake_();
        });
        watched_.push_back({path, std::move(changed), std::move(watch)});
    }
}

void App::follow_file() {
    if (path_.empty() || (document_ && document_->loading())) return;
    std::vector<std::string> changed;
    std::string names;
    for (const WatchedFile& file : watched_) {
        if (!file.changed->exchange(false)) continue;
        names +=
            (changed.empty() ? "" : ", ") + std::filesystem::path(file.path).filename().string();
        changed.push_back(file.path);
    }
    if (changed.empty()) return;
    if (traces_.joined.parts.size() > 1)
        reload_parts(changed);
    else
        reload();
    notify(names + (changed.size() == 1 ? " has changed, and is read again."
                                        : " have changed, and are read again."),
           now_);
}

// Reads only those files; the others keep their places.
void App::reload_parts(const std::vector<std::string>& paths) {
    std::vector<PartToOpen> parts = open_parts();
    for (PartToOpen& part : parts)
        if (std::ranges::find(paths, part.path) != paths.end()) part.trace.reset();
    reopen(std::move(parts), {AlignBy::by_hand, 0, {}});
}

// The kept view is relative to the trace's origin: a new recording has other times.
void App::reload() {
    if (path_.empty()) return;
    if (traces_.joined.parts.size() > 1) {
        if (!still_reading()) reload_parts(traces_.paths);
        return;
    }
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

// Explains a first view that does not show everything.
void App::explain_bulk() {
    const Trace& trace = timeline_.trace();
    const TimeRange bulk = timeline_.index->bulk;
    if (bulk == trace.content) return;
    notify("Nearly all slices are within " + format_duration(bulk.length()) + " of " +
               format_duration(trace.content.length()) + ", and is shown first; " +
               keys_of(keys_, Action::frame) + " shows everything.",
           now_);
}

void App::restore_view(bool whole) {
    if (!kept_view_) return;
    const Trace& trace = timeline_.trace();
    // The user may have moved the view; only earlier events than any before move it again.
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
    // The same slice as far as is known: the first of its name from the old position.
    if (!kept_view_->selected.empty())
        timeline_.selected = first_slice_named(trace, kept_view_->selected,
                                               {kept_view_->selected_at + trace.origin, trace.end});
    kept_view_.reset();
}

}  // namespace lanescope
