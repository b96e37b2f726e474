// EventStore: the slices and instants of all tracks until the end of the file. Only then are the
// tracks known, and the begins and ends of slices in the order of their times.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/ingest/build/batch.h"
#include "core/ingest/perfetto/track_tree.h"

namespace lanescope {

enum class StoredKind : uint8_t { begin, end, instant, whole };

struct StoredEvent {
    Nanos time = 0;
    uint64_t source = 0;
    uint32_t track = 0;
    LocalId name = 0;
    LocalId category = 0;
    StoredKind kind = StoredKind::begin;
    bool has_rows = false;  // in EventStore::rows
};

// A slice whose end is known.
struct StoredSlice {
    uint32_t event = 0;  // its begin
    Nanos end = 0;
};

struct EventStore {
    std::vector<StoredEvent> events;  // in the order of the file
    std::vector<StoredSlice> wholes;  // ascending by event
    SideRows rows;                    // by number of the event, ascending in each table

    uint32_t add(const StoredEvent& event) {
        events.push_back(event);
        return static_cast<uint32_t>(events.size() - 1);
    }
    uint32_t add_whole(StoredEvent event, Nanos end) {
        event.kind = StoredKind::whole;
        const uint32_t number = add(event);
        wholes.push_back({number, end});
        return number;
    }
};

struct PairedEvents {
    std::vector<StoredSlice> slices;
    std::vector<uint32_t> unopened_ends;                      // ends without a begin
    std::vector<uint32_t> unclosed;                           // begins without an end
    std::vector<std::pair<uint32_t, uint32_t>> begin_of_end;  // (end, begin), ascending
};

// Pairs begins and ends. A track's events need not be in the order of their times: some writers
// write both when a slice ends, inner slices first; others first all begins and then all ends.
PairedEvents pair_stored_events(const EventStore& store, TrackTree& tracks);

}  // namespace lanescope
