#include "core/ingest/memory_snapshot/snapshot_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <set>

#include "core/base/format.h"
#include "core/base/utf8.h"

namespace lanescope {

namespace {

constexpr CategoryWord kSnapshotEvent = {"cpu_instant_event"};
constexpr CategoryWord kSnapshotFailure = {"out_of_memory", EventClass::other};
constexpr CategoryWord kSnapshotPython = {"python_function", EventClass::python};
constexpr CategoryWord kSnapshotOperator = {"cpu_op", EventClass::op};
constexpr CategoryWord kSnapshotAnnotation = {"user_annotation", EventClass::annotation};
constexpr int32_t kCudaDevice = 1;  // device type in PyTorch
constexpr Nanos kMicrosecond = 1000;
constexpr int64_t kMostMicroseconds = std::numeric_limits<int64_t>::max() / 4000;
constexpr int64_t kMostMemory = int64_t{1} << 52;
constexpr std::size_t kDeepestStack = 512;

std::string_view snapshot_word(EventKind kind) {
    switch (kind) {
        case EventKind::slice:
            return "frame";
        case EventKind::begin:
        case EventKind::end:
            return "annotation";
        default:
            return "entry";
    }
}

int64_t bounded(int64_t bytes) {
    return std::clamp<int64_t>(bytes, 0, kMostMemory);
}

// The sign by which an action changes allocated bytes (as the program requested) and reserved
// bytes.
struct Change {
    int allocated = 0;
    int reserved = 0;
};
Change change_of(std::string_view action) {
    if (action == "alloc") return {1, 0};
    if (action == "free_completed" || action == "free") return {-1, 0};
    if (action == "segment_alloc" || action == "segment_map") return {0, 1};
    if (action == "segment_free" || action == "segment_unmap") return {0, -1};
    return {};
}

}  // namespace

SnapshotReader::SnapshotReader(const ReadJob& job, TraceBuilder& builder, const Pickle& pickle)
    : job_(job),
      builder_(builder),
      pickle_(pickle),
      memory_(static_cast<SnapshotMemory&>(*job.input.memory)),
      sink_(snapshot_word) {
    sink_.send_to([this](const Batch& batch) {
        if (stopped_) stopped_ = take_batch(job_, builder_, batch);
    });
    memory_.stacks.emplace_back();
}

Result<void> SnapshotReader::run() {
    const PickleValue& root = pickle_.root();
    const PickleValue* const traces = pickle_.find(root, "device_traces");
    const PickleValue* const segments = pickle_.find(root, "segments");
    if (!traces && !segments)
        return Error{ErrorCode::unsupported, 0,
                     fmt::format("{}: is a pickle of Python, but no snapshot of PyTorch's memory "
                                 "(torch.cuda.memory._dump_snapshot())",
                                 job_.input.file->path())};
    process_ = sink_.process("PyTorch");
    if (segments) read_segments(*segments);
    if (traces) {
        uint32_t ordinal = 0;
        for (const PickleValue& trace : pickle_.items(*traces)) {
            if (!stopped_) break;
            read_trace(ordinal++, trace);
        }
    }
    if (const PickleValue* const notes = pickle_.find(root, "external_annotations"))
        add_annotations(*notes);
    sink_.flush();
    if (!stopped_) return stopped_;
    if (begin_us_ && has_times_)
        builder_.add_metadata("baseTimeNanoseconds", std::to_string(*begin_us_ * kMicrosecond));
    add_settings();
    if (!has_times_)
        builder_.warn("no_times", Error::no_offset,
                      "the events of this snapshot have no times: they stand 1 us apart, in their "
                      "order");
    builder_.warn("untried_writer", Error::no_offset,
                  "the reader of this format was never tried on a file of its writer; check what "
                  "matters");
    return {};
}

void SnapshotReader::add_settings() {
    const auto items = pickle_.items_of(pickle_.root(), "allocator_settings");
    for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
        const std::string_view name = Pickle::text(items[i]);
        const std::optional<int64_t> number = Pickle::integer(items[i + 1]);
        if (!name.empty())
            builder_.add_metadata(
                fmt::format("allocator_settings.{}", name),
                number ? std::to_string(*number)
                       : nlohmann::json(repair_bytes(Pickle::text(items[i + 1]))).dump());
    }
}

SnapshotReader::Device& SnapshotReader::device(int64_t ordinal) {
    const auto [found, is_new] = devices_.try_emplace(ordinal);
    if (is_new) {
        found->second.ordinal = static_cast<int32_t>(std::clamp<int64_t>(ordinal, -1, 1 << 20));
        found->second.lane = sink_.thread(process_, fmt::format("GPU {}", ordinal));
        found->second.older =
            sink_.thread(process_, fmt::format("GPU {} before the first event", ordinal));
    }
    return found->second;
}

