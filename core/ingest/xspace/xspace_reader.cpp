#include "core/ingest/xspace/xspace_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

namespace lanescope {

namespace {

constexpr int64_t kPicos = 1000;  // of a nanosecond
// Times beyond are damaged; the distance of any two fits a Nanos.
constexpr int64_t kMostXspaceNanos = 4'000'000'000'000'000'000;

constexpr WarningText kUnreadableXspaceEvent = {"unreadable_event", "an event that is damaged"};
constexpr WarningText kUnreadableXspaceTime = {"unreadable_time",
                                               "an event whose time is not a number in range"};

std::string_view xspace_kind_word(EventKind kind) {
    switch (kind) {
        case EventKind::slice:
            return "event";
        case EventKind::flow_begin:
        case EventKind::flow_end:
            return "flow";
        case EventKind::instant:
            return "allocation";
        case EventKind::counter:
            return "value";
        case EventKind::metadata:
            return "name";
        default:
            return "unreadable";
    }
}

int64_t nanos_of_picos(int64_t picos) {
    return picos / kPicos - (picos % kPicos < 0 ? 1 : 0);
}

// Planes whose lines are threads of the program: other writers add their own.
bool is_program_plane(std::string_view name) {
    return name == "/host:CPU" || name == "/host:python-tracer" || name == "/host:CUPTI" ||
           name == "/host:ROCTRACER";
}

}  // namespace

XspaceReader::XspaceReader(const ReadJob& job, TraceBuilder& builder)
    : job_(job), builder_(builder), sink_(xspace_kind_word), text_(job.input), ahead_(job.input) {
    sink_.send_to([this](const Batch& batch) { take_batch(batch); });
}

void XspaceReader::take_batch(const Batch& batch) {
    builder_.append(batch);
    if (LoadProgress* const progress = job_.options.progress) {
        progress->bytes_done.store(text_.file_bytes_done());
        progress->events.store(builder_.event_count());
    }
    if (job_.between_batches) stopped_ = job_.between_batches(builder_);
}

Result<void> XspaceReader::why_stopped() const {
    if (!stopped_) return stopped_;
    if (job_.is_cancelled()) return cancelled(job_.input);
    if (text_.has_failed()) return text_.failure();
    return ahead_.failure();
}

Result<void> XspaceReader::run() {
    XspaceText text(job_.input);
    index_ = index_xspace(text);
    if (text.has_failed()) return text.failure();
    read_facts();
    read_programs();
    std::vector<Names> names(index_.planes.size());
    XspaceText again(job_.input);
    for (std::size_t i = 0; i < names.size() && !is_stopped(); ++i)
        if (!index_.planes[i].lines.empty()) names[i] = read_names(again, index_.planes[i]);
    if (again.has_failed()) return again.failure();
    for (std::size_t i = 0; i < names.size() && !is_stopped(); ++i)
        read_plane(index_.planes[i], names[i]);
    if (!is_stopped()) finish_steps();
    sink_.flush();
    if (!programs_.empty())
        builder_.set_compiled_code(std::make_shared<const CompiledCode>(programs_.finish()));
    warn_of_file();
    return why_stopped();
}

XspaceReader::Names XspaceReader::read_names(XspaceText& text, const XspacePlane& plane) {
    Names names;
    const bool is_device = xspace_device(plane.name).has_value();
    unread_metadata_ +=
        each_xspace_metadata(text, plane, [&](uint64_t, const XspaceEventMetadata& metadata) {
            Name& name = names[metadata.id];
            const std::string_view shown =
                metadata.display_name.empty() ? metadata.name : metadata.display_name;
            name.name = sink_.text(shown);
            if (is_device) {
                XspaceStats stats;
                for (const std::string_view stat : metadata.stats)
                    stats.add(stat, plane.stat_names);
                name.op = xspace_op(shown, stats.text(XspaceKey::hlo_category));
                return;
            }
            name.is_allocation = shown == "MemoryAllocation";
            name.is_release = shown == "MemoryDeallocation";
            // "scope/op:Type", whose type is the name to display.
            const std::string_view type = metadata.display_name;
            const std::size_t colon = metadata.name.rfind(':');
            name.is_operator = !type.empty() && colon != std::string_view::npos &&
                               metadata.name.substr(colon + 1) == type;
            hosts_[plane.repetition].has_operators |= name.is_operator;
            if (name.is_operator) name.scope = sink_.text(metadata.name.substr(0, colon));
            const std::string call = xspace_python_name(shown);
            if (!call.empty()) name.call = sink_.text(call);
        });
    return names;
}

void XspaceReader::read_plane(const XspacePlane& plane, const Names& names) {
    const auto host = hosts_.find(plane.repetition);
    if (host == hosts_.end()) return;  // no plane of this host says anything
    LineState state;
    state.plane = &plane;
    state.names = &names;
    state.host = &host->second;
    const std::optional<XspaceDevice> device = xspace_device(plane.name);
    bool has_streams = false;
    LocalId process = state.host->process;
    if (device) {
        device_.ordinal = static_cast<int32_t>(device->ordinal);
        device_.id = sink_.device(process, device->ordinal);
        device_.label = fmt::format("{} {}", device->kind, device->ordinal);
        device_.prefix = device->rest.empty() ? "" : fmt::format("{} · ", device->rest);
        has_streams = std::ranges::any_of(plane.lines, [](const XspaceLine& line) {
            return xspace_line_kind(line.name) == XspaceLineKind::stream;
        });
        if (!plane.lines.empty() && device->kind != "GPU" && device->kind != "TPU")
            untried_.insert(fmt::format("devices of the kind {}", device->kind));
        if (!plane.lines.empty() && !device->rest.empty())
            untried_.insert(fmt::format("parts of devices ({})", device->rest));
        if (!plane.lines.empty() && device->kind != "GPU")
            sink_.label_process(device_.id, sink_.text(device_.label), plane.begin);
    } else if (!plane.lines.empty() && !is_program_plane(plane.name)) {
        const std::string key = plane.repetition == 0
                                    ? plane.name
                                    : fmt::format("{} ({})", plane.name, plane.repetition + 1);
        process = sink_.process(sink_[sink_.text(key)]);
        sink_.name_process(process, sink_.text(plane.name), plane.begin);
    }
    for (const XspaceLine& line : plane.lines) {
        if (is_stopped() || text_.has_failed()) return;
        state.line = &line;
        state.start = line.timestamp_ns - (line.timestamp_ns >= kXspaceAbsolute ? base_ : 0);
        if (device)
            read_device_line(state, has_streams);
        else
            read_thread(state, process);
    }
}

void XspaceReader::read_thread(LineState& state, LocalId process) {
    state.lane = sink_.thread(process, std::to_string(state.line->id));
    const Read read = each_event(state, &XspaceReader::take_host_event);
    if (read.events == 0) return;
    const std::string_view given =
        read.display_name.empty() ? std::string_view(state.line->name) : read.display_name;
    std::string name(xspace_thread_name(given, state.line->id));
    if (name.size() < given.size()) {
        const uint32_t number = ++threads_named_[{process, name}];
        if (number > 1) name += fmt::format(" {}", number);
    }
    name_lane(state, state.lane, name);
}

std::optional<XspaceReader::Time> XspaceReader::time_of(const LineState& state,
                                                        const XspaceEvent& event) {
    int64_t end_ps = 0;
    Nanos begin = 0;
    Nanos end = 0;
    if (event.duration_ps < 0 ||
        __builtin_add_overflow(event.offset_ps, event.duration_ps, &end_ps) ||
        __builtin_add_overflow(state.start, nanos_of_picos(event.offset_ps), &begin) ||
        __builtin_add_overflow(state.start, nanos_of_picos(end_ps), &end) ||
        begin <= -kMostXspaceNanos || end >= kMostXspaceNanos)
        return std::nullopt;
    return Time{begin, end - begin};
}

void XspaceReader::add_unreadable(const LineState& state, uint64_t source, const WarningText& why) {
    sink_.warn(why, sink_.add({.lane = state.lane, .kind = EventKind::unreadable}, source));
}

XspaceReader::Read XspaceReader::each_event(const LineState& state, TakeEvent take) {
    Read read;
    XspaceWalk walk(text_, state.line->begin, state.line->end);
    XspaceField field;
    XspaceEvent event;
    event_number_ = 0;
    for (; walk.next(field) && !is_stopped();) {
        const uint64_t size = field.end - field.begin;
        if (field.is_bytes(11) && size < kXspaceLongestField)
            read.display_name = text_.read(field.begin, size).substr(0, size);
        if (!field.is_bytes(4)) continue;
        const std::string_view bytes =
            size > kXspaceLongestField ? std::string_view() : text_.read(field.begin, size);
        if (bytes.size() < size && size <= kXspaceLongestField) break;  // the file is cut
        ++read.events;
        if (size > kXspaceLongestField ||
            !read_xspace_event(bytes.substr(0, size), &state.plane->stat_names, event)) {
            add_unreadable(state, field.tag, kUnreadableXspaceEvent);
        } else if (event.is_sum) {
            ++sums_;
        } else if (const std::optional<Time> time = time_of(state, event)) {
            if (event.stats.has(XspaceKey::hlo_op))
                programs_.link(field.tag, event.stats.number(XspaceKey::program_id).value_or(0),
                               event.stats.text(XspaceKey::hlo_op));
            const auto known = state.names->find(event.metadata_id);
            Name unknown;
            if (known == state.names->end())
                unknown.name = sink_.text(fmt::format("event {}", event.metadata_id));
            (this->*take)(state, event, *time,
                          known == state.names->end() ? unknown : known->second, field.tag);
        } else {
            add_unreadable(state, field.tag, kUnreadableXspaceTime);
        }
        ++event_number_;
    }
    if (walk.how_it_ended() == XspaceEnd::damaged && index_.end == XspaceEnd::whole) {
        index_.end = XspaceEnd::damaged;
        index_.end_position = walk.position();
    }
    return read;
}

std::vector<XspaceSpan> XspaceReader::spans_of(const LineState& state) {
    std::vector<XspaceSpan> spans;
    XspaceWalk walk(ahead_, state.line->begin, state.line->end);
    XspaceField field;
    XspaceEvent event;
    while (walk.next(field)) {
        if (!field.is_bytes(4)) continue;
        const uint64_t size = field.end - field.begin;
        const std::string_view bytes =
            size > kXspaceLongestField ? std::string_view() : ahead_.read(field.begin, size);
        XspaceSpan& span = spans.emplace_back();
        if (bytes.size() >= size && size <= kXspaceLongestField &&
            read_xspace_event(bytes.substr(0, size), nullptr, event) && time_of(state, event))
            span = {event.offset_ps, event.offset_ps + event.duration_ps};
    }
    return spans;
}

void XspaceReader::finish_steps() {
    if (!plane_of_steps_) return;
    Host& host = hosts_[plane_of_steps_->repetition];
    if (host.has_step_marks || steps_.empty()) {
        for (const StepMark& step : steps_)
            add_slice(lane_of_steps_, step.time, step.name, kXspaceDerived, step.source);
        return;
    }
    const LocalId lane = sink_.thread(host.process, "Steps");
    const std::optional<XspaceDevice> device = xspace_device(plane_of_steps_->name);
    sink_.name_lane(
        lane,
        sink_.text(device ? fmt::format("Steps ({} {})", device->kind, device->ordinal) : "Steps"),
        plane_of_steps_->begin);
    for (const StepMark& step : steps_)
        add_slice(lane, step.time, step.marked, kXspaceStep, step.source);
}

}  // namespace lanescope
