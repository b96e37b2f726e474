// Reads the files of a document, and joins several on one clock.
#include <new>
#include <utility>

#include "core/session/document_state.h"
#include "core/session/found_captures.h"
#include "core/session/part_names.h"
#include "core/session/remote_trace.h"

namespace lanescope {

namespace {

// The trace that knows all texts of the others.
TracePtr widest(const std::vector<TracePtr>& traces) {
    TracePtr found;
    for (const TracePtr& trace : traces)
        if (!found || trace->strings.size() > found->strings.size()) found = trace;
    return found;
}

}  // namespace

void Document::State::publish(TracePtr snapshot) {
    {
        const std::scoped_lock lock(mutex);
        trace = std::move(snapshot);
    }
    wake();
}

void Document::State::finish(Result<TracePtr> result) {
    {
        const std::scoped_lock lock(mutex);
        load_seconds = seconds_since(began);
        loading = false;
        if (result) {
            trace = std::move(*result);
        } else {
            error = result.error();
        }
    }
    wake();
}

Result<TracePtr> Document::State::read(File& file, const TracePtr& vocabulary,
                                       std::function<void(TracePtr)> on_snapshot) {
    LoadOptions options;
    options.progress = &file.progress;
    options.vocabulary = vocabulary;
    options.derived_lanes = true;
    Result<KernelClassesPtr> classes = load_classes(file.part.companions.classes);
    // An invalid file in the user's configuration is reported at the start, and does not prevent
    // loading a trace.
    if (!classes && !file.part.companions.classes.empty()) return classes.error();
    if (classes) options.kernel_classes = std::move(*classes);
    options.find_captures = load_captures_beside;
    if (const Result<void> found = find_compiled_code(file.part.companions, options); !found)
        return found.error();
    for (const std::string& path : file.part.companions.graph_captures) {
        TracePtr& capture = graph_captures[path];
        if (!capture) {
            const Result<std::vector<TracePtr>> loaded = load_graph_captures({path}, options);
            if (!loaded) return loaded.error();
            capture = loaded->front();
        }
        options.graph_captures.push_back(capture);
    }
    options.on_snapshot = std::move(on_snapshot);
    if (!file.part.remote) return load_trace(file.part.path, options);
    const Result<std::shared_ptr<InputFile>> copy =
        copy_remote_trace(*file.part.remote, options.progress);
    if (!copy) return copy.error();
    if (of_one_file()) {
        const std::scoped_lock lock(mutex);
        began = std::chrono::steady_clock::now();  // of the load
    }
    options.file = *copy;
    return load_trace(file.part.path, options);
}

Result<JoinedTrace> Document::State::join(const std::vector<ReadFile>& read_files, bool whole) {
    std::vector<TracePtr> traces;
    traces.reserve(read_files.size());
    for (const ReadFile& read : read_files) traces.push_back(read.trace);
    Alignment wanted = alignment;
    Result<Aligned> aligned = align_traces(traces, wanted);
    std::optional<Error> problem;
    if (!aligned) {
        problem = aligned.error();
        aligned = align_traces(traces, {});
    }
    std::vector<JoinPart> parts = named_parts(traces, aligned->offsets);
    if (alignment.by == AlignBy::by_hand) place_by_hand(read_files, traces, parts);
    Result<JoinedTrace> result = join_traces(parts);
    if (!result || !whole) return result;
    const std::scoped_lock lock(mutex);
    joined = *result;
    aligned_by = aligned->by;
    alignment_problem = problem;
    return result;
}

void Document::State::place_by_hand(const std::vector<ReadFile>& read_files,
                                    const std::vector<TracePtr>& traces,
                                    std::vector<JoinPart>& parts) {
    const Result<Aligned> best = align_traces(traces, {});
    const Nanos first = read_files.front().offset.value_or(0);
    for (std::size_t i = 0; i < parts.size(); ++i)
        parts[i].offset = read_files[i].offset.value_or(best->offsets[i] + first);
}

void Document::State::load_several() {
    std::vector<ReadFile> done;
    std::vector<TracePtr> known;  // to take the vocabulary of
    for (const auto& file : files)
        if (file->part.trace) known.push_back(file->part.trace);
    std::optional<Error> first_error;
    for (const auto& file : files) {
        if (file->part.trace) {
            done.push_back({file->part.trace, file->part.offset});
            continue;
        }
        Result<TracePtr> loaded = read(*file, widest(known), [&](TracePtr snapshot) {
            std::vector<ReadFile> shown = done;
            shown.push_back({std::move(snapshot), file->part.offset});
            if (auto so_far = join(shown, false)) publish(so_far->whole);
        });
        if (loaded) {
            done.push_back({*loaded, file->part.offset});
            known.push_back(*loaded);
            continue;
        }
        if (!first_error) first_error = loaded.error();
        if (loaded.error().code == ErrorCode::cancelled) continue;
        const std::scoped_lock lock(mutex);
        problems.push_back({file->part.path, loaded.error()});
    }
    if (done.empty()) return finish(*first_error);
    known.clear();
    const Result<JoinedTrace> result = join(done, true);
    // The joined trace keeps what it needs of them.
    for (const auto& file : files) file->part.trace.reset();
    finish(result ? Result<TracePtr>(result->whole) : Result<TracePtr>(result.error()));
}

void Document::State::load() {
    try {
        if (may_follow && (waits || grows())) {
            follow();
        } else if (of_one_file()) {
            const auto show = [this](TracePtr snapshot) { publish(std::move(snapshot)); };
            finish(read(*files.front(), nullptr, show));
        } else {
            load_several();
        }
    } catch (const std::bad_alloc&) {
        finish(Error{ErrorCode::io, Error::no_offset,
                     files.front()->part.path + ": not enough memory for this trace."});
    }
}

}  // namespace lanescope
