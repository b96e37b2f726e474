#include "tests/core/ingest/batch_description.h"

#include <fmt/format.h>

#include "core/ingest/json/json_scanner.h"

namespace lanescope::testing {

namespace {

class Describer {
  public:
    explicit Describer(const Batch& batch) : batch_(batch) {}

    std::string text(const ScanOutcome& outcome) {
        add("stop {} at {} comma {} first {}", static_cast<int>(outcome.stop), outcome.position,
            outcome.place.after_comma, outcome.place.is_first);
        for (const RawEvent& e : batch_.events)
            add("event @{} '{}' [{}] kind {} lane {} time {} {} id {} flags {}", e.source,
                name(e.name), name(e.category), static_cast<int>(e.kind), lane(e), e.time,
                e.duration,
                e.flags & kIdIsText  ? std::string(name(static_cast<LocalId>(e.id)))
                : e.flags & kIdIsHex ? fmt::format("{:#x}", static_cast<uint64_t>(e.id))
                                     : std::to_string(e.id),
                e.flags);
        calls();
        marks();
        return std::move(out_);
    }

  private:
    template <typename... Values>
    void add(fmt::format_string<Values...> format, Values&&... values) {
        fmt::format_to(std::back_inserter(out_), format, std::forward<Values>(values)...);
        out_.push_back('\n');
    }
    std::string_view name(LocalId id) const { return batch_.texts[id]; }
    std::string lane(const RawEvent& e) const {
        if (e.kind == EventKind::unreadable) return "none";
        const auto [pid, tid] = batch_.lanes[e.lane];
        return fmt::format("pid '{}' tid '{}'", name(pid), name(tid));
    }

    void calls() {
        for (const GpuRow& r : batch_.gpu)
            add("gpu {} {} {} {} {} {} {} {},{},{} {},{},{} {} {} {}", r.event, r.device, r.stream,
                r.correlation, r.external_id, r.bytes, r.graph_node, r.config.grid[0],
                r.config.grid[1], r.config.grid[2], r.config.block[0], r.config.block[1],
                r.config.block[2], r.config.registers_per_thread, r.config.shared_memory_bytes,
                r.config.kineto_occupancy_percent);
        for (const RuntimeRow& r : batch_.runtime)
            add("runtime {} {} {}", r.event, r.correlation, r.external_id);
        for (const RawOperatorRow& r : batch_.operators)
            add("operator {} {} {} {} '{}' '{}' '{}' '{}' '{}' '{}' '{}' '{}'", r.event,
                r.external_id, r.sequence, r.forward_thread, name(r.input_dims),
                name(r.input_types), name(r.input_strides), name(r.concrete_inputs),
                name(r.call_stack), name(r.module_hierarchy), name(r.kernel_gigabytes),
                name(r.kernel_flop));
        for (const PythonRow& r : batch_.python)
            add("python {} {} {} {}", r.event, r.python_id, r.parent_id, r.module_id);
        for (const RawCollectiveRow& r : batch_.collectives)
            add("collective {} '{}' '{}' '{}' '{}' '{}' '{}' '{}' {} {} {}", r.event, name(r.name),
                name(r.dtype), name(r.group_name), name(r.group_ranks), name(r.group_description),
                name(r.in_split), name(r.out_split), r.in_elements, r.out_elements, r.group_size);
        for (const SyncRow& r : batch_.syncs)
            add("sync {} '{}' {} {} {} {} {}", r.event, name(r.kind), r.correlation, r.stream,
                r.wait_on_stream, r.wait_on_event_correlation, r.wait_on_event);
    }

    void marks() {
        for (const MemoryRow& r : batch_.memory)
            add("memory {} {} {} {} {} {} {}", r.event, r.device_type, r.device_id, r.address,
                r.bytes, r.total_allocated, r.total_reserved);
        for (const SampleRow& r : batch_.samples)
            add("sample {} {} '{}' gil {} running {}", r.event, r.samples, name(r.module),
                r.gil_samples, r.running_samples);
        for (const CounterRow& r : batch_.counters)
            add("counter {} '{}' {}", r.event, name(r.series), r.value);
        for (const MetadataRow& r : batch_.metadata)
            add("metadata {} {} '{}' {}", r.event, static_cast<int>(r.fact), name(r.text),
                r.number);
        for (const CategoryMeaning& c : batch_.categories)
            add("category '{}' class {} traits {}", name(c.category),
                static_cast<int>(c.event_class), c.traits);
        for (const auto& [word, count] : batch_.words) add("word '{}' {}", word, count);
        for (const BatchWarning& warning : batch_.warnings)
            add("warning {} @{}", warning.what->code, warning.source);
    }

    const Batch& batch_;
    std::string out_;
};

std::string describe_with(JsonScanner scanner, std::string_view text, bool last) {
    Batch batch;
    const ScanOutcome outcome = scanner.scan(text, batch, last, {});
    scanner.hand_over(batch);
    return Describer(batch).text(outcome);
}

}  // namespace

std::string describe_scan(std::string_view text, bool last) {
    return describe_with(JsonScanner(), text, last);
}

std::string describe_scan_key_by_key(std::string_view text, bool last) {
    return describe_with(JsonScanner(false), text, last);
}

}  // namespace lanescope::testing
