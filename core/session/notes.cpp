#include "core/session/notes.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <nlohmann/json.hpp>
#include <system_error>
#include <utility>

#include "core/base/format.h"
#include "core/base/url.h"
#include "core/session/settings.h"
#include "core/session/small_file.h"
#include "core/trace/join.h"

namespace lanescope {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr int kVersion = 1;
constexpr Nanos kFarthest = std::numeric_limits<Nanos>::max() / 4;  // from the origin

Error wrong(const char* what) {
    return {ErrorCode::damaged, Error::no_offset, what};
}

// 64-bit FNV-1a (Fowler, Noll, Vo), so that two traces of the same name have separate notes.
uint64_t hash_of(std::string_view text) {
    uint64_t hash = 0xcbf29ce484222325;
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
    return hash;
}

bool before(const Note& a, const Note& b) {
    return std::pair(a.time.begin, a.time.end) < std::pair(b.time.begin, b.time.end);
}

// The newer of the two files; empty if neither exists.
std::string newest(const NotesPlaces& places) {
    std::string found;
    fs::file_time_type when;
    for (const std::string& path : {places.beside, places.own}) {
        std::error_code code;
        if (path.empty() || fs::symlink_status(path, code).type() == fs::file_type::not_found ||
            code == std::errc::filename_too_long)
            continue;
        const fs::file_time_type written = fs::last_write_time(path, code);
        if (!found.empty() && (code || written <= when)) continue;
        found = path;
        when = written;
    }
    return found;
}

// Whether the file exists and has other notes than these.
bool differs(const std::string& path, const std::vector<Note>& notes, Nanos origin) {
    const Result<std::optional<std::string>> text = read_small_file(path);
    if (!text) return true;
    if (!*text) return false;
    const Result<NotesFile> file = parse_notes(**text, origin);
    return !file || file->notes != notes;
}

std::string text_of(const std::vector<Note>& notes, const NotedTrace& trace) {
    return notes_text({notes, trace.identity}, fs::path(trace.path).filename().string(),
                      trace.origin);
}

Result<std::string> write_notes(const std::vector<Note>& notes, const NotedTrace& trace,
                                const std::string& path, std::string& older) {
    if (path.empty())
        return Error{ErrorCode::io, Error::no_offset,
                     "Neither XDG_DATA_HOME nor HOME says where notes of remote traces belong."};
    if (path == older) {
        if (const auto kept_as = rename_aside(path, "older"); !kept_as) return kept_as.error();
        older.clear();
    }
    if (const Result<void> written = write_small_file(path, text_of(notes, trace)); !written)
        return written.error();
    return path;
}

std::string changed_text(const NotedTrace& trace, TraceIdentity then) {
    const TraceIdentity now = trace.identity;
    const std::string name = fs::path(trace.path).filename().string();
    const auto counted = [](uint64_t n) { return format_count(static_cast<int64_t>(n)); };
    const std::string what =
        then.events != now.events
            ? fmt::format("{} events then, {} now", counted(then.events), counted(now.events))
            : fmt::format("{} bytes then, {} now", counted(then.bytes), counted(now.bytes));
    return fmt::format("{} has changed since its notes were made ({}): they may not fit.", name,
                       what);
}

LoadedNotes broken_notes(const std::string& path, const std::string& why, BrokenNotes broken) {
    LoadedNotes loaded;
    if (broken == BrokenNotes::leave) {
        loaded.may_save = false;
        loaded.message = path + " is broken (" + why + "), so its notes are missing here.";
        return loaded;
    }
    const Result<std::string> kept_as = rename_broken(path);
    loaded.may_save = static_cast<bool>(kept_as);
    loaded.message = path + " is broken (" + why + "). " +
                     (kept_as ? "It is kept as " + *kept_as + "; the trace has no notes now."
                              : "It cannot be renamed, so notes on this trace are not saved.");
    return loaded;
}

}  // namespace

NotedTrace noted_trace(const std::string& path, const Trace& trace) {
    std::error_code code;
    const auto bytes = fs::file_size(path, code);
    return {path, {code ? 0 : bytes, trace.facts.events}, file_span(trace).begin};
}

std::string notes_text(const NotesFile& file, std::string_view trace_name, Nanos origin) {
    json notes = json::array();
    for (const Note& note : file.notes)
        notes.push_back({{"begin_ns", note.time.begin - origin},
                         {"end_ns", note.time.end - origin},
                         {"text", note.text}});
    const json document = {
        {"lanescope_notes", kVersion},
        {"trace",
         {{"name", trace_name}, {"bytes", file.identity.bytes}, {"events", file.identity.events}}},
        {"notes", notes}};
    return document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
}

