#include "core/ingest/perfetto/pftrace_reader.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ingest/build/builder_state.h"
#include "core/ingest/perfetto/annotations.h"
#include "core/ingest/perfetto/pftrace_fields.h"
#include "core/ingest/perfetto/wire.h"

namespace lanescope {

namespace {

constexpr uint64_t kPacketsBetweenReports = 4096;
constexpr std::size_t kMostSequences = std::size_t{1} << 20;
constexpr std::string_view kOwnWriter = "lanescope";

std::string number_of_field(uint32_t field, std::string_view name) {
    return name.empty() ? fmt::format("field {}", field)
                        : fmt::format("{} (field {})", name, field);
}

}  // namespace

std::string_view pftrace_word(EventKind kind) {
    switch (kind) {
        case EventKind::slice:
            return "slice";
        case EventKind::instant:
            return "instant";
        case EventKind::counter:
            return "counter";
        case EventKind::metadata:
            return "name";
        case EventKind::flow_begin:
        case EventKind::flow_step:
        case EventKind::flow_end:
            return "flow";
        case EventKind::async_begin:
            return "async begin";
        case EventKind::async_step:
            return "async step";
        case EventKind::async_end:
            return "async end";
        default:
            return "unreadable";
    }
}

PftraceReader::PftraceReader(const ReadJob& job, TraceBuilder& builder, AnnotationTexts& memory)
    : job_(job), builder_(builder), memory_(memory), packets_(job.input) {
    sink_.send_to([this](const Batch& batch) { take(batch); });
}

void PftraceReader::take(const Batch& batch) {
    if (stopped_) stopped_ = take_batch(job_, builder_, batch);
}

Result<void> PftraceReader::run() {
    if (Result<void> read = read_packets(); !read) return read;
    memory_.parts = packets_.parts();
    if (job_.options.progress)
        job_.options.progress->bytes_done.store(packets_.text().file_bytes_done());
    finish();
    sink_.flush();
    if (!stopped_) return stopped_;
    warn_of_file();
    return {};
}

Result<void> PftraceReader::read_packets() {
    for (;;) {
        const Result<std::optional<PacketBytes>> packet = packets_.next();
        if (!packet) return packet.error();
        if (!*packet) return {};
        try {
            read_packet(**packet);
        } catch (const protozero::exception&) {
            if (counts_.damaged++ == 0) counts_.damaged_at = (*packet)->source;
        }
        if (++counts_.packets % kPacketsBetweenReports != 0) continue;
        if (job_.options.progress)
            job_.options.progress->bytes_done.store(packets_.text().file_bytes_done());
        if (job_.is_cancelled()) return cancelled(job_.input);
    }
}

// Reads the packet's own fields, which may be in any order.
void PftraceReader::read_head(const PacketBytes& bytes, Packet& packet) {
    packet.source = bytes.source;
    packet.message = bytes.message;
    packet.bytes = bytes.bytes;
    for (WireMessage in(bytes.bytes); in.next();) {
        if (in.is_bytes()) continue;
        switch (in.field()) {
            case pftrace::packet::kTimestamp:
                packet.reading = in.number();
                break;
            case pftrace::packet::kClock:
                packet.clock = static_cast<uint32_t>(in.number());
                break;
            case pftrace::packet::kSequence:
                packet.sequence = static_cast<uint32_t>(in.number());
                break;
            case pftrace::packet::kFlags:
                packet.flags |= in.number();
                break;
            case pftrace::packet::kCleared:
                if (in.number() != 0) packet.flags |= pftrace::packet::kFlagCleared;
                break;
            case pftrace::packet::kDropped:
                packet.dropped = in.number() != 0;
                break;
            case pftrace::packet::kFirstOfSequence:
                packet.is_first = in.number() != 0;
                break;
            case pftrace::packet::kTrustedPid:
                packet.pid = static_cast<int32_t>(in.number());
                break;
            case pftrace::packet::kMachine:
                if (in.number() != 0) packet.suffix = fmt::format(" on machine {}", in.number());
                break;
            default:
                break;
        }
    }
}

// Updates the state of the packet's sequence. False: the packet cannot be read.
bool PftraceReader::prepare_state(Packet& packet) {
    if (sequences_.size() >= kMostSequences && !sequences_.contains(packet.sequence)) return false;
    PftraceSequence& state = sequences_[packet.sequence];
    packet.state = &state;
    state.id = packet.sequence;
    if (packet.dropped) {
        // The first packet of a sequence also has this flag.
        if (state.has_packets && !packet.is_first && counts_.lost++ == 0)
            counts_.lost_at = packet.source;
        state.is_known = false;
    }
    state.has_packets = true;
    if (packet.flags & pftrace::packet::kFlagCleared) {
        state.clear();
        state.is_known = true;
        state.cleared_at = packet.source;
        memory_.clear(packet.sequence, packet.source);
    }
    const bool needs = packet.flags & pftrace::packet::kFlagNeedsState;
    if (!needs || state.is_known) return true;
    if (counts_.stateless++ == 0) counts_.stateless_at = packet.source;
    return false;
}

void PftraceReader::read_packet(const PacketBytes& bytes) {
    Packet packet;
    read_head(bytes, packet);
    if (!prepare_state(packet)) return;
    // Interned values and defaults already apply to the packet that contains them.
    for (WireMessage in(bytes.bytes); in.next();) {
        if (!in.is_bytes()) continue;
        if (in.field() == pftrace::packet::kInterned) read_interned(*packet.state, in.bytes());
        if (in.field() == pftrace::packet::kDefaults) read_defaults(*packet.state, in.bytes());
        if (in.field() == pftrace::packet::kClockSnapshot)
            clocks_.take(in.bytes(), packet.sequence);
    }
    for (WireMessage in(bytes.bytes); in.next();)
        if (in.is_bytes())
            read_payload(
                packet, in.field(), in.bytes(),
                packet.message + static_cast<uint64_t>(in.bytes().data() - bytes.bytes.data()));
}

void PftraceReader::read_payload(Packet& packet, uint32_t field, std::string_view message,
                                 uint64_t position) {
    using namespace pftrace::packet;
    switch (field) {
        case kTrackEvent:
            return read_track_event(packet, message);
        case kTrack:
            return tracks_.describe(message, packet.suffix);
        case kInterned:
        case kDefaults:
        case kClockSnapshot:
            return;
        case kFtrace:
            return read_ftrace(packet, message, position);
        case kProcessTree:
            return read_process_tree(packet, message);
        case kProcessStats:
            return read_process_stats(packet, message);
        case kProcess:
            packet.state->pid = tracks_.describe_process(message, packet.suffix);
            return;
        case kThread: {
            std::tie(packet.state->pid, packet.state->tid) =
                tracks_.describe_thread(message, packet.suffix);
            for (WireMessage in(message); in.next();)
                if (in.field() == 6 && !in.is_bytes()) packet.state->time_us = in.signed_number();
            return;
        }
        case kSystemInfo:
            return read_system_info(message);
        case kGpuCounter:
            return read_gpu_counters(packet, message);
        case kGpuStage:
            return read_stage(packet, message);
        case kGpuMemory:
            return read_gpu_memory(packet, message);
        case kGpuFrequency:
            return read_gpu_frequency(packet, message);
        case kGpuInfo:
            return read_gpu_info(message);
        case kPerfSample:
            return read_perf_sample(packet, message);
        case kStackSample:
            return read_stack_sample(packet, message);
        case kTaskState:
            return read_task_state(packet, message);
        case kCpuFrequency:
            return read_cpu_frequency(packet, message);
        case kTaskRename:
            return read_task_rename(packet, message);
        case kKernelProcessTree:
            return read_kernel_process_tree(packet, message);
        default:
            if (!has_no_events(field)) count_unread(field, packet.source, false);
    }
}

void PftraceReader::count_unread(uint32_t field, uint64_t source, bool is_ftrace) {
    auto& [count, first] = unread_[{is_ftrace, field}];
    if (count++ == 0) first = source;
}

void PftraceReader::read_defaults(PftraceSequence& state, std::string_view message) {
    state.default_clock.reset();
    state.default_track.reset();
    state.extra_tracks.clear();
    state.extra_double_tracks.clear();
    for (WireMessage in(message); in.next();) {
        if (in.field() == pftrace::packet::kClock && !in.is_bytes())
            state.default_clock = static_cast<uint32_t>(in.number());
        if (in.field() != pftrace::packet::kTrackEvent || !in.is_bytes()) continue;
        for (WireMessage of(in.bytes()); of.next();) {
            if (of.field() == pftrace::event::kTrack && !of.is_bytes())
                state.default_track = of.number();
            if (of.field() == pftrace::event::kExtraTracks)
                of.each_number([&](uint64_t id) { state.extra_tracks.push_back(id); });
            if (of.field() == pftrace::event::kExtraDoubleTracks)
                of.each_number([&](uint64_t id) { state.extra_double_tracks.push_back(id); });
        }
    }
}

void PftraceReader::read_system_info(std::string_view message) {
    for (WireMessage in(message); in.next();)
        if (in.field() == 4 && in.is_bytes()) writer_ = in.bytes();
    is_own_ |= writer_ == kOwnWriter;
}

Nanos PftraceReader::time_on(uint32_t clock, uint32_t sequence, uint64_t reading) {
    const ClockKey key = ClockTracker::key_of(sequence, clock);
    const std::optional<Nanos> time = clocks_.convert(key, reading);
    return time ? *time : clocks_.plain(key, reading);
}

std::optional<Nanos> PftraceReader::time_of(const Packet& packet) {
    if (!packet.reading) {
        if (counts_.timeless++ == 0) counts_.timeless_at = packet.source;
        return std::nullopt;
    }
    const std::optional<uint32_t> clock = packet.clock ? packet.clock : packet.state->default_clock;
    const ClockKey key =
        ClockTracker::key_of(packet.sequence, clock.value_or(clocks_.trace_clock()));
    std::optional<Nanos> time = clocks_.convert(key, *packet.reading);
    if (!time) {
        time = clocks_.plain(key, *packet.reading);
        if (counts_.clockless++ == 0) counts_.clockless_at = packet.source;
    }
    last_time_ = std::max(last_time_, *time);
    return time;
}

void PftraceReader::warn(std::string_view code, uint64_t count, uint64_t source,
                         const std::string& text) {
    if (count == 0) return;
    builder_.warn(std::string(code), source, text);
    builder_.state().warnings[std::string(code)].count = count;
}

void PftraceReader::warn_of_file() {
    if (packets_.end() == PacketEnd::cut || packets_.text().end().truncated)
        warn("truncated_file", 1, packets_.end_position(),
             "the file ends within a packet; everything before it was read");
    if (packets_.end() == PacketEnd::no_packet || packets_.end() == PacketEnd::too_long)
        warn("unknown_record", 1, packets_.end_position(),
             "something that is no packet; nothing after it was read");
    warn("bad_compressed_packet", packets_.bad_parts(), Error::no_offset,
         "a compressed packet that cannot be decompressed; what it holds is missing");
    warn("bad_packet", counts_.damaged, counts_.damaged_at,
         "a packet that is damaged; it was read up to the damage");
    warn("no_state", counts_.stateless, counts_.stateless_at,
         "a packet that refers to lost ones before it; it was left out");
    warn("lost_packets", counts_.lost, counts_.lost_at,
         "the recording lost packets before this one; its buffers were too small");
    warn("no_time", counts_.timeless, counts_.timeless_at, "an event without a readable time");
    warn("no_clock_snapshot", counts_.clockless, counts_.clockless_at,
         "a time on a clock that the file does not relate to the others; taken as it is");
    warn("doubled_gpu_work", counts_.doubled, Error::no_offset,
         "a GPU stage that a slice with the same correlation describes too; it was left out");
    warn("state_on_other_track", counts_.states_elsewhere, counts_.states_elsewhere_at,
         "a state on a track that is none of states; it was left out");
    warn("stacks_without_thread", counts_.stacks_elsewhere, Error::no_offset,
         "a sampled stack without a thread; it was left out");
    std::string names;
    uint64_t all = 0;
    uint64_t first = Error::no_offset;
    for (const auto& [key, found] : unread_) {
        const auto& [is_ftrace, field] = key;
        names += fmt::format(
            "{}{} {}{}", names.empty() ? "" : ", ", found.first, is_ftrace ? "ftrace " : "",
            number_of_field(field, is_ftrace ? "" : pftrace::packet::name_of(field)));
        all += found.first;
        first = std::min(first, found.second);
    }
    warn("unread_packets", all, first, "packets of kinds that are not read: " + names);
    if (const std::optional<Nanos> offset = clocks_.unix_offset(); offset && *offset != 0)
        builder_.add_metadata(std::string(kPftraceUnixOffset), std::to_string(*offset));
    if (!writer_.empty())
        builder_.add_metadata(std::string(kPftraceWriter), quoted_annotation(writer_));
    if (has_rocm_)
        warn("untried_writer", 1, Error::no_offset,
             "this file seems to be rocprofv3's, whose Perfetto files were not tried here yet");
}

}  // namespace lanescope
