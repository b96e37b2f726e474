#include "core/ingest/speedscope/speedscope_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/ingest/json/text_repair.h"

namespace lanescope {

namespace {

std::string_view speedscope_word(EventKind kind) {
    switch (kind) {
        case EventKind::slice:
            return "call";
        case EventKind::instant:
            return "end";
        default:
            return "name";
    }
}

// py-spy names its profiles "Process 12 Thread 0x7F01 "MainThread"".
struct NamedThread {
    std::string_view pid, tid, name;
};

// Removes the first word from `text`, and returns it.
std::string_view take_word(std::string_view& text) {
    const std::size_t end = std::min(text.find(' '), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return word;
}

NamedThread named_thread(std::string_view text) {
    NamedThread thread;
    if (text.starts_with("Process ")) {
        take_word(text);
        thread.pid = take_word(text);
        if (thread.pid.ends_with(':')) thread.pid.remove_suffix(1);
    }
    if (!text.starts_with("Thread ")) return {};
    take_word(text);
    thread.tid = take_word(text);
    if (text.size() >= 2 && text.front() == '"' && text.back() == '"')
        thread.name = text.substr(1, text.size() - 2);
    return thread;
}

}  // namespace

SpeedscopeReader::SpeedscopeReader(const ReadJob& job, TraceBuilder& builder)
    : job_(job), builder_(builder), sink_(speedscope_word) {
    sink_.send_to([this](const Batch& batch) { take(batch); });
}

void SpeedscopeReader::take(const Batch& batch) {
    shown_ += static_cast<uint64_t>(std::ranges::count_if(
        batch.events, [](const RawEvent& event) { return event.kind != EventKind::metadata; }));
    stopped_ = take_batch(job_, builder_, batch);
}

void SpeedscopeReader::warn(std::string_view code, uint64_t position, std::string_view text) {
    builder_.warn(std::string(code), position, text);
}

Result<void> SpeedscopeReader::run() {
    Result<JsonText> text = JsonText::read(job_, builder_);
    if (!text) return text.error();
    text_ = std::move(*text);
    read_file();
    if (!profiles_.p)
        return Error{
            ErrorCode::damaged, 0,
            fmt::format("{}: is a speedscope file without profiles", job_.input.file->path())};
    read_profiles();
    sink_.flush();
    if (!stopped_) return stopped_;
    if (profiles_read_ == 0 || shown_ == 0) return why_nothing();
    if (other_units_ > 0)
        warn("profile_without_time", text_.position(profiles_.p),
             fmt::format("{} profiles count \"{}\" and have no time; they are not shown",
                         other_units_, other_unit_));
    // Samples in py-spy's files have no times, and are shown one after another.
    if (exporter_.starts_with("py-spy"))
        warn("times_are_placed", text_.position(profiles_.p),
             "py-spy's files have no times of samples: the samples of each thread are placed one "
             "after another, without the times in which the thread was idle; lanes of several "
             "threads do not show the same moments");
    return {};
}

Result<void> SpeedscopeReader::why_nothing() const {
    const std::string& path = job_.input.file->path();
    if (other_units_ > 0 && profiles_read_ == 0)
        return Error{ErrorCode::unsupported, 0,
                     fmt::format("{}: is a speedscope file whose profiles count \"{}\", not time, "
                                 "so it has no timeline; speedscope.app shows it",
                                 path, other_unit_)};
    return Error{ErrorCode::damaged, 0,
                 fmt::format("{}: is a speedscope file without a readable profile", path)};
}

void SpeedscopeReader::read_file() {
    JsonCursor at = text_.cursor();
    if (at.at_end() || *at.p != '{') return;
    const bool whole = read_members(at, [&](std::string_view name) {
        std::string_view raw;
        if (name == "shared" && *at.p == '{') return read_shared(at);
        if (name == "profiles" && *at.p == '[') profiles_ = at;
        if (!at.read_value(raw)) return false;
        if (name == "exporter") exporter_ = json_plain(raw);
        if (name == "name") name_ = json_plain(raw);
        if (raw.front() == '"' && !name.starts_with('$'))
            builder_.add_metadata(repair_text(name), nlohmann::json(json_plain(raw)).dump());
        return true;
    });
    if (!whole)
        warn("truncated_file", text_.position(std::min(at.p, at.end)),
             "the file ends or is damaged here; everything before it was read");
}

bool SpeedscopeReader::read_shared(JsonCursor& at) {
    return read_members(at, [&](std::string_view name) {
        std::string_view raw;
        if (name == "frames" && *at.p == '[')
            return read_elements(at, [&] { return read_frame(at); });
        return at.read_value(raw);
    });
}

bool SpeedscopeReader::read_frame(JsonCursor& at) {
    const uint64_t position = text_.position(at.p);
    std::string_view raw;
    std::string_view name;
    std::string_view file;
    if (*at.p != '{') {  // still counted
        if (!at.read_value(raw)) return false;
    } else if (!read_members(at, [&](std::string_view member) {
                   if (!at.read_value(raw)) return false;
                   if (member == "name") name = raw;
                   if (member == "file" && raw.starts_with('"')) file = raw;
                   return true;
               })) {
        return false;
    }
    const std::string path = json_plain(file);
    if (!path.empty()) {
        ++named_files_;
        python_frames_ += path.ends_with(".py") || path.starts_with("<frozen ");
    }
    const std::string shown = json_plain(name);
    const LocalId text = sink_.text(shown.empty() ? "(no name)" : shown);
    const uint64_t next = functions_.size() + 1;
    const uint64_t function = functions_.try_emplace({text, sink_.text(path)}, next).first->second;
    frames_.push_back({function, text, sink_.text(file_of_path(path)), position});
    return true;
}

SpeedscopeReader::Profile SpeedscopeReader::profile_at(JsonCursor& at, bool& is_whole) {
    Profile profile;
    profile.position = text_.position(at.p);
    is_whole = read_members(at, [&](std::string_view member) {
        const JsonCursor value = at;
        if (member == "events") profile.events = value;
        if (member == "samples") profile.samples = value;
        if (member == "weights") profile.weights = value;
        std::string_view raw;
        if (!at.read_value(raw)) return false;
        if (member == "type") profile.type = without_quotes(raw);
        if (member == "name") profile.name = raw;
        if (member == "unit") profile.unit = without_quotes(raw);
        if (member == "startValue") profile.start = without_quotes(raw);
        if (member == "endValue") profile.end = without_quotes(raw);
        return true;
    });
    profile.is_cut = !is_whole;
    return profile;
}

void SpeedscopeReader::read_profiles() {
    JsonCursor at = profiles_;
    std::size_t number = 0;
    read_elements(at, [&] {
        std::string_view raw;
        if (*at.p != '{') return at.read_value(raw);
        bool is_whole = true;
        Profile profile = profile_at(at, is_whole);
        profile.number = number++;
        const std::optional<int> unit = time_unit_exponent(profile.unit);
        const bool is_other = !profile.unit.empty() && !unit;
        if (is_other && other_units_++ == 0) other_unit_ = json_plain(profile.unit);
        if (unit) {
            read_profile(profile, *unit);
        } else if (!is_other) {
            warn("unreadable_profile", profile.position,
                 profile.is_cut ? "a profile that is cut before its unit of time; not shown"
                                : "a profile without a unit; not shown");
        }
        return is_whole && static_cast<bool>(stopped_);
    });
}

void SpeedscopeReader::read_profile(const Profile& profile, int unit) {
    const bool is_evented = profile.type == "evented" || (profile.type.empty() && profile.events.p);
    if (is_evented ? !profile.events.p : !profile.samples.p)
        return warn("unreadable_profile", profile.position,
                    "a profile without events or samples; not shown");
    ++profiles_read_;
    is_evented ? read_events(profile, unit) : read_samples(profile, unit);
}

// The lane of a profile: the thread in its name, or else its index.
LocalId SpeedscopeReader::lane_of(const Profile& profile, bool is_sampled) {
    const std::string name = json_plain(profile.name);
    const NamedThread thread = named_thread(name);
    const LocalId process = sink_.process(thread.pid);
    const std::string tid =
        thread.tid.empty() ? std::to_string(profile.number + 1) : std::string(thread.tid);
    const bool is_python = is_of_python();
    const LocalId lane =
        !is_sampled ? sink_.thread(process, tid)
                    : sink_.samples(process, tid, is_python ? SampleKind::python : SampleKind::cpu);
    if (named_processes_.insert(process).second && thread.pid.empty() && !name_.empty())
        sink_.name_process(process, sink_.text(name_), profile.position);
    std::string shown = name;
    if (!thread.tid.empty())
        shown = fmt::format("{} {}", thread.name.empty() ? "thread" : thread.name, thread.tid);
    if (shown.empty()) shown = fmt::format("profile {}", profile.number + 1);
    if (is_sampled) shown += is_python ? " · Python" : " · samples";
    sink_.name_lane(lane, sink_.text(shown), profile.position);
    return lane;
}

}  // namespace lanescope