Result<NotesFile> parse_notes(std::string_view text, Nanos origin) {
    const json document = json::parse(text, nullptr, false);
    if (!document.is_object() || !document.contains("lanescope_notes"))
        return wrong("no notes in it");
    if (document["lanescope_notes"] != kVersion) return wrong("written by another version");
    const auto trace = document.find("trace");
    const auto notes = document.find("notes");
    if (trace == document.end() || !trace->is_object() || notes == document.end() ||
        !notes->is_array())
        return wrong("no notes in it");
    NotesFile file;
    const auto count = [&](const char* key) {
        const auto found = trace->find(key);
        return found != trace->end() && found->is_number_unsigned() ? found->get<uint64_t>() : 0;
    };
    file.identity = {count("bytes"), count("events")};
    for (const json& from : *notes) {
        if (!from.is_object()) return wrong("an invalid note");
        const auto begin = from.find("begin_ns");
        const auto end = from.find("end_ns");
        const auto said = from.find("text");
        if (begin == from.end() || !begin->is_number_integer() || end == from.end() ||
            !end->is_number_integer() || said == from.end() || !said->is_string())
            return wrong("an invalid note");
        const auto b = begin->get<Nanos>();
        const auto e = end->get<Nanos>();
        if (b > e || b < -kFarthest || e > kFarthest) return wrong("a note without a valid time");
        file.notes.push_back({{origin + b, origin + e}, said->get<std::string>()});
    }
    std::stable_sort(file.notes.begin(), file.notes.end(), before);
    return file;
}

NotesPlaces notes_places(const std::string& trace_path) {
    const std::string own_folder = data_folder();
    if (is_url(trace_path)) {
        if (own_folder.empty()) return {};
        const std::string path =
            fmt::format("{}/notes/{}-{:016x}.notes.json", own_folder,
                        fs::path(trace_path).filename().string(), hash_of(trace_path));
        return {path, path};
    }
    NotesPlaces places{trace_path + ".notes.json", {}};
    std::error_code code;
    const fs::path absolute = fs::absolute(trace_path, code).lexically_normal();
    if (!own_folder.empty() && !code)
        places.own = fmt::format("{}/notes/{}-{:016x}.notes.json", own_folder,
                                 absolute.filename().string(), hash_of(absolute.string()));
    return places;
}

LoadedNotes load_notes(const NotedTrace& trace, const NotesPlaces& places, BrokenNotes broken) {
    const std::string path = newest(places);
    if (path.empty()) return {};
    const Result<std::optional<std::string>> text = read_small_file(path);
    if (!text) return broken_notes(path, text.error().text, broken);
    if (!*text) return {};
    Result<NotesFile> file = parse_notes(**text, trace.origin);
    if (!file) return broken_notes(path, file.error().text, broken);
    LoadedNotes loaded{std::move(file->notes), path, {}, true, {}};
    if (!loaded.notes.empty() && file->identity != trace.identity)
        loaded.message = changed_text(trace, file->identity);
    const std::string& other = path == places.own ? places.beside : places.own;
    if (differs(other, loaded.notes, trace.origin)) loaded.older = other;
    return loaded;
}

Result<std::string> keep_notes(const std::vector<Note>& notes, const NotedTrace& trace,
                               const NotesPlaces& places, std::string& older) {
    const std::string& path = places.own.empty() ? places.beside : places.own;
    // Without notes, a file beside the trace would bring its notes back.
    std::error_code code;
    const bool only_place = path == places.beside || !fs::exists(places.beside, code);
    if (notes.empty() && only_place && older.empty()) {
        fs::remove(path, code);
        if (code) return Error{ErrorCode::io, Error::no_offset, path + ": " + code.message()};
        return std::string();
    }
    return write_notes(notes, trace, path, older);
}

Result<std::string> save_notes(const std::vector<Note>& notes, const NotedTrace& trace,
                               const NotesPlaces& places, std::string& older) {
    return write_notes(notes, trace, places.beside, older);
}

Result<void> save_notes_as(const std::vector<Note>& notes, const NotedTrace& trace,
                           const std::string& path) {
    return write_small_file(path, text_of(notes, trace));
}

}  // namespace lanescope
