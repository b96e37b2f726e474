#include "ui/app/window_files.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "core/base/format.h"
#include "core/trace/incomplete.h"
#include "ui/frame/open_trace.h"
#include "ui/timeline/gap_layer.h"
#include "ui/timeline/ranks_layer.h"

namespace lanescope {

namespace {

constexpr double kLoadingFrameSeconds = 0.1;  // interval of progress updates
constexpr uint32_t kOverviewColumns = 4096;

}  // namespace

Result<void> WindowFiles::admit_typed(const std::string& address) {
    return addresses_.admit(address);
}

void WindowFiles::open(const std::vector<std::string>& paths, const Alignment& alignment) {
    if (!companion_paths_.empty() && companion_paths_ != paths) {
        companions_.graph_captures.clear();
        companions_.compile_artifacts.clear();
    }
    companion_paths_ = paths;
    if (paths.size() == 1 && !addresses_.find(paths.front()) && companions_ == Companions()) {
        begin(paths, Document::open(paths.front(), frame_.wake));
        return;
    }
    std::vector<PartToOpen> parts;
    parts.reserve(paths.size());
    for (const std::string& path : paths)
        parts.push_back({path, nullptr, std::nullopt, addresses_.find(path), companions_});
    begin(paths, Document::open(std::move(parts), alignment, frame_.wake));
    frame_.trace->alignment = alignment;
}

void WindowFiles::open_recording(const std::string& path, bool wait) {
    begin({path}, Document::follow(path, wait, frame_.wake));
}

void WindowFiles::begin(std::vector<std::string> paths, std::shared_ptr<Document> document) {
    close();
    frame_.trace = std::make_unique<OpenTrace>(frame_.jobs, std::move(paths), std::move(document));
    for (Feature* const feature : features_) feature->opened(*frame_.trace, frame_);
    frame_.pacing.wake();
}

void WindowFiles::reopen(std::vector<PartToOpen> parts, const Alignment& alignment) {
    OpenTrace& trace = *frame_.trace;
    std::vector<std::string> paths;
    paths.reserve(parts.size());
    for (PartToOpen& part : parts) {
        paths.push_back(part.path);
        if (part.trace) continue;
        part.remote = addresses_.find(part.path);
        part.companions = companions_;
    }
    trace.alignment = alignment;
    if (trace.loaded) trace.loaded->wanted_offsets.clear();
    trace.replace(std::move(paths), Document::open(std::move(parts), alignment, frame_.wake));
    for (Feature* const feature : features_) feature->opened(trace, frame_);
    frame_.pacing.wake();
}

void WindowFiles::add_graph_capture(const std::string& path) {
    Companions next = companions_;
    next.graph_captures.push_back(path);
    change_companions(std::move(next));
}

void WindowFiles::add_compile_log(const std::string& path) {
    Companions next = companions_;
    next.compile_artifacts.push_back(path);
    change_companions(std::move(next));
}

void WindowFiles::classify_kernels(const std::string& path) {
    Companions next = companions_;
    next.classes = path;
    change_companions(std::move(next));
}

void WindowFiles::change_companions(Companions next) {
    last_companions_ = std::exchange(companions_, std::move(next));
    frame_.requests.act(Action::reload);
}

void WindowFiles::close() {
    dismiss_error();
    frame_.trace.reset();
    workspace_.forget();
    close_trace(frame_.timeline);
    frame_.timeline_view.forget();
    set_motion(frame_.timeline, frame_.settings.motion);
}

std::string WindowFiles::path() const {
    return frame_.trace ? frame_.trace->paths().front() : failed_path_;
}

void WindowFiles::dismiss_error() {
    error_.reset();
    failed_path_.clear();
}

std::string WindowFiles::shown_name() const {
    std::string name = file_name(path());
    const std::size_t files = frame_.trace ? frame_.trace->paths().size() : 1;
    if (files > 1) name += " and " + std::to_string(files - 1) + " more";
    // A growing recording has no end yet.
    if (const LoadedTrace* const loaded = frame_.loaded(); loaded && !frame_.live())
        for (const TracePtr& part : loaded->parts)
            if (const auto incomplete = incomplete_of(*part))
                return fmt::format("{} ({})", name, incomplete_kind_name(incomplete->kind));
    return name;
}

void WindowFiles::poll() {
    frame_.jobs.take_results();
    if (!frame_.trace) return;
    OpenTrace& trace = *frame_.trace;
    const bool loading = trace.loading();
    if (loading) frame_.pacing.set_deadline(frame_.now + kLoadingFrameSeconds);
    if (const TracePtr newest = trace.document().trace();
        newest && newest != trace.seen && !frame_.jobs.busy(trace.key("index"))) {
        trace.seen = newest;
        index(newest);
    }
    if (loading) return;
    if (const auto error = trace.document().error()) {
        fail(*error);
        return;
    }
    // Takes the complete trace only: a snapshot of a load lacks data, so its tables would be wrong.
    const ViewIndexPtr& shown = frame_.timeline.index;
    if (shown && shown->trace == trace.document().trace() && !trace.complete()) take_loaded();
}

void WindowFiles::fail(const Error& error) {
    // Shows the trace again without the companion that could not be read.
    const std::optional<Companions> last = std::exchange(last_companions_, std::nullopt);
    if (last && error.code != ErrorCode::cancelled) {
        companions_ = *last;
        frame_.notify(error.text);
        const std::vector<std::string> paths = frame_.trace->paths();
        open(paths, Alignment());
        return;
    }
    const std::string path = this->path();
    close();
    if (error.code == ErrorCode::cancelled) {
        frame_.notify("Loading was cancelled: " + file_name(path));
        return;
    }
    error_ = error;
    failed_path_ = path;
    if (error.code == ErrorCode::usage) offer(path);
}

void WindowFiles::offer(const std::string& path) {
    frame_.jobs.ask(
        {this, "list of traces"}, [path] { return trace_choices(path); },
        [this, path](const std::vector<ListedTrace>& found) {
            if (!found.empty() && failed_path_ == path) offer_list(path, found);
        },
        JobQueue::reading);
}

void WindowFiles::offer_list(const std::string& path, const std::vector<ListedTrace>& traces) {
    std::vector<Choice> choices;
    std::vector<std::string> all;
    for (const ListedTrace& trace : traces) all.push_back(trace.path);
    choices.push_back({{fmt::format("All {} together", all.size()), "on one clock", ""},
                       [this, all] { open(all, {}); }});
    for (const ListedTrace& trace : traces) {
        const std::string name =
            trace.path.starts_with(path + "/") ? trace.path.substr(path.size() + 1) : trace.path;
        choices.push_back(
            {{name, std::string(trace.kind), format_bytes(static_cast<int64_t>(trace.bytes))},
             [this, only = trace.path] { open({only}, {}); }});
    }
    frame_.chooser.open(fmt::format("Open of {}", file_name(path)), std::move(choices));
}

void WindowFiles::index(const TracePtr& trace) {
    std::optional<LaneFilter> filter;
    if (!frame_.trace->fresh) filter = frame_.timeline.arrangement.filter;
    frame_.jobs.ask(
        frame_.trace->key("index"),
        [trace, filter] {
            ViewIndexPtr index = build_view_index(trace, filter);
            Overview overview = build_overview(*index, index->bulk, kOverviewColumns);
            return Indexed{std::move(index), std::move(overview)};
        },
        [this](Indexed indexed) { show(std::move(indexed)); });
}

void WindowFiles::show(Indexed indexed) {
    OpenTrace& trace = *frame_.trace;
    const bool first = std::exchange(trace.fresh, false);
    if (!first)
        for (Feature* const feature : features_) feature->replacing(indexed.index, frame_);
    if (!trace.live || first) {
        // Contexts refer to slices of their joined trace.
        workspace_.forget();
        trace.loaded.reset();
        frame_.timeline.layer<RanksLayer>().same_call.clear();
        frame_.timeline.layer<GapLayer>().gap.reset();
    }
    show_trace(frame_.timeline, std::move(indexed.index), std::move(indexed.overview), first);
    for (Feature* const feature : features_) feature->shown(first, frame_);
    frame_.pacing.wake();
}

void WindowFiles::take_loaded() {
    OpenTrace& trace = *frame_.trace;
    trace.loaded = std::make_unique<LoadedTrace>(frame_.jobs, frame_.timeline.index->trace,
                                                 trace.document(), frame_.options.evidence);
    std::vector<std::string> paths;
    paths.reserve(trace.loaded->parts.size());
    for (const TracePtr& part : trace.loaded->parts) paths.push_back(part->path);
    trace.shown_part =
        std::min(trace.shown_part, static_cast<uint32_t>(trace.loaded->parts.size() - 1));
    last_companions_.reset();
    state_copy(trace.document().progress());
    for (const std::string& path : paths) remember_file(frame_.settings, path);
    trace.set_paths(std::move(paths));
    frame_.save_settings = true;
    for (Feature* const feature : features_) feature->loaded(*trace.loaded, frame_);
}

// Says what the copies of remote traces take, and until when.
void WindowFiles::state_copy(const DocumentProgress& progress) {
    if (progress.bytes_copied == 0) return;
    frame_.notify(fmt::format(
        "{} were copied to a temporary file, which is removed when the trace is closed.",
        format_bytes(static_cast<int64_t>(progress.bytes_copied))));
}

bool WindowFiles::behind() const {
    const OpenTrace* const trace = frame_.trace.get();
    return trace && (trace->loading() || frame_.jobs.busy(trace->key("index")) ||
                     trace->document().trace() != trace->seen);
}

bool WindowFiles::settled() const {
    return frame_.trace && !behind() && frame_.trace->seen && frame_.trace->complete() &&
           frame_.timeline.index;
}

std::optional<Error> WindowFiles::first_problem() const {
    if (error_) return error_;
    if (!frame_.trace) return std::nullopt;
    const LoadedTrace* const loaded = frame_.trace->loaded.get();
    if (loaded && !loaded->problems.empty()) return loaded->problems.front().error;
    return frame_.trace->document().alignment_problem();
}

}  // namespace lanescope
