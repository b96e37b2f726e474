// Notes of the open trace: actions of their keys and buttons, and saving.
#include <algorithm>
#include <utility>

#include "core/base/format.h"
#include "ui/app/app.h"
#include "ui/commands/panel_names.h"
#include "ui/timeline/notes_painter.h"

namespace lanescope {

namespace {

bool before(const Note& a, const Note& b) {
    return std::pair(a.time.begin, a.time.end) < std::pair(b.time.begin, b.time.end);
}

}  // namespace

void App::read_notes() {
    worker_.post([this, parts = traces_.joined.parts, of = traces_.of] {
        NotesState state;
        std::vector<Note> notes;
        for (uint32_t part = 0; part < parts.size(); ++part) {
            const std::string& path = parts[part]->path;
            NotedFile& file = state.files.emplace_back();
            file.trace = noted_trace(path, *parts[part]);
            file.places = notes_places(path);
            LoadedNotes loaded = load_notes(file.trace, file.places);
            file.kept_at = loaded.path;
            file.warning = loaded.message;
            file.may_save = loaded.may_save;
            for (Note& note : loaded.notes) note.part = part;
            file.saved = std::move(loaded.notes);
            notes.insert(notes.end(), file.saved.begin(), file.saved.end());
        }
        std::ranges::stable_sort(notes, before);
        state.loaded = true;
        return [this, of, state = std::move(state), notes = std::move(notes)]() mutable {
            if (of != traces_.of) return;
            notes_ = std::move(state);
            timeline_.notes = std::move(notes);
            for (const NotedFile& file : notes_.files)
                if (!file.warning.empty()) notify(file.warning, now_);
            pacing_.wake();
        };
    });
}

// Saves the files whose notes have changed.
void App::keep_notes(bool reports) {
    std::string kept;
    for (uint32_t part = 0; part < notes_.files.size(); ++part) {
        NotedFile& file = notes_.files[part];
        std::vector<Note> notes;
        std::ranges::copy_if(timeline_.notes, std::back_inserter(notes),
                             [&](const Note& note) { return note.part == part; });
        if (!reports && notes == file.saved) continue;
        if (!file.may_save) {
            notify("Notes are not saved: " + file.warning, now_);
            return;
        }
        const Result<std::string> saved = save_notes(notes, file.trace, file.places);
        if (!saved) {
            notify("Notes are not saved. " + saved.error().text, now_);
            return;
        }
        file.kept_at = *saved;
        file.saved = std::move(notes);
        if (!saved->empty()) kept += (kept.empty() ? "" : " and ") + *saved;
    }
    if (reports)
        notify(kept.empty() ? "There are no notes to save." : "Notes are kept in " + kept, now_);
}

// The trace of a new note: that under the pointer, of the selection, or of the tables.
uint32_t App::part_for_note() const {
    const Trace& trace = timeline_.trace();
    if (timeline_.pointer_inside && timeline_.pointed_lane)
        return part_of(trace, *timeline_.pointed_lane);
    return timeline_.selected ? part_of(trace, timeline_.selected.lane) : traces_.shown_part;
}

void App::put_note(const Note& note) {
    const auto place =
        std::upper_bound(timeline_.notes.begin(), timeline_.notes.end(), note, before);
    timeline_.chosen_note = static_cast<uint32_t>(place - timeline_.notes.begin());
    timeline_.notes.insert(place, note);
    keep_notes(false);
}

// The time of a new mark: under the pointer, else at the selection, else in the middle.
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
    notes_.editor = {.time = time, .note = std::nullopt, .text = {}, .part = part_for_note()};
}

void App::delete_note() {
    const uint32_t at = *timeline_.chosen_note;
    notes_.taken_away.push_back(timeline_.notes[at]);
    timeline_.notes.erase(timeline_.notes.begin() + at);
    timeline_.chosen_note.reset();
    keep_notes(false);
    notify("Note removed. Ctrl + Z restores it.", now_);
}

bool App::act_on_notes(Action action) {
    if (live_.on && (action == Action::mark || action == Action::note)) {
        notify("Notes can be made when the recording has ended.", now_);
        return true;
    }
    if (!timeline_.index || !notes_.loaded) return false;
    const bool chosen = timeline_.chosen_note && *timeline_.chosen_note < timeline_.notes.size();
    switch (action) {
        case Action::mark: {
            const Nanos time = time_for_note();
            put_note({{time, time}, {}, part_for_note()});
            return true;
        }
        case Action::note:
            write_note();
            return true;
        case Action::edit_note:
            if (chosen) {
                const Note& note = timeline_.notes[*timeline_.chosen_note];
                notes_.editor = {.time = note.time,
                                 .note = timeline_.chosen_note,
                                 .text = note.text,
                                 .part = note.part};
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
        put_note({editor.time, editor.text, editor.part});
    }
}

}  // namespace lanescope
