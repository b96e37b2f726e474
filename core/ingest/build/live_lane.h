// One lane of a growing trace: sealed chunks, and a tail that is not yet sealed.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "core/base/growing_column.h"
#include "core/ingest/build/builder_state.h"
#include "core/trace/nesting.h"
#include "core/trace/trace.h"

namespace lanescope {

// Flag in the index of a sealed slice: the other bits count all slices ever sealed in its lane.
// Without the flag, the index is that of a raw slice.
inline constexpr uint32_t kSealedIndex = uint32_t{1} << 31;

class LiveLane {
  public:
    // Takes the slices of `raw`; those from `closed` on have not ended. Sealed and unfinished
    // slices are removed from `raw`. moved() then gives the new index of each index in `raw`, with
    // kSealedIndex for sealed slices.
    void take(RawSlices& raw, uint32_t closed);
    const std::vector<uint32_t>& moved() const { return moved_; }  // empty: no slice has moved

    void take_instants(Instants& instants);
    void take_sample(Nanos time, double value);

    // Adds what a snapshot shows to `lane`.
    void show(Lane& lane) const;
    std::shared_ptr<const CounterSeries> series() const;

    void forget_before(Nanos time);

    bool has_slices() const { return tail_ || !sealed_.empty(); }
    bool has_instants() const { return instants_.time.size() > 0; }
    // Computes the displayed index in the lane of a slice with kSealedIndex; false if the slice was
    // dropped.
    bool shown_index(uint32_t sealed, uint32_t& index) const;
    uint64_t bytes() const { return bytes_ + instants_.bytes() + samples_.bytes(); }
    uint32_t deepest_stack() const { return deepest_; }
    uint32_t partial_overlaps() const { return overlaps_; }

  private:
    struct GrowingInstants {
        GrowingColumn<Nanos> time;
        GrowingColumn<StringId> name;
        GrowingColumn<CategoryId> category;
        GrowingColumn<uint64_t> source;
        uint64_t bytes() const {
            return time.bytes() + name.bytes() + category.bytes() + source.bytes();
        }
    };
    struct GrowingSamples {
        GrowingColumn<Nanos> time;
        GrowingColumn<double> value;
        uint64_t bytes() const { return time.bytes() + value.bytes(); }
    };

    void note_lateness(const RawSlices& raw, uint32_t closed);
    bool should_seal(const RawSlices& raw, uint32_t closed) const;
    void seal(RawSlices& raw, uint32_t closed);
    void forget_points(Nanos time);
    void sort_instants();
    void sort_samples();

    struct Sealed {
        std::shared_ptr<const Chunk> chunk;
        TimeRange span;
        uint64_t bytes = 0;
    };
    std::vector<Sealed> sealed_;
    std::shared_ptr<const Chunk> tail_;
    uint32_t sealed_slices_ = 0;  // number of slices ever sealed
    uint32_t forgotten_ = 0;      // number of them that were dropped
    std::vector<RowEnd> last_;    // by depth: where the sealed slices end
    std::vector<uint32_t> moved_;
    uint32_t known_until_ = 0;  // number of raw slices whose lateness is known
    Nanos last_end_ = INT64_MIN;
    Nanos lateness_ = 0;   // maximum delay of slices after others that ended later
    unsigned waited_ = 0;  // snapshots since a chunk was sealed
    uint64_t bytes_ = 0;   // of sealed chunks
    uint32_t deepest_ = 0;
    uint32_t overlaps_ = 0;
    GrowingInstants instants_;
    GrowingSamples samples_;
    double min_ = 0, max_ = 0;  // sample
};

}  // namespace lanescope
