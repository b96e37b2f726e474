// Takes TrackEvents: slices, instants, counters, states, flows, and events of old Chrome traces.
#include <fmt/format.h>

#include <algorithm>

#include "core/ingest/json/json_number.h"
#include "core/ingest/perfetto/pftrace_fields.h"
#include "core/ingest/perfetto/pftrace_reader.h"

namespace lanescope {

namespace {

constexpr int64_t kNanosOfMicro = 1000;

// Converts µs of the file. None: damaged, because outside the range of a trace.
std::optional<int64_t> nanos_of_micros(int64_t micros) {
    int64_t nanos = 0;
    if (__builtin_mul_overflow(micros, kNanosOfMicro, &nanos)) return std::nullopt;
    return nanos > kMaxTime || nanos < -kMaxTime ? std::nullopt : std::optional(nanos);
}

}  // namespace

LocalId PftraceReader::name_of(const PftraceSequence& state) {
    const uint64_t id = fields_.name_id ? fields_.name_id : fields_.legacy.name;
    if (id != 0) {
        const LocalId* const name = state.names.find(id);
        return name ? *name : sink_.text(fmt::format("name {}", id));
    }
    return sink_.text(fields_.name);
}

uint32_t PftraceReader::track_of(const Packet& packet) {
    const PftraceSequence& state = *packet.state;
    const LegacyEvent& legacy = fields_.legacy;
    if (legacy.tid) {
        const std::string pid = legacy.pid ? pid_text(packet, *legacy.pid) : state.pid;
        return tracks_.of_thread(pid, pid_text(packet, *legacy.tid));
    }
    const uint64_t uuid = fields_.track.value_or(state.default_track.value_or(0));
    if (uuid != 0) return tracks_.of_uuid(uuid);
    if (!fields_.track && !state.tid.empty()) return tracks_.of_thread(state.pid, state.tid);
    return tracks_.of_uuid(0);
}

std::optional<Nanos> PftraceReader::track_event_time(const Packet& packet) {
    if (packet.reading) return time_of(packet);
    std::optional<int64_t> micros;
    PftraceSequence& state = *packet.state;
    int64_t sum = 0;
    if (fields_.delta && !__builtin_add_overflow(state.time_us, *fields_.delta, &sum)) {
        state.time_us = sum;
        micros = sum;
    } else if (fields_.absolute) {
        micros = *fields_.absolute;
    }
    const std::optional<int64_t> nanos = micros ? nanos_of_micros(*micros) : std::nullopt;
    if (!nanos || *nanos < 0) {
        if (counts_.timeless++ == 0) counts_.timeless_at = packet.source;
        return std::nullopt;
    }
    const Nanos time = time_on(kMonotonicClock, packet.sequence, static_cast<uint64_t>(*nanos));
    last_time_ = std::max(last_time_, time);
    return time;
}

void PftraceReader::read_track_event(Packet& packet, std::string_view message) {
    read_fields(message);
    const std::optional<Nanos> time = track_event_time(packet);
    if (!time) return;
    add_extra_counters(packet, *time);
    using namespace pftrace::event;
    switch (fields_.type) {
        case kBegin:
            return add_slice_event(packet, StoredKind::begin, *time, 0);
        case kEnd:
            return add_slice_event(packet, StoredKind::end, *time, 0);
        case kInstant:
            return add_slice_event(packet, StoredKind::instant, *time, 0);
        case kCount: {
            const uint64_t uuid = fields_.track.value_or(packet.state->default_track.value_or(0));
            if (fields_.counter || fields_.double_counter)
                add_count(packet, uuid, *time,
                          fields_.double_counter ? *fields_.double_counter
                                                 : static_cast<double>(*fields_.counter));
            return;
        }
        case kState:
            states_.push_back({track_of(packet), *time, name_of(*packet.state),
                               category_of(*packet.state).id, packet.source});
            return;
        default:
            if (fields_.legacy.phase != 0) add_legacy(packet, fields_.legacy.phase, *time);
    }
}

void PftraceReader::add_extra_counters(const Packet& packet, Nanos time) {
    const auto& tracks =
        fields_.extra_tracks.empty() ? packet.state->extra_tracks : fields_.extra_tracks;
    for (std::size_t i = 0; i < fields_.extra_values.size() && i < tracks.size(); ++i)
        add_count(packet, tracks[i], time, static_cast<double>(fields_.extra_values[i]));
    const auto& doubles = fields_.extra_double_tracks.empty() ? packet.state->extra_double_tracks
                                                              : fields_.extra_double_tracks;
    for (std::size_t i = 0; i < fields_.extra_doubles.size() && i < doubles.size(); ++i)
        add_count(packet, doubles[i], time, fields_.extra_doubles[i]);
}

void PftraceReader::add_count(const Packet& packet, uint64_t uuid, Nanos time, double value) {
    const uint32_t track = tracks_.of_uuid(uuid);
    const TrackNode& node = tracks_[track];
    // A thread's CPU time at each of its events is not shown as a curve.
    if (node.counter.is_builtin) return;
    value *= node.counter.multiplier;
    if (node.counter.is_incremental) value = packet.state->totals[track] += value;
    points_.push_back({track, time, value, packet.source});
}

void PftraceReader::add_slice_event(const Packet& packet, StoredKind kind, Nanos time,
                                    Nanos duration) {
    StoredEvent event{time, packet.source, track_of(packet), 0, 0, kind, false};
    if (kind == StoredKind::end) {
        // Some writers also name ends, and flows may lead to them.
        add_flows(store_.add(event));
        return;
    }
    event.name = name_of(*packet.state);
    const PftraceCategory* category = &category_of(*packet.state);
    TrackNode& node = tracks_[event.track];
    if (node.name.empty() && node.first_name.empty()) node.first_name = sink_[event.name];
    arguments_.present = 0;
    const bool may_have_rows = category->rows != KinetoRows::plain || category->word.empty() ||
                               kind == StoredKind::instant;
    if (may_have_rows && !fields_.annotations.empty()) {
        read_arguments({memory_.pool, packet.state->texts});
        if (category->word.empty() && kind != StoredKind::instant)
            category = &known_category(category_by_arguments(sink_[event.name]));
    }
    event.category = category->id;
    const auto number = static_cast<uint32_t>(store_.events.size());
    const bool has_memory =
        arguments_.has(ArgumentKey::memory_bytes) && arguments_.has(ArgumentKey::address);
    if (kind == StoredKind::instant) {
        event.has_rows = has_memory;
        if (has_memory) add_kineto_memory(number, arguments_, store_.rows);
    } else if (category->rows != KinetoRows::plain) {
        event.has_rows = true;
        if (!fields_.stages.empty() && !arguments_.has(ArgumentKey::correlation))
            arguments_.set_number(ArgumentKey::correlation,
                                  static_cast<int64_t>(fields_.stages.front()));
        add_kineto_rows(category->rows, number, arguments_, event.name, sink_.names(), store_.rows);
    }
    if (kind == StoredKind::whole)
        store_.add_whole(event, time + duration);
    else
        store_.add(event);
    for (const uint64_t stage : fields_.stages) submissions_.emplace_back(number, stage);
    add_flows(number);
}

void PftraceReader::add_flows(uint32_t event) {
    const Nanos time = store_.events[event].time;
    const auto add = [&](uint64_t id, bool is_end) {
        uint8_t kind = 0;
        if (is_own_) {
            kind = static_cast<uint8_t>(id >> 60);
            id &= (uint64_t{1} << 60) - 1;
        }
        flows_.push_back({id, event, is_end, kind, time});
    };
    for (const uint64_t id : fields_.flows) add(id, false);
    for (const uint64_t id : fields_.ending_flows) add(id, true);
    const LegacyEvent& legacy = fields_.legacy;
    if (legacy.bind_id && legacy.flow_direction != 0)
        add(*legacy.bind_id, legacy.flow_direction == 1);
}

void PftraceReader::add_legacy(const Packet& packet, char phase, Nanos time) {
    switch (phase) {
        case 'B':
            return add_slice_event(packet, StoredKind::begin, time, 0);
        case 'E':
            return add_slice_event(packet, StoredKind::end, time, 0);
        case 'X': {
            const std::optional<int64_t> duration =
                nanos_of_micros(std::max<int64_t>(fields_.legacy.duration, 0));
            return add_slice_event(packet, StoredKind::whole, time,
                                   std::min(duration.value_or(0), kMaxDuration));
        }
        case 'C':
            return add_legacy_counts(packet, track_of(packet), time);
        case 'M':
            return add_metadata_event(packet);
        case 's':
            return add_async(packet, EventKind::flow_begin, 0, time);
        case 't':
            return add_async(packet, EventKind::flow_step, 0, time);
        case 'f':
            return add_async(packet, EventKind::flow_end,
                             fields_.legacy.binds_enclosing ? kBindEnclosing : 0, time);
        case 'b':
            return add_async(packet, EventKind::async_begin, 0, time);
        case 'n':
            return add_async(packet, EventKind::async_step, 0, time);
        case 'e':
            return add_async(packet, EventKind::async_end, 0, time);
        case 'S':
            return add_async(packet, EventKind::async_begin, kPairsByName, time);
        case 'T':
        case 'p':
            return add_async(packet, EventKind::async_step, kPairsByName, time);
        case 'F':
            return add_async(packet, EventKind::async_end, kPairsByName, time);
        default:
            return add_slice_event(packet, StoredKind::instant, time, 0);
    }
}

void PftraceReader::add_async(const Packet& packet, EventKind kind, uint16_t flags, Nanos time) {
    const LegacyEvent& legacy = fields_.legacy;
    RawEvent event;
    event.time = time;
    event.name = name_of(*packet.state);
    event.category = category_of(*packet.state).id;
    event.kind = kind;
    event.flags = static_cast<uint16_t>(kHasTime | kHasId | flags);
    const std::optional<uint64_t> id = legacy.global_id  ? legacy.global_id
                                       : legacy.local_id ? legacy.local_id
                                       : legacy.bind_id  ? legacy.bind_id
                                                         : legacy.unscoped_id;
    if (legacy.local_id && !legacy.global_id) event.flags |= kIdIsLocal;
    uint64_t number = id.value_or(0);
    if (!legacy.scope.empty()) number ^= uint64_t{hash_text(legacy.scope)} << 20;
    event.id = static_cast<int64_t>(number);
    asyncs_.push_back({event, track_of(packet), packet.source});
}

void PftraceReader::add_legacy_counts(const Packet& packet, uint32_t track, Nanos time) {
    const AnnotationReader reader{memory_.pool, packet.state->texts};
    const LocalId name = name_of(*packet.state);
    for (const std::string_view message : fields_.annotations) {
        const Annotation annotation = read_annotation(message, reader);
        const std::optional<double> value = parse_double(annotation_value(annotation, reader));
        if (value)
            named_points_.push_back({kNoLocalId, track, name, sink_.text(annotation.name), time,
                                     *value, packet.source});
    }
}

// Reads names of processes and threads in the style of JSON files.
void PftraceReader::add_metadata_event(const Packet& packet) {
    const AnnotationReader reader{memory_.pool, packet.state->texts};
    const std::string_view event = sink_[name_of(*packet.state)];
    const TrackNode& node = tracks_[tracks_[track_of(packet)].stack];
    for (const std::string_view message : fields_.annotations) {
        const Annotation annotation = read_annotation(message, reader);
        if (annotation.name != "name" || annotation.kind != AnnotationKind::text) continue;
        if (event == "thread_name") tracks_.name_thread(node.tid, annotation.text);
        if (event == "process_name") tracks_.name_process(node.pid, annotation.text);
    }
}

}  // namespace lanescope
