#include "ui/features/notes.h"

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <utility>

#include "ui/panels/save_file.h"
#include "ui/timeline/notes_layer.h"

namespace lanescope {

namespace {

struct ReadNotes {
    NotesState state;
    std::vector<Note> notes;
};

bool before(const Note& a, const Note& b) {
    return std::pair(a.time.begin, a.time.end) < std::pair(b.time.begin, b.time.end);
}

ReadNotes read_notes(const std::vector<TracePtr>& parts) {
    ReadNotes read;
    for (uint32_t part = 0; part < parts.size(); ++part) {
        const std::string& path = parts[part]->path;
        NotedFile& file = read.state.files.emplace_back();
        file.trace = noted_trace(path, *parts[part]);
        file.places = notes_places(path);
        LoadedNotes loaded = load_notes(file.trace, file.places, BrokenNotes::set_aside);
        file.kept_at = loaded.path;
        file.warning = loaded.message;
        file.may_save = loaded.may_save;
        file.older = std::move(loaded.older);
        for (Note& note : loaded.notes) note.part = part;
        file.saved = std::move(loaded.notes);
        read.notes.insert(read.notes.end(), file.saved.begin(), file.saved.end());
    }
    std::ranges::stable_sort(read.notes, before);
    read.state.tried = read.notes;
    read.state.loaded = true;
    return read;
}

// The state of the open trace's notes.
NotesState& state_in(Frame& frame) {
    return frame.trace->state.get<NotesState>();
}

NotesLayer& layer_in(const Frame& frame) {
    return frame.timeline.layer<NotesLayer>();
}

std::vector<Note> notes_of_part(const Frame& frame, uint32_t part) {
    std::vector<Note> notes;
    std::ranges::copy_if(layer_in(frame).notes, std::back_inserter(notes),
                         [&](const Note& note) { return note.part == part; });
    return notes;
}

std::string in_words(const std::vector<std::string>& parts) {
    std::string text;
    for (const std::string& part : parts) text += (text.empty() ? "" : " and ") + part;
    return text;
}

// Keeps the files whose notes have changed in the user's data folder.
void keep(Frame& frame) {
    std::vector<NotedFile>& files = state_in(frame).files;
    std::vector<std::string> problems;
    for (uint32_t part = 0; part < files.size(); ++part) {
        NotedFile& file = files[part];
        std::vector<Note> notes = notes_of_part(frame, part);
        if (notes == file.saved) continue;
        if (!file.may_save) {
            problems.push_back(file.warning);
            continue;
        }
        const Result<std::string> kept = keep_notes(notes, file.trace, file.places, file.older);
        if (!kept) {
            problems.push_back(kept.error().text);
            continue;
        }
        file.kept_at = *kept;
        file.saved = std::move(notes);
    }
    if (!problems.empty()) frame.notify("Notes are not saved: " + in_words(problems));
}

// Saves the notes of each trace beside it.
void save_beside(Frame& frame) {
    std::vector<std::string> saved_in;
    std::vector<std::string> problems;
    std::vector<NotedFile>& files = state_in(frame).files;
    for (uint32_t part = 0; part < files.size(); ++part) {
        NotedFile& file = files[part];
        const std::vector<Note> notes = notes_of_part(frame, part);
        std::error_code none;
        if (notes.empty() && !std::filesystem::exists(file.places.beside, none)) continue;
        if (!file.may_save) {
            problems.push_back(file.warning);
            continue;
        }
        const Result<std::string> saved = save_notes(notes, file.trace, file.places, file.older);
        if (saved)
            saved_in.push_back(*saved);
        else
            problems.push_back(saved.error().text);
    }
    std::string message = saved_in.empty() ? "" : "Notes saved in " + in_words(saved_in) + ". ";
    if (!problems.empty()) message += "Notes are not saved: " + in_words(problems);
    if (message.ends_with(". ")) message.resize(message.size() - 2);
    frame.notify(message.empty() ? "There are no notes to save." : message);
}

// Asks for a file; of several traces, the one that the panels show.
void save_as(Frame& frame) {
    const uint32_t part = frame.trace->shown_part;
    const NotedFile& file = state_in(frame).files[part];
    frame.requests.add(SaveRequest{
        "Notes", free_path(file_name(file.trace.path) + ".notes", "json"),
        [notes = notes_of_part(frame, part), trace = file.trace](const std::string& path) {
            return save_notes_as(notes, trace, path);
        }});
}

// The trace that a new note belongs to: the one under the pointer, of the selection, or of the
// tables.
uint32_t part_for_note(const Frame& frame) {
    const Timeline& timeline = frame.timeline;
    if (timeline.pointer_inside && timeline.pointed_lane)
        return part_of(timeline.trace(), *timeline.pointed_lane);
    return timeline.selected ? part_of(timeline.trace(), timeline.selected.lane)
                             : frame.trace->shown_part;
}

// The time of a new mark: under the pointer, else at the selection, else in the middle.
Nanos time_for_note(const Frame& frame) {
    const Timeline& timeline = frame.timeline;
    if (timeline.pointer_inside) return noted_time(timeline, frame.look, ImGui::GetIO().MousePos.x);
    if (timeline.selected) return timeline.trace().start(timeline.selected);
    const TimeRange view = timeline.camera.view().range();
    return view.begin + view.length() / 2;
}

void put(const Note& note, Frame& frame) {
    NotesLayer& layer = layer_in(frame);
    const auto place = std::upper_bound(layer.notes.begin(), layer.notes.end(), note, before);
    layer.chosen = static_cast<uint32_t>(place - layer.notes.begin());
    layer.notes.insert(place, note);
}

void write(Frame& frame) {
    const Timeline& timeline = frame.timeline;
    TimeRange time;
    if (timeline.marked) {
        time = timeline.marked->time;
    } else if (timeline.selected) {
        const Trace& trace = timeline.trace();
        time = {trace.start(timeline.selected), trace.slice_end(timeline.selected)};
    } else {
        time.begin = time.end = time_for_note(frame);
    }
    state_in(frame).editor = {
        .time = time, .note = std::nullopt, .text = {}, .part = part_for_note(frame)};
}

void edit(Frame& frame) {
    const Note& note = layer_in(frame).notes[*layer_in(frame).chosen];
    state_in(frame).editor = {
        .time = note.time, .note = layer_in(frame).chosen, .text = note.text, .part = note.part};
}

void take_away(Frame& frame) {
    NotesLayer& layer = layer_in(frame);
    layer.notes.erase(layer.notes.begin() + *layer.chosen);
    layer.chosen.reset();
    frame.notify("Note removed. " + keys_of(frame.keys, Action::undo) + " restores it.");
}

}  // namespace

std::span<const Action> NotesFeature::actions() const {
    static constexpr Action kActions[] = {Action::mark,       Action::note,
                                          Action::edit_note,  Action::delete_note,
                                          Action::save_notes, Action::save_notes_as};
    return kActions;
}

void NotesFeature::act(Action action, Frame& frame) {
    if (frame.live() && (action == Action::mark || action == Action::note)) {
        frame.notify("Notes can be made when the recording has ended.");
        return;
    }
    const Timeline& timeline = frame.timeline;
    if (!timeline.index || !frame.trace || !state_in(frame).loaded) return;
    const bool chosen =
        timeline.layer<NotesLayer>().chosen &&
        *timeline.layer<NotesLayer>().chosen < timeline.layer<NotesLayer>().notes.size();
    switch (action) {
        case Action::mark: {
            const Nanos time = time_for_note(frame);
            put({{time, time}, {}, part_for_note(frame)}, frame);
            break;
        }
        case Action::note:
            write(frame);
            break;
        case Action::edit_note:
            if (chosen) edit(frame);
            break;
        case Action::delete_note:
            if (chosen) take_away(frame);
            break;
        case Action::save_notes_as:
            save_as(frame);
            break;
        default:
            save_beside(frame);
            break;
    }
}

bool NotesFeature::dismiss(Layer layer, Frame& frame) {
    if (layer != Layer::note || !layer_in(frame).chosen) return false;
    layer_in(frame).chosen.reset();
    return true;
}

void NotesFeature::loaded(LoadedTrace& loaded, Frame& frame) {
    frame.jobs.ask(
        loaded.key("notes"), [parts = loaded.parts] { return read_notes(parts); },
        [&frame](ReadNotes read) {
            state_in(frame) = std::move(read.state);
            layer_in(frame).notes = std::move(read.notes);
            for (const NotedFile& file : state_in(frame).files)
                if (!file.warning.empty()) frame.notify(file.warning);
            frame.pacing.wake();
        });
}

bool NotesFeature::take(const Request& request, Frame& frame) {
    const auto* const choice = std::get_if<ChooseNote>(&request);
    if (!choice) return false;
    layer_in(frame).chosen = choice->note;
    if (choice->show && frame.timeline.index) show(choice->note, frame.timeline);
    return true;
}

// Brings a note into view.
void NotesFeature::show(uint32_t index, Timeline& timeline) {
    if (index >= timeline.layer<NotesLayer>().notes.size()) return;
    const Note& note = timeline.layer<NotesLayer>().notes[index];
    if (note.is_mark())
        center_on(timeline, note.time.begin);
    else
        frame_range(timeline, note.time);
}

void NotesFeature::draw_on_timeline(ImVec2 /*min*/, ImVec2 /*max*/, Frame& frame) {
    std::optional<NoteEditor>& open = state_in(frame).editor;
    Timeline& timeline = frame.timeline;
    if (!open || !timeline.index) return;
    const EditorAnswer answer = draw_note_editor(timeline, *open, frame.look);
    if (answer == EditorAnswer::none) return;
    const NoteEditor editor = *std::exchange(open, std::nullopt);
    frame.pacing.wake();
    if (answer == EditorAnswer::drop) return;
    if (editor.note) {
        if (*editor.note >= timeline.layer<NotesLayer>().notes.size()) return;
        timeline.layer<NotesLayer>().notes[*editor.note].text = editor.text;
    } else if (!editor.text.empty() || editor.time.length() > 0) {
        put({editor.time, editor.text, editor.part}, frame);
    }
}

void NotesFeature::follow(Frame& frame) {
    if (!frame.trace || !frame.timeline.index) return;
    NotesState& state = state_in(frame);
    if (!state.loaded || state.tried == layer_in(frame).notes) return;
    state.tried = layer_in(frame).notes;
    keep(frame);
}

void NotesFeature::describe(const Frame& frame, nlohmann::json& state) const {
    using nlohmann::json;
    const Timeline& timeline = frame.timeline;
    if (!timeline.index || !frame.trace) return;
    json list = json::array();
    for (const Note& note : timeline.layer<NotesLayer>().notes)
        list.push_back({{"begin", note.time.begin - timeline.trace().origin},
                        {"end", note.time.end - timeline.trace().origin},
                        {"text", note.text}});
    json chosen;
    if (timeline.layer<NotesLayer>().chosen) chosen = *timeline.layer<NotesLayer>().chosen;
    std::string kept_at;
    std::string warning;
    json editing;
    if (const auto* const notes = frame.trace->state.find<NotesState>()) {
        for (const NotedFile& file : notes->files) {
            if (kept_at.empty()) kept_at = file.kept_at;
            if (warning.empty()) warning = file.warning;
        }
        if (notes->editor) editing = notes->editor->text;
    }
    state["notes"] = {{"list", list},
                      {"chosen", chosen},
                      {"kept_at", kept_at},
                      {"warning", warning},
                      {"editing", editing}};
}

}  // namespace lanescope
