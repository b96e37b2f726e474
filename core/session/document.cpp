#include "core/session/document.h"

#include <filesystem>

#include "core/base/parallel.h"
#include "core/session/document_state.h"

namespace lanescope {

Document::Document(std::unique_ptr<State> state) : state_(std::move(state)) {}

std::unique_ptr<Document> Document::open(std::string path, std::function<void()> wake) {
    return follow(std::move(path), false, std::move(wake));
}

std::unique_ptr<Document> Document::follow(std::string path, bool wait,
                                           std::function<void()> wake) {
    std::vector<PartToOpen> parts;
    parts.push_back({std::move(path), nullptr, std::nullopt});
    return make(std::move(parts), {}, true, wait, std::move(wake));
}

std::unique_ptr<Document> Document::open(std::vector<PartToOpen> parts, Alignment alignment,
                                         std::function<void()> wake) {
    return make(std::move(parts), std::move(alignment), false, false, std::move(wake));
}

std::unique_ptr<Document> Document::make(std::vector<PartToOpen> parts, Alignment alignment,
                                         bool may_follow, bool wait, std::function<void()> wake) {
    auto state = std::make_unique<State>();
    for (PartToOpen& part : parts) {
        state->files.push_back(std::make_unique<State::File>());
        State::File& file = *state->files.back();
        std::error_code code;
        const auto bytes =
            part.trace || part.remote ? 0 : std::filesystem::file_size(part.path, code);
        if (!code) file.progress.bytes_total = bytes;
        file.part = std::move(part);
    }
    state->alignment = std::move(alignment);
    state->wake = std::move(wake);
    state->may_follow = may_follow;
    state->waits = wait;
    State* const shared = state.get();
    state->task = thread_pool().submit([shared](const std::stop_token&) { shared->load(); });
    return std::unique_ptr<Document>(new Document(std::move(state)));
}

Document::~Document() {
    cancel();
    state_->task = {};  // waits
}

const std::string& Document::path() const {
    return state_->files.front()->part.path;
}

bool Document::loading() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->loading;
}

void Document::cancel() {
    for (const auto& file : state_->files) file->progress.cancel = true;
    state_->steered.notify_all();
}

std::optional<FollowStatus> Document::following() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->following;
}

std::optional<Error> Document::follow_problem() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->follow_problem;
}

void Document::steer(SpoolControl control) {
    state_->control = static_cast<int>(control);
    state_->steered.notify_all();
}

DocumentProgress Document::progress() const {
    DocumentProgress progress;
    for (const auto& file : state_->files) {
        progress.bytes_done += file->progress.bytes_done;
        progress.bytes_total += file->progress.bytes_total;
        progress.events += file->progress.events;
        progress.copying = progress.copying || file->progress.copying;
        progress.bytes_copied += file->progress.bytes_copied;
    }
    const std::scoped_lock lock(state_->mutex);
    progress.seconds = state_->loading ? seconds_since(state_->began) : state_->load_seconds;
    if (progress.seconds <= 0) return progress;
    progress.bytes_per_second = static_cast<double>(progress.bytes_done) / progress.seconds;
    if (progress.bytes_total >= progress.bytes_done && progress.bytes_per_second > 0) {
        progress.seconds_left = static_cast<double>(progress.bytes_total - progress.bytes_done) /
                                progress.bytes_per_second;
    }
    return progress;
}

TracePtr Document::trace() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->trace;
}

JoinedTrace Document::joined() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->joined;
}

std::optional<Error> Document::error() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->error;
}

std::vector<PartProblem> Document::problems() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->problems;
}

AlignBy Document::aligned_by() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->aligned_by;
}

std::optional<Error> Document::alignment_problem() const {
    const std::scoped_lock lock(state_->mutex);
    return state_->alignment_problem;
}

Result<std::vector<Argument>> Document::arguments(uint64_t source, uint32_t part) {
    const TracePtr current = trace();
    if (!current) {
        return Error{ErrorCode::usage, Error::no_offset, path() + ": nothing has been read yet."};
    }
    const JoinedTrace parts = joined();
    const TracePtr part_trace = part < parts.parts.size() ? parts.parts[part] : current;
    // A snapshot of a load does not know the positions of its texts yet.
    if (!part_trace->source) return std::vector<Argument>();
    const std::scoped_lock lock(state_->reader_mutex);
    std::unique_ptr<ArgumentReader>& reader = state_->readers[part];
    // An existing reader does not know the positions of later blocks.
    if (following()) reader.reset();
    if (!reader) reader = open_arguments(part_trace);
    if (!reader) {
        return Error{ErrorCode::unsupported, Error::no_offset,
                     part_trace->path + ": arguments cannot be read back from this file."};
    }
    return reader->read(source);
}

}  // namespace lanescope
