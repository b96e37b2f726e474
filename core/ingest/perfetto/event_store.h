// EventStore: the slices and instants of all tracks, kept until the end of the file, when all
// tracks are known and starts and ends of slices can be sorted by time.
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
    bool has_rows = false;  // has side rows in EventStore::rows
};

// A slice whose end is known.
struct StoredSlice {
    uint32_t event = 0;  // its start
    Nanos end = 0;
};

struct EventStore {
    std::vector<StoredEvent> events;  // in file order
    std::vector<StoredSlice> wholes;  // sorted by event
    SideRows rows;                    // each table sorted by event

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
    std::vector<uint32_t> unopened_ends;                      // ends without a start
    std::vector<uint32_t> unclosed;                           // starts without an end
    std::vector<std::pair<uint32_t, uint32_t>> begin_of_end;  // (end, start), sorted
};

// Pairs starts and ends of slices. A track's events may be unordered: some writers write both when
// a slice ends, inner slices first; others write all starts, then all ends.
PairedEvents pair_stored_events(const EventStore& store, TrackTree& tracks);

}  // namespace lanescope
