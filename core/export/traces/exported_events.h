// ExportedEvents: what the writers of trace files share: the selected events in file order, with
// all their arguments, and the texts, scrubbed if that is wanted.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/base/result.h"
#include "core/export/traces/scrub.h"
#include "core/export/traces/trace_selection.h"
#include "core/trace/trace.h"

namespace lanescope {

// Returns the arguments of the event at a `source` of the trace; called in ascending order.
using ReadArguments = std::function<Result<std::vector<Argument>>(uint64_t source)>;
// Receives the file's bytes piece by piece.
using TakeText = std::function<Result<void>(std::string_view)>;

// The part of a trace that is written.
struct TraceExport {
    const Trace& trace;
    ReadArguments read_arguments;
    TraceSelection selection = {};
    Scrubber* scrubber = nullptr;  // null: texts stay as they are
};

struct ExportedEvent {
    uint64_t source = 0;
    LaneId lane = 0;
    uint32_t index = 0;  // of the slice or instant in its lane
    bool is_instant = false;

    SliceRef slice() const { return {lane, index}; }
};

class ExportedEvents {
  public:
    explicit ExportedEvents(const TraceExport& what);

    // In file order, because their arguments are read again from the file.
    std::vector<ExportedEvent> in_file_order() const;
    // The arguments in the file, and facts of the trace that a recording has no argument for; a
    // file that was converted before has them already. The correlation is that of the trace if
    // several processes use the same ones; it is unique in the whole file then.
    Result<std::vector<Argument>> arguments(const ExportedEvent& event);
    // kNoValue: the slice has none.
    int64_t correlation_of(SliceRef slice) const;
    // A launch or flow whose ends are both selected.
    bool holds(const Link& link) const;

    // The pid and tid of lanes in files without kinds of rows: readers recognise the profiler's own
    // work by its pid, and rows of samples by their tids.
    std::string pid_of(const Process& process);
    std::string tid_of(const Lane& lane);

    // Texts of the trace. They are valid until the next call.
    std::string_view text(StringId id);
    std::string_view process_name(StringId id);

  private:
    std::vector<Argument> of_sample(SliceRef slice) const;
    std::vector<Argument> of_memory(uint32_t row) const;
    // Replaces a number that is another call's correlation, if those must differ.
    void tell_apart(SliceRef slice, Argument& argument) const;

    const Trace& trace_;
    const TraceExport& what_;
    MemoryRows memory_rows_;
    bool must_differ_;  // several processes have equal correlations
    std::unordered_map<uint64_t, int64_t> correlations_;
    std::unordered_map<uint64_t, uint32_t> sampled_rows_;
    std::unordered_map<StringId, std::string> scrubbed_;
    std::string process_name_;
};

}  // namespace lanescope