void SnapshotReader::read_segments(const PickleValue& segments) {
    for (const PickleValue& segment : pickle_.items(segments)) {
        Device& on = device(pickle_.integer_of(segment, "device").value_or(0));
        on.reserved += bounded(pickle_.integer_of(segment, "total_size").value_or(0));
        const std::optional<int64_t> requested = pickle_.integer_of(segment, "requested_size");
        on.allocated += bounded(requested ? *requested
                                          : pickle_.integer_of(segment, "active_size").value_or(0));
        int64_t next = pickle_.integer_of(segment, "address").value_or(0);
        for (const PickleValue& block : pickle_.items_of(segment, "blocks")) {
            const int64_t size = bounded(pickle_.integer_of(block, "size").value_or(0));
            const int64_t address = pickle_.integer_of(block, "address").value_or(next);
            next = address < std::numeric_limits<int64_t>::max() - size ? address + size : address;
            if (!pickle_.text_of(block, "state").starts_with("active")) continue;
            const PickleValue* frames = pickle_.find(block, "frames");
            // Older snapshots store the block's last stack in its history.
            const auto history = pickle_.items_of(block, "history");
            if (!frames && !history.empty()) frames = pickle_.find(history.front(), "frames");
            const int64_t asked = pickle_.integer_of(block, "requested_size").value_or(size);
            on.used.push_back({address, bounded(asked), frames ? stack(*frames) : 0, true});
        }
    }
}

Nanos SnapshotReader::relative(int64_t microseconds) {
    microseconds = std::clamp<int64_t>(microseconds, 0, kMostMicroseconds);
    if (!begin_us_) begin_us_ = microseconds;
    return (microseconds - *begin_us_) * kMicrosecond;
}

// Events within one microsecond keep their order by offsets of one nanosecond.
std::vector<SnapshotReader::Entry> SnapshotReader::entries_of(const PickleValue& trace) {
    std::vector<Entry> entries;
    const std::span<const PickleValue> all = pickle_.items(trace);
    entries.reserve(all.size());
    Nanos last = std::numeric_limits<Nanos>::min() / 2;
    int64_t number = 0;
    for (const PickleValue& value : all) {
        if (value.kind != PickleKind::dictionary) continue;
        std::optional<int64_t> at = pickle_.integer_of(value, "time_us");
        if (!at) has_times_ = false;
        Entry& entry = entries.emplace_back();
        entry.value = &value;
        entry.time = std::max(relative(at.value_or(number++)), last + 1);
        last = entry.time;
        SnapshotEvent& facts = entry.facts;
        facts.action = word(pickle_.text_of(value, "action"));
        const auto number_of = [&](std::string_view key) {
            return pickle_.integer_of(value, key).value_or(kNoValue);
        };
        const bool is_oom = memory_.words[facts.action] == "oom";
        facts.address = is_oom ? kNoValue : number_of("addr");
        facts.device_free = number_of("device_free");
        facts.size = number_of("size");
        facts.stream = number_of("stream");
        if (const PickleValue* const frames = pickle_.find(value, "frames"))
            facts.stack = stack(*frames);
    }
    return entries;
}

void SnapshotReader::read_trace(uint32_t ordinal, const PickleValue& trace) {
    std::vector<Entry> entries = entries_of(trace);
    if (entries.empty()) return;
    Device& on = device(ordinal);
    add_calls(on.lane, entries);
    add_entries(on, entries);
}

void SnapshotReader::add_entries(Device& on, std::vector<Entry>& entries) {
    // Computes the state before the first event from the state at the end, because the event ring
    // keeps only the newest events.
    int64_t allocated = on.allocated;
    int64_t reserved = on.reserved;
    for (const Entry& entry : entries) {
        const Change change = change_of(memory_.words[entry.facts.action]);
        const int64_t size = bounded(entry.facts.size == kNoValue ? 0 : entry.facts.size);
        allocated -= change.allocated * size;
        reserved -= change.reserved * size;
    }
    add_older_blocks(on, entries, allocated, reserved);
    for (const Entry& entry : entries) {
        if (!stopped_) return;
        const Change change = change_of(memory_.words[entry.facts.action]);
        const int64_t size = bounded(entry.facts.size == kNoValue ? 0 : entry.facts.size);
        allocated += change.allocated * size;
        reserved += change.reserved * size;
        if (change.allocated != 0)
            add_memory(on, on.lane, entry.time, entry.facts, change.allocated * size, allocated,
                       reserved);
        else
            add_mark(on, entry);
    }
}

// Adds blocks that were allocated before the first event and are still in use at the end, one
// nanosecond apart.
void SnapshotReader::add_older_blocks(const Device& on, const std::vector<Entry>& entries,
                                      int64_t allocated, int64_t reserved) {
    std::set<int64_t> in_events;
    for (const Entry& entry : entries)
        if (memory_.words[entry.facts.action] == "alloc") in_events.insert(entry.facts.address);
    std::vector<Entry> older;
    for (const Block& block : on.used) {
        if (in_events.contains(block.address)) continue;
        SnapshotEvent& facts = older.emplace_back().facts;
        facts.action = word("allocated before the first event");
        facts.address = block.address;
        facts.size = block.size;
        facts.stack = block.stack;
    }
    for (std::size_t i = 0; i < older.size(); ++i)
        older[i].time = entries.front().time - static_cast<Nanos>(older.size() - i);
    add_calls(on.older, older);
    for (const Entry& entry : older)
        add_memory(on, on.older, entry.time, entry.facts, entry.facts.size, allocated, reserved);
}

