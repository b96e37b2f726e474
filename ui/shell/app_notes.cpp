// Notes of the open trace: what its keys and buttons do, and keeping them.
#include <algorithm>
#include <utility>

#include "core/base/format.h"
#include "ui/panels/panel_names.h"
#include "ui/shell/app.h"
#include "ui/timeline/notes_painter.h"

namespace lanescope {

namespace {

bool before(const Note& a, const Note& b) {
    return std::pair(a.time.begin, a.time.end) < std::pair(b.time.begin, b.time.end);
}

}  // namespace

void App::read_notes() {
    worker_.post([this, file = opened_, path = path_, trace = seen_] {
        const NotedTrace noted = noted_trace(path, *trace);
        const NotesPlaces places = notes_places(path);
        return [this, file, noted, places, loaded = load_notes(noted, places)]() mutable {
            if (file != opened_ || !document_) return;
            notes_ = {.trace = noted,
                      .places = places,
                      .kept_at = loaded.path,
                      .warning = loaded.message,
                      .may_save = loaded.may_save,
                      .loaded = true,
                      .taken_away = {},
                      .editor = std::nullopt};
            timeline_.notes = std::move(loaded.notes);
            if (!notes_.warning.empty()) notify(notes_.warning, now_);
            pacing_.wake();
        };
    });
}

void App::keep_notes(bool told) {
    if (!notes_.may_save) {
        notify("Notes are not saved: " + notes_.warning, now_);
        return;
    }
    const Result<std::string> saved = save_notes(timeline_.notes, notes_.trace, notes_.places);
    if (!saved) {
        notify("Notes are not saved. " + saved.error().text, now_);
        return;
    }
    notes_.kept_at = *saved;
    if (told)
        notify(
            saved->empty() ? "There are no notes to keep." : "Notes are kept in " + notes_.kept_at,
            now_);
}

void App::put_note(const Note& note) {
    const auto place =
        std::upper_bound(timeline_.notes.begin(), timeline_.notes.end(), note, before);
    timeline_.chosen_note = static_cast<uint32_t>(place - timeline_.notes.begin());
    timeline_.notes.insert(place, note);
    keep_notes(false);
}

// Where a key means to put a mark: under the pointer, else at the selection, else in the middle.
Nanos App::time_for_note() const {
    if (timeline_.pointer_inside) return noted_time(timeline_, look_, ImGui::GetIO().MousePos.x);
    if (timeline_.selected) return timeline_.trace().start(timeline_.selected);
    const TimeRange view = timeline_.camera.view().range();
    return view.begin + view.length() / 2;
}

void App::write_note() {
    TimeRange time;
    if (timeline_.marked) {
        time = timeline_.marked->time;
    } else if (timeline_.selected) {
        const Trace& trace = timeline_.trace();
        time = {trace.start(timeline_.selected), trace.slice_end(timeline_.selected)};
    } else {
        time.begin = time.end = time_for_note();
    }
    notes_.editor = {.time = time, .note = std::nullopt, .text = {}};
}

void App::delete_note() {
    const uint32_t at = *timeline_.chosen_note;
    notes_.taken_away.push_back(timeline_.notes[at]);
    timeline_.notes.erase(timeline_.notes.begin() + at);
    timeline_.chosen_note.reset();
    keep_notes(false);
    notify("Note taken away. Ctrl + Z brings it back.", now_);
}

bool App::act_on_notes(Action action) {
    if (!timeline_.index || !notes_.loaded) return false;
    const bool chosen = timeline_.chosen_note && *timeline_.chosen_note < timeline_.notes.size();
    switch (action) {
        case Action::mark: {
            const Nanos time = time_for_note();
            put_note({{time, time}, {}});
            return true;
        }
        case Action::note:
            write_note();
            return true;
        case Action::edit_note:
            if (chosen) {
                const Note& note = timeline_.notes[*timeline_.chosen_note];
                notes_.editor = {
                    .time = note.time, .note = timeline_.chosen_note, .text = note.text};
            }
            return true;
        case Action::delete_note:
            if (chosen) delete_note();
            return true;
        case Action::undo_note:
            if (!notes_.taken_away.empty()) {
                put_note(notes_.taken_away.back());
                notes_.taken_away.pop_back();
            }
            return true;
        case Action::save_notes:
            keep_notes(true);
            return true;
        default:
            return false;
    }
}

void App::show_note(uint32_t index) {
    if (index >= timeline_.notes.size()) return;
    timeline_.chosen_note = index;
    const Note& note = timeline_.notes[index];
    Camera& camera = timeline_.camera;
    camera.remember();
    if (note.is_mark()) {
        // Keeps the zoom.
        const Viewport& target = camera.target();
        camera.pan(target.px_of(note.time.begin) - target.width / 2);
    } else {
        camera.frame(note.time);
    }
    camera.remember();
}

void App::edit_note() {
    if (!notes_.editor || !timeline_.index) return;
    const EditorAnswer answer = draw_note_editor(timeline_, *notes_.editor, look_);
    if (answer == EditorAnswer::none) return;
    const NoteEditor editor = *std::exchange(notes_.editor, std::nullopt);
    pacing_.wake();
    if (answer == EditorAnswer::drop) return;
    if (editor.note) {
        if (*editor.note >= timeline_.notes.size()) return;
        timeline_.notes[*editor.note].text = editor.text;
        keep_notes(false);
    } else if (!editor.text.empty() || editor.time.length() > 0) {
        put_note({editor.time, editor.text});
    }
}

}  // namespace lanescope
