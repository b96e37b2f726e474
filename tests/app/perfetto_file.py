"""Reads Perfetto traces with the messages of PyPI's package perfetto, and pairs slices as Perfetto does."""
import collections
import gzip

from pypi import import_packages

# Slices, instants and counters of one file. `clocks`: id -> time of the snapshot.
PerfettoTrace = collections.namedtuple("PerfettoTrace", "slices instants counters flows clocks tracks")
# `track` describes where the slice is shown: see `Track`.
Slice = collections.namedtuple("Slice", "name category start duration track args")
# pid and tid only for threads; else the name of the track and its process.
Track = collections.namedtuple("Track", "process pid tid name")


def messages_of(path):
    import_packages("perfetto")
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as schema
    data = path.read_bytes()
    trace = schema.Trace()
    trace.ParseFromString(gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data)
    for packet in trace.packet:  # every field is one that the schema knows
        assert not unknown_fields(packet), packet
    return schema, trace


def unknown_fields(message):
    from google.protobuf import unknown_fields as unknown
    return len(unknown.UnknownFieldSet(message)) > 0


class Interned:
    def __init__(self):
        self.texts = collections.defaultdict(dict)

    def take(self, data):
        for kind in ("event_categories", "event_names", "debug_annotation_names"):
            self.texts[kind].update({entry.iid: entry.name for entry in getattr(data, kind)})
        self.texts["strings"].update({entry.iid: entry.str.decode() for entry in data.debug_annotation_string_values})

    def value(self, annotation):
        kind = annotation.WhichOneof("value")
        if kind == "string_value_iid":
            return self.texts["strings"][annotation.string_value_iid]
        if kind:
            return getattr(annotation, kind)
        if annotation.array_values:
            return [self.value(item) for item in annotation.array_values]
        return {self.texts["debug_annotation_names"][item.name_iid]: self.value(item)
                for item in annotation.dict_entries}

    def args(self, event):
        return {self.texts["debug_annotation_names"][item.name_iid]: self.value(item)
                for item in event.debug_annotations}


def read_tracks(packets):
    descriptors = {packet.track_descriptor.uuid: packet.track_descriptor for packet in packets
                   if packet.HasField("track_descriptor")}
    tracks = {}
    for uuid, track in descriptors.items():
        root = track
        while root.parent_uuid:
            root = descriptors[root.parent_uuid]
        process = root.name or ",".join([root.process.process_name, *root.process.process_labels])
        pid = root.process.pid if root.HasField("process") else None
        is_thread = track.HasField("thread")
        if is_thread:
            assert track.thread.pid == pid, track
        tracks[uuid] = Track(process, pid, track.thread.tid if is_thread else None,
                             track.thread.thread_name if is_thread else track.name)
    return tracks


def read_perfetto(path):
    schema, trace = messages_of(path)
    kinds = schema.TrackEvent
    interned, tracks = Interned(), read_tracks(trace.packet)
    result = PerfettoTrace([], [], collections.defaultdict(list), [], {}, tracks)
    for packet in trace.packet:
        assert packet.trusted_packet_sequence_id == trace.packet[0].trusted_packet_sequence_id
        if packet.HasField("interned_data"):
            interned.take(packet.interned_data)
        for clock in packet.clock_snapshot.clocks:
            result.clocks[clock.clock_id] = clock.timestamp
    open_slices = collections.defaultdict(list)
    flow_begins, flow_ends = {}, {}
    # Perfetto sorts by time; equal times keep the order of the file.
    events = sorted((packet for packet in trace.packet if packet.HasField("track_event")), key=lambda p: p.timestamp)
    for packet in events:
        event, time = packet.track_event, packet.timestamp
        track = tracks[event.track_uuid]
        if event.type == kinds.TYPE_COUNTER:
            result.counters[track].append((time, event.double_counter_value))
            continue
        if event.type == kinds.TYPE_SLICE_END:
            name, category, start, flows, ends, args = open_slices[event.track_uuid].pop()
            slice = Slice(name, category, start, time - start, track, args)
            result.slices.append(slice)
            flow_begins.update({flow: slice for flow in flows})
            flow_ends.update({flow: slice for flow in ends})
            continue
        assert packet.sequence_flags & 2, packet
        name = interned.texts["event_names"][event.name_iid]
        categories = [interned.texts["event_categories"][iid] for iid in event.category_iids]
        facts = (name, ",".join(categories), time, list(event.flow_ids), list(event.terminating_flow_ids),
                 interned.args(event))
        if event.type == kinds.TYPE_SLICE_BEGIN:
            open_slices[event.track_uuid].append(facts)
        else:
            assert event.type == kinds.TYPE_INSTANT, packet
            result.instants.append(Slice(name, facts[1], time, 0, track, facts[-1]))
    assert not any(open_slices.values()), "slices without an end"
    assert flow_begins.keys() == flow_ends.keys()
    result.flows.extend((flow_begins[flow], flow_ends[flow]) for flow in flow_begins)
    return result
