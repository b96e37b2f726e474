#include "core/export/traces/trace_perfetto.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "core/export/traces/nested_tracks.h"
#include "core/export/traces/perfetto_fields.h"
#include "core/export/traces/perfetto_packets.h"
#include "core/export/traces/perfetto_tracks.h"
#include "core/export/words/written_by.h"
#include "core/trace/devices.h"
#include "core/trace/query.h"

namespace lanescope {

namespace {

using PbfWriter = protozero::pbf_writer;

// Times beyond this one (March 1973) are Unix times.
constexpr Nanos kUnixNanos = 100'000'000'000'000'000;
constexpr uint64_t kNoArguments = ~uint64_t{0};

// The serialised arguments of all events. They are read in file order, and written in time order.
class StoredArguments {
  public:
    explicit StoredArguments(const Trace& trace)
        : slices_(trace.lanes.size()), instants_(trace.lanes.size()) {
        for (LaneId id = 0; id < trace.lanes.size(); ++id) {
            const Lane& lane = trace.lanes[id];
            slices_[id].resize(lane.slice_count, kNoArguments);
            if (lane.instants) instants_[id].resize(lane.instants->time.size(), kNoArguments);
        }
    }
    void store(const ExportedEvent& event, const std::string& fields) {
        if (fields.empty()) return;
        auto& places = event.is_instant ? instants_ : slices_;
        places[event.lane][event.index] = bytes_.size();
        protozero::pbf_writer(bytes_).add_bytes(1, fields);
    }
    std::string_view of_slice(SliceRef slice) const { return at(slices_[slice.lane][slice.index]); }
    std::string_view of_instant(LaneId lane, uint32_t index) const {
        return at(instants_[lane][index]);
    }

  private:
    std::string_view at(uint64_t place) const {
        if (place == kNoArguments) return {};
        const char* text = bytes_.data() + place + 1;  // after the tag
        const uint64_t size = protozero::decode_varint(&text, bytes_.data() + bytes_.size());
        return {text, static_cast<std::size_t>(size)};
    }

    std::string bytes_;
    std::vector<std::vector<uint64_t>> slices_;  // by lane and index: offset in bytes_
    std::vector<std::vector<uint64_t>> instants_;
};

struct PlacedSlice {
    Nanos start = 0;
    Nanos end = 0;
    const Chunk* chunk = nullptr;
    uint32_t in_chunk = 0;
};

class PerfettoWriter {
  public:
    PerfettoWriter(const TraceExport& what, const TakeText& take)
        : what_(what),
          trace_(what.trace),
          events_(what),
          packets_(take),
          tracks_(what.trace, events_, packets_),
          arguments_(what.trace),
          shift_(what.trace.origin < 0 ? -what.trace.origin : 0) {}

    Result<void> write() {
        write_start();
        if (Result<void> read = read_arguments(); !read) return read;
        if (Result<void> written = interned_.write(packets_); !written) return written;
        for (LaneId lane = 0; lane < trace_.lanes.size(); ++lane) {
            if (trace_.lanes[lane].derived) continue;
            Result<void> written =
                trace_.lanes[lane].kind == LaneKind::counter ? write_curve(lane) : write_lane(lane);
            if (!written) return written;
        }
        return packets_.hand_over(true);
    }

  private:
    uint64_t timestamp(Nanos time) const { return static_cast<uint64_t>(time + shift_); }

