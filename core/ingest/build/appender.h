// Appender: adds one batch to a builder's state. It translates the worker's ids, and sorts slices
// by lane and everything else by kind.
#pragma once

#include <vector>

#include "core/ingest/build/batch.h"
#include "core/ingest/build/builder_state.h"

namespace lanescope {

// Adds the category if there is none of this name and class, and returns its id.
CategoryId add_category(BuilderState& state, StringId name, EventClass event_class);

class Appender {
  public:
    Appender(BuilderState& state, const Batch& batch)
        : state_(state), batch_(batch), names_(state.workers[batch.worker]) {}

    void run();

  private:
    // The meaning of an id is looked up once; further lookups read a table.
    StringId text(LocalId id) {
        const StringId known = names_.text[id];
        return known != WorkerNames::unknown ? known : find_text(id);
    }
    StringId name(LocalId id) {
        const StringId known = text(id);
        if (known >= state_.name_traits.size()) [[unlikely]]
            find_traits();
        return known;
    }
    CategoryId category(LocalId id) {
        uint32_t& known = names_.category[id];
        if (known == WorkerNames::unknown) known = find_category(id);
        return static_cast<CategoryId>(known);
    }
    uint32_t lane(LocalId id) {
        const uint32_t known = names_.lane[id];
        return known != WorkerNames::unknown ? known : find_lane(id);
    }
    StringId find_text(LocalId id);
    void find_traits();
    CategoryId find_category(LocalId id);
    uint32_t find_lane(LocalId id);
    uint32_t find_process(LocalId id);

    uint64_t source(const RawEvent& event) const { return batch_.source_base + event.source; }
    SliceRef add_event(const RawEvent& event);
    SliceRef add_slice(const RawEvent& event);
    void add_incomplete(const RawEvent& event, uint32_t row, CategoryId kind);
    void add_timed(const RawEvent& event);

    void add_side_rows();  // append_rows.cpp, with the functions below
    // Adds a row at the place of its event. Does nothing for an event without a place.
    template <template <typename> typename FactSet>
    void add_row(const FactRow<FactSet>& row, SliceFactTable<FactSet>& table);
    template <template <typename> typename FactSet>
    void add_row(const FactRow<FactSet>& row, InstantFactTable<FactSet>& table);
    template <typename Row, typename Table>
    void add_facts(const Row& row, Table& table, std::size_t rows);
    template <typename Kind>
    typename Kind::Stored stored(const GivenFact<Kind>& given);
    void note_device(const FactRow<GpuFacts>& row);
    void add_counter(const CounterRow& row);
    void add_metadata(const MetadataRow& row);
    uint32_t find_config(const LaunchConfig& config);

    BuilderState& state_;
    const Batch& batch_;
    WorkerNames& names_;
    std::vector<SliceRef> slice_of_;  // by event; none for those that are not slices
};

}  // namespace lanescope
