#include "core/ingest/trace_lister.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/printable.h"

namespace lanescope {

namespace {

// The least confidence of Format::recognise() for a file that nobody has named.
constexpr int kSureEnough = 51;
constexpr std::size_t kMostReasons = 16;

// The text of an error without the path at its beginning.
std::string_view without_path(const Error& error, std::string_view path) {
    std::string_view text = error.text;
    if (text.starts_with(path)) text.remove_prefix(path.size());
    if (text.starts_with(": ")) text.remove_prefix(2);
    return text;
}

}  // namespace

TraceLister::Seen& TraceLister::put(const std::string& path, const std::string& name, Kind kind) {
    Seen& seen = files_[path];
    seen = {kind, files_.size(), name, {}, {}};
    return seen;
}

void TraceLister::add(const std::string& path, const std::string& name,
                      const Result<RecognisedFile>& known, uint64_t bytes) {
    if (!known) {
        const Error& error = known.error();
        const bool is_damaged = error.code == ErrorCode::damaged;
        const bool is_unreadable = is_damaged || error.code == ErrorCode::io ||
                                   (error.code == ErrorCode::empty && bytes > 0);
        Seen& seen = put(path, name, is_unreadable ? Kind::unreadable : Kind::other);
        if (is_unreadable)
            seen.why = fmt::format("{}: {}", is_damaged ? "is damaged" : "cannot be read",
                                   without_path(error, path));
        return;
    }
    if (known->archive != ArchiveKind::none) {
        put(path, name, Kind::archive);
    } else if (known->confidence < kSureEnough) {
        put(path, name, Kind::other);
    } else {
        put(path, name, Kind::trace).trace = {path, known->input.format->text().name, bytes};
    }
}

void TraceLister::refuse(const std::string& path, const std::string& name, std::string_view why) {
    put(path, name, Kind::refused).why = why;
}

TraceList TraceLister::finish() {
    TraceList list;
    struct Reason {
        const Seen* first = nullptr;
        std::size_t count = 0;
    };
    std::map<std::string, Reason> reasons;
    std::size_t archives = 0;
    for (auto& [path, seen] : files_) {
        if (seen.kind == Kind::trace) {
            list.traces.push_back(std::move(seen.trace));
            continue;
        }
        if (seen.kind == Kind::archive) ++archives;
        ++(seen.kind == Kind::unreadable ? list.unreadable : list.others);
        if (seen.why.empty()) continue;
        Reason& reason = reasons[seen.why];
        if (!reason.first || seen.order < reason.first->order) reason.first = &seen;
        ++reason.count;
    }
    std::vector<Reason> sorted;
    for (const auto& [why, reason] : reasons) sorted.push_back(reason);
    std::ranges::sort(sorted, {}, [](const Reason& reason) { return reason.first->order; });
    list.notes = std::move(notes_);
    for (std::size_t i = 0; i < std::min(sorted.size(), kMostReasons); ++i) {
        const auto& [first, count] = sorted[i];
        const std::string more =
            count > 1 ? fmt::format(" (and so {} {} more)", count > 2 ? "are" : "is", count - 1)
                      : "";
        list.notes.push_back(printable(fmt::format("{} {}{}", first->name, first->why, more)));
    }
    std::size_t left = 0;
    for (std::size_t i = kMostReasons; i < sorted.size(); ++i) left += sorted[i].count;
    if (left > 0)
        list.notes.push_back(fmt::format("{} more file{} cannot be read, for other reasons", left,
                                         left > 1 ? "s" : ""));
    if (archives > 0)
        list.notes.push_back(fmt::format("archives within it ({}) are not looked into", archives));
    return list;
}

}  // namespace lanescope