    void write_start() {
        packets_.add(0, [&](PbfWriter& packet) {
            PbfWriter system(packet, perfetto::packet::kSystemInfo);
            system.add_string(perfetto::system_info::kServiceVersion, kWrittenBy.data(),
                              kWrittenBy.size());
        });
        write_devices();
        const bool is_unix = trace_.base_unix_nanos == 0 && trace_.origin > kUnixNanos;
        if (trace_.base_unix_nanos == 0 && !is_unix) return;
        packets_.add(0, [&](PbfWriter& packet) {
            PbfWriter snapshot(packet, perfetto::packet::kClockSnapshot);
            const auto put = [&](uint32_t clock, uint64_t time) {
                PbfWriter reading(snapshot, perfetto::clocks::kClock);
                reading.add_uint32(perfetto::clocks::kId, clock);
                reading.add_uint64(perfetto::clocks::kTimestamp, time);
            };
            put(perfetto::clocks::kBootTime, timestamp(trace_.origin));
            put(perfetto::clocks::kRealTime,
                static_cast<uint64_t>(trace_.origin + trace_.base_unix_nanos));
        });
    }

    void write_devices() {
        if (trace_.devices.empty() || what_.scrubber) return;
        namespace fields = perfetto::gpu_info;
        packets_.add(0, [&](PbfWriter& packet) {
            PbfWriter list(packet, perfetto::packet::kGpuInfo);
            for (const Device& device : trace_.devices) {
                PbfWriter gpu(list, fields::kGpu);
                gpu.add_string(fields::kName, device.name);
                const auto put = [&](const std::string& name, int64_t value) {
                    PbfWriter pair(gpu, fields::kMore);
                    pair.add_string(fields::kKey, name);
                    pair.add_string(fields::kValue, std::to_string(value));
                };
                put("id", device.id);
                for (const auto& [name, value] : named_facts(device)) put(name, value);
            }
        });
    }

    Result<void> read_arguments() {
        std::string fields;
        for (const ExportedEvent& event : events_.in_file_order()) {
            const Lane& lane = trace_.lanes[event.lane];
            if (event.is_instant) {
                intern(lane.instants->name[event.index], lane.instants->category[event.index]);
            } else {
                const auto [chunk, i] = lane.locate(event.index);
                intern(chunk->name[i], chunk->category[i]);
            }
            const Result<std::vector<Argument>> arguments = events_.arguments(event);
            if (!arguments) return arguments.error();
            fields.clear();
            put_annotations(fields, *arguments, interned_);
            arguments_.store(event, fields);
        }
        return {};
    }
    void intern(StringId name, CategoryId category) {
        interned_.names.id_of(events_.text(name));
        interned_.categories.id_of(events_.text(trace_.categories[category].name));
    }

    void put_event(Nanos time, const std::string& event) {
        packets_.add(perfetto::packet::kNeedsState, [&](PbfWriter& packet) {
            packet.add_uint64(perfetto::packet::kTimestamp, timestamp(time));
            packet.add_message(perfetto::packet::kTrackEvent, event);
        });
    }
    // The fields that slices and instants share.
    void begin_event(PbfWriter& event, int32_t type, uint64_t track, StringId name,
                     CategoryId category) {
        event.add_enum(perfetto::event::kType, type);
        event.add_uint64(perfetto::event::kTrack, track);
        event.add_uint64(perfetto::event::kName, interned_.names.id_of(events_.text(name)));
        const std::string_view word = events_.text(trace_.categories[category].name);
        if (!word.empty())
            event.add_uint64(perfetto::event::kCategories, interned_.categories.id_of(word));
    }

    Result<void> write_lane(LaneId id) {
        NestedTracks nested;
        std::vector<uint64_t> tracks;
        const auto put_end_on = [&](std::size_t track, Nanos end) { put_end(tracks[track], end); };
        for (const PlacedSlice& slice : slices_in_time_order(id)) {
            nested.end_until(slice.start, put_end_on);
            const std::size_t track = nested.place(slice.end);
            if (track == tracks.size()) tracks.push_back(tracks_.add(id));
            put_begin(tracks[track], id, slice);
            if (Result<void> taken = packets_.hand_over(); !taken) return taken;
        }
        nested.end_until(std::numeric_limits<Nanos>::max(), put_end_on);
        return write_instants(id, tracks);
    }

