#include "ui/features/reload.h"

#include <algorithm>
#include <utility>

#include "core/base/format.h"
#include "core/view/named_slice.h"

namespace lanescope {

namespace {

// Reads only those files; the others keep their places.
void reload_parts(const std::vector<std::string>& paths, Frame& frame) {
    std::vector<PartToOpen> parts = open_parts(*frame.loaded());
    for (PartToOpen& part : parts)
        if (std::ranges::find(paths, part.path) != paths.end()) part.trace.reset();
    frame.files->reopen(std::move(parts), {AlignBy::by_hand, 0, {}});
}

bool has_several_parts(const Frame& frame) {
    return frame.loaded() && frame.loaded()->parts.size() > 1;
}

// The view relative to the trace's origin: a new recording has other times.
KeptView view_of(const Timeline& timeline) {
    const Trace& trace = timeline.trace();
    KeptView kept;
    kept.view = timeline.camera.target();
    kept.view.start -= trace.origin;
    kept.scroll_y = timeline.scroll_y;
    if (timeline.marked)
        kept.marked = TimeRange{timeline.marked->time.begin - trace.origin,
                                timeline.marked->time.end - trace.origin};
    if (timeline.selected) {
        kept.selected = trace.name(timeline.selected);
        kept.selected_at = trace.start(timeline.selected) - trace.origin;
    }
    return kept;
}

void reload(Frame& frame) {
    const std::string path = frame.files->path();
    if (path.empty()) return;
    if (has_several_parts(frame)) {
        if (!frame.still_reading()) reload_parts(frame.trace->paths(), frame);
        return;
    }
    std::optional<KeptView> kept;
    if (frame.trace) kept = std::move(frame.trace->kept_view);
    if (frame.timeline.index) kept = view_of(frame.timeline);
    frame.files->open({path}, {});
    frame.trace->kept_view = std::move(kept);
}

// Explains a first view that does not show everything.
void explain_bulk(Frame& frame) {
    const Trace& trace = frame.timeline.trace();
    const TimeRange bulk = frame.timeline.index->bulk;
    if (bulk == trace.content) return;
    frame.notify("Nearly all slices are within " + format_duration(bulk.length()) + " of " +
                 format_duration(trace.content.length()) + ", and is shown first; " +
                 keys_of(frame.keys, Action::frame) + " shows everything.");
}

void restore_view(KeptView& kept, Timeline& timeline) {
    const Trace& trace = timeline.trace();
    // The user may have moved the view; only events that are earlier than all events before move it
    // again.
    if (kept.shown_from == trace.origin) return;
    Viewport view = kept.view;
    view.start += trace.origin;
    move_to(timeline, view);
    set_scroll(timeline, kept.scroll_y);
    kept.shown_from = trace.origin;
}

}  // namespace

std::span<const Action> ReloadFeature::actions() const {
    static constexpr Action kActions[] = {Action::reload};
    return kActions;
}

void ReloadFeature::act(Action /*action*/, Frame& frame) {
    reload(frame);
}

void ReloadFeature::watch(const std::vector<std::string>& paths, Frame& frame) {
    if (std::ranges::equal(paths, watched_, {}, {}, &WatchedFile::path)) return;
    std::erase_if(watched_, [&](const WatchedFile& file) {
        return std::ranges::find(paths, file.path) == paths.end();
    });
    for (const std::string& path : paths) {
        // An existing watch may have seen a change that is not reported yet.
        if (std::ranges::find(watched_, path, &WatchedFile::path) != watched_.end()) continue;
        auto changed = std::make_shared<std::atomic<bool>>(false);
        auto watch = std::make_unique<FileWatch>(path, [wake = frame.wake, changed] {
            *changed = true;
            wake();
        });
        watched_.push_back({path, std::move(changed), std::move(watch)});
    }
}

void ReloadFeature::opened(OpenTrace& trace, Frame& frame) {
    if (frame.options.still) return;
    // A growing recording is followed instead.
    if (trace.recording)
        watched_.clear();
    else
        watch(trace.paths(), frame);
}

void ReloadFeature::begin(Frame& frame) {
    if (frame.trace) opened(*frame.trace, frame);  // this may be a recording that has ended
    follow_files(frame);
}

void ReloadFeature::follow_files(Frame& frame) {
    if (frame.files->path().empty() || (frame.trace && frame.trace->loading())) return;
    std::vector<std::string> changed;
    std::string names;
    for (const WatchedFile& file : watched_) {
        if (!file.changed->exchange(false)) continue;
        names += (changed.empty() ? "" : ", ") + file_name(file.path);
        changed.push_back(file.path);
    }
    if (changed.empty()) return;
    if (has_several_parts(frame))
        reload_parts(changed, frame);
    else
        reload(frame);
    frame.notify(names + (changed.size() == 1 ? " has changed, and is read again."
                                              : " have changed, and are read again."));
}

void ReloadFeature::shown(bool first, Frame& frame) {
    if (first && frame.trace->kept_view) restore_view(*frame.trace->kept_view, frame.timeline);
}

void ReloadFeature::loaded(LoadedTrace& /*loaded*/, Frame& frame) {
    std::optional<KeptView>& kept = frame.trace->kept_view;
    Timeline& timeline = frame.timeline;
    if (!kept) {
        if (timeline.camera.untouched()) explain_bulk(frame);
        return;
    }
    const Trace& trace = timeline.trace();
    restore_view(*kept, timeline);
    if (kept->marked)
        mark_range(timeline,
                   {kept->marked->begin + trace.origin, kept->marked->end + trace.origin});
    // Slices have no identity across files: selects the first one of that name from the old
    // position.
    if (!kept->selected.empty())
        set_selected(timeline, first_slice_named(trace, kept->selected,
                                                 {kept->selected_at + trace.origin, trace.end}));
    kept.reset();
}

}  // namespace lanescope