uint64_t SnapshotReader::keep(const SnapshotEvent& facts) {
    memory_.events.push_back(facts);
    return memory_.events.size() - 1;
}

void SnapshotReader::add_memory(const Device& on, LocalId lane, Nanos time,
                                const SnapshotEvent& facts, int64_t bytes, int64_t allocated,
                                int64_t reserved) {
    const uint32_t event = sink_.instant(lane, time, sink_.text("[memory]"),
                                         sink_.category(kSnapshotEvent), keep(facts));
    auto& row = sink_.attach<MemoryFacts>(event);
    row.address = facts.address;
    row.bytes = bytes;
    row.total_allocated = allocated;
    row.total_reserved = reserved;
    row.device_type = kCudaDevice;
    row.device_id = on.ordinal;
}

void SnapshotReader::add_mark(const Device& on, const Entry& entry) {
    const std::string& action = memory_.words[entry.facts.action];
    if (action == "free_requested") return;  // free_completed follows
    if (action != "oom") {
        sink_.instant(on.lane, entry.time, sink_.text(action), sink_.category(kSnapshotEvent),
                      keep(entry.facts));
        return;
    }
    // A slice can be found and selected. Its duration of 1 ns fits into its stack.
    const std::string name =
        fmt::format("out of memory: {} requested, {} free",
                    format_bytes(std::max<int64_t>(entry.facts.size, 0)),
                    format_bytes(std::max<int64_t>(entry.facts.device_free, 0)));
    sink_.slice(on.lane, entry.time, 1, sink_.text(name), sink_.category(kSnapshotFailure),
                keep(entry.facts));
}

void SnapshotReader::close_calls(LocalId lane, std::vector<Call>& open, std::size_t kept,
                                 Nanos end) {
    for (std::size_t i = kept; i < open.size(); ++i) {
        const Call& call = open[i];
        // In a stack without a PyTorch operator, the innermost function counts as the operator.
        const bool is_operator = is_operator_[call.function] || call.is_innermost;
        sink_.slice(lane, call.begin, std::max<Nanos>(end - call.begin, 1),
                    sink_.text(memory_.functions[call.function]),
                    sink_.category(is_operator ? kSnapshotOperator : kSnapshotPython), call.source);
    }
    open.resize(std::min(kept, open.size()));
}

// Turns functions that the stacks of consecutive events share into slices. A function is known to
// run only at the events, so its slice ends one microsecond after its last event.
void SnapshotReader::add_calls(LocalId lane, std::span<const Entry> entries) {
    std::vector<Call> open;
    Nanos end = 0;
    std::vector<uint32_t> shown;
    for (const Entry& entry : entries) {
        if (!stopped_) return;
        shown.clear();
        bool has_operator = false;
        const std::vector<uint32_t>& stack_of = memory_.stacks[entry.facts.stack];
        for (auto at = stack_of.rbegin(); at != stack_of.rend(); ++at) {
            if (shown.size() >= kDeepestStack) break;
            shown.push_back(*at);
            has_operator = has_operator || is_operator_[*at];
        }
        std::size_t same = 0;
        while (same < shown.size() && same < open.size() && open[same].function == shown[same])
            ++same;
        // A slice is either an operator for its whole duration or not at all.
        if (same > 0 && same == shown.size() && same < open.size()) --same;
        if (same > 0 && open[same - 1].is_innermost && same < shown.size()) --same;
        close_calls(lane, open, same, std::min(end, entry.time));
        while (open.size() < shown.size()) {
            const std::size_t i = open.size();
            // Increasing positions keep outer calls before inner calls.
            open.push_back(
                {shown[i], !has_operator && i + 1 == shown.size(), entry.time, keep(entry.facts)});
        }
        end = entry.time + kMicrosecond;
    }
    close_calls(lane, open, 0, end);
}

void SnapshotReader::add_annotations(const PickleValue& annotations) {
    for (const PickleValue& note : pickle_.items(annotations)) {
        const std::optional<int64_t> at = pickle_.integer_of(note, "time_us");
        const std::string_view stage = pickle_.text_of(note, "stage");
        const std::string_view name = pickle_.text_of(note, "name");
        if (!at || name.empty() || (stage != "START" && stage != "END")) continue;
        const int64_t on = pickle_.integer_of(note, "device").value_or(0);
        const LocalId lane = sink_.thread(process_, fmt::format("Annotations of GPU {}", on));
        SnapshotEvent facts;
        facts.action = word(stage);
        RawEvent event;
        event.time = relative(*at);
        event.name = sink_.text(name);
        event.category = sink_.category(kSnapshotAnnotation);
        event.lane = lane;
        event.kind = stage == "START" ? EventKind::begin : EventKind::end;
        event.flags = kHasTime;
        sink_.add(event, keep(facts));
    }
}

}  // namespace lanescope