    // Outer slices before inner ones.
    std::vector<PlacedSlice> slices_in_time_order(LaneId id) const {
        std::vector<PlacedSlice> slices;
        for (const auto& chunk : trace_.lanes[id].chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i)
                if (what_.selection.holds({id, chunk->first + i}))
                    slices.push_back({chunk->start[i], chunk->end(i), chunk.get(), i});
        std::ranges::stable_sort(slices, [](const PlacedSlice& a, const PlacedSlice& b) {
            return a.start != b.start ? a.start < b.start : a.end > b.end;
        });
        return slices;
    }

    void put_end(uint64_t track, Nanos time) {
        std::string event;
        PbfWriter fields(event);
        fields.add_enum(perfetto::event::kType, perfetto::event::kSliceEnd);
        fields.add_uint64(perfetto::event::kTrack, track);
        put_event(time, event);
    }

    void put_begin(uint64_t track, LaneId lane, const PlacedSlice& placed) {
        const SliceRef slice = {lane, placed.chunk->first + placed.in_chunk};
        std::string event;
        PbfWriter fields(event);
        begin_event(fields, perfetto::event::kSliceBegin, track,
                    placed.chunk->name[placed.in_chunk], placed.chunk->category[placed.in_chunk]);
        // The flow ID has the link's row, counted from 1, with the link's kind in the bits above.
        const auto flow = [&](std::size_t row) {
            const auto kind = static_cast<uint64_t>(trace_.links[row].kind) + 1;
            return (uint64_t{row} + 1) | kind << 60;
        };
        for (const Link& link : links_from(trace_, slice))
            if (events_.holds(link))
                fields.add_fixed64(perfetto::event::kFlows,
                                   flow(static_cast<std::size_t>(&link - trace_.links.data())));
        for (const uint32_t row : links_to(trace_, slice))
            if (events_.holds(trace_.links[row]))
                fields.add_fixed64(perfetto::event::kEndingFlows, flow(row));
        event += arguments_.of_slice(slice);
        put_event(placed.start, event);
    }

    Result<void> write_instants(LaneId id, const std::vector<uint64_t>& tracks) {
        const Instants* instants = trace_.lanes[id].instants.get();
        uint64_t track = tracks.empty() ? 0 : tracks.front();
        for (uint32_t i = 0; instants && i < instants->time.size(); ++i) {
            if (!what_.selection.holds_instant(id, i)) continue;
            if (track == 0) track = tracks_.add(id);
            std::string event;
            PbfWriter fields(event);
            begin_event(fields, perfetto::event::kInstant, track, instants->name[i],
                        instants->category[i]);
            event += arguments_.of_instant(id, i);
            put_event(instants->time[i], event);
            if (Result<void> taken = packets_.hand_over(); !taken) return taken;
        }
        return {};
    }

    Result<void> write_curve(LaneId id) {
        const CounterSeries* curve = trace_.lanes[id].counter.get();
        if (!curve) return {};
        const auto [first, last] = what_.selection.points(*curve);
        const uint64_t track = first < last ? tracks_.add(id) : 0;
        for (std::size_t i = first; i < last; ++i) {
            std::string event;
            PbfWriter fields(event);
            fields.add_enum(perfetto::event::kType, perfetto::event::kCounter);
            fields.add_uint64(perfetto::event::kTrack, track);
            fields.add_double(perfetto::event::kCounterValue, curve->value[i]);
            put_event(curve->time[i], event);
            if (Result<void> taken = packets_.hand_over(); !taken) return taken;
        }
        return {};
    }

    const TraceExport& what_;
    const Trace& trace_;
    ExportedEvents events_;
    PerfettoPackets packets_;
    PerfettoInterned interned_;
    PerfettoTracks tracks_;
    StoredArguments arguments_;
    Nanos shift_;  // Perfetto's timestamps are not negative
};

}  // namespace

Result<void> write_trace_perfetto(const TraceExport& what, const TakeText& take) {
    return PerfettoWriter(what, take).write();
}

}  // namespace lanescope
