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
constexpr std::size_t kDeepestStack = 512;
// What each needs in the trace and while it is made, about.
constexpr uint64_t kBytesOfEvent = 192;
constexpr uint64_t kBytesOfCall = 128;
constexpr std::string_view kHowToRecord =
    "To record the history, call torch.cuda.memory._record_memory_history() before the code of "
    "interest, and torch.cuda.memory._dump_snapshot() after it";

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

// What an action changes: allocated bytes (requested by the program), and reserved ones.
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

SnapshotReader::SnapshotReader(const ReadJob& job, TraceBuilder& builder, const Pickle& pickle,
                               uint64_t pickle_bytes)
    : job_(job),
      builder_(builder),
      pickle_(pickle),
      memory_(static_cast<SnapshotMemory&>(*job.input.memory)),
      sink_(snapshot_word),
      budget_(pickle_bytes, job.options.memory_bytes) {
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
    add_devices_without_events();
    if (const PickleValue* const notes = pickle_.find(root, "external_annotations"))
        add_annotations(*notes);
    sink_.flush();
    if (!stopped_) return stopped_;
    if (builder_.event_count() == 0) {
        const std::string& path = job_.input.file->path();
        if (pickle_.cut_at())
            return Error{ErrorCode::damaged, *pickle_.cut_at(),
                         fmt::format("{}: the pickle ends early, before any event", path)};
        return Error{ErrorCode::empty, Error::no_offset,
                     fmt::format("{}: the snapshot has no history of allocations, and no memory "
                                 "was in use when it was taken",
                                 path),
                     fmt::format("{}.", kHowToRecord)};
    }
    if (begin_us_ && has_times_)
        builder_.add_metadata("baseTimeNanoseconds", std::to_string(*begin_us_ * kMicrosecond));
    add_settings();
    warn_of_snapshot();
    return {};
}

void SnapshotReader::warn_of_snapshot() {
    if (!has_history_ && !pickle_.cut_at())
        builder_.warn("no_history", Error::no_offset,
                      fmt::format("the snapshot has no history of allocations: only what was in "
                                  "use when it was taken is shown, without times. {}",
                                  kHowToRecord));
    if (has_history_ && !has_times_)
        builder_.warn("no_times", Error::no_offset,
                      "the events of this snapshot have no times: they stand 1 us apart, in their "
                      "order");
    std::vector<std::string> cut;
    for (const auto& [count, what] : {std::pair{budget_.events, "events"},
                                      {budget_.blocks, "blocks"},
                                      {budget_.calls, "calls of stacks"}})
        if (count > 0) cut.push_back(fmt::format("{} {}", format_count(count), what));
    const bool is_short = budget_.events + budget_.blocks > 0;
    if (!cut.empty())
        builder_.warn(
            "too_many_references", Error::no_offset,
            fmt::format("the snapshot refers to the same objects so often that it needs more than "
                        "{} of memory; {} were left out{}",
                        format_bytes(static_cast<int64_t>(budget_.bytes())), fmt::join(cut, ", "),
                        is_short ? ", so that totals are wrong" : ""));
    builder_.warn("untried_writer", Error::no_offset,
                  "the reader of this format was never tried on a file of its writer; check what "
                  "matters");
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

Nanos SnapshotReader::relative(int64_t microseconds) {
    microseconds = std::clamp<int64_t>(microseconds, 0, kMostMicroseconds);
    if (!begin_us_) begin_us_ = microseconds;
    return (microseconds - *begin_us_) * kMicrosecond;
}

// Events within one microsecond keep their order by offsets of one nanosecond.
std::vector<SnapshotReader::Entry> SnapshotReader::entries_of(const PickleValue& trace) {
    std::vector<Entry> entries;
    const std::span<const PickleValue> all = pickle_.items(trace);
    Nanos last = std::numeric_limits<Nanos>::min() / 2;
    int64_t number = 0;
    for (const PickleValue& value : all) {
        if (!budget_.take(kBytesOfEvent)) {
            budget_.events += static_cast<uint64_t>(all.data() + all.size() - &value);
            break;
        }
        if (value.kind != PickleKind::dictionary) continue;
        std::optional<int64_t> at = pickle_.integer_of(value, "time_us");
        if (!at) has_times_ = false;
        Entry& entry = entries.emplace_back();
        entry.time = std::max(relative(at.value_or(number++)), last + 1);
        last = entry.time;
        SnapshotEvent& facts = entry.facts;
        facts.action = word(pickle_.text_of(value, "action"));
        const auto number_of = [&](std::string_view key) {
            return pickle_.integer_of(value, key).value_or(kNoValue);
        };
        const bool is_oom = memory_.words[facts.action] == "oom";
        if (!is_oom) facts.address = pickle_.address_of(value, "addr").value_or(kNoValue);
        facts.device_free = number_of("device_free");
        facts.size = number_of("size");
        facts.stream = number_of("stream");
        if (const PickleValue* const frames = pickle_.find(value, "frames"))
            facts.stack = stack(*frames);
    }
    return entries;
}

void SnapshotReader::read_trace(uint32_t ordinal, const PickleValue& trace) {
    has_history_ = has_history_ || !pickle_.items(trace).empty();
    std::vector<Entry> entries = entries_of(trace);
    if (entries.empty()) return;
    Device* const on = device(ordinal);
    if (!on) {
        budget_.events += entries.size();
        return;
    }
    on->has_events = true;
    add_calls(on->lane, entries);
    add_entries(*on, entries);
}

void SnapshotReader::add_entries(Device& on, std::vector<Entry>& entries) {
    // Computes the state before the first event from the state at the end, because the event ring
    // keeps only the newest events.
    int64_t allocated = on.allocated;
    int64_t reserved = on.reserved;
    for (const Entry& entry : entries) {
        const Change change = change_of(memory_.words[entry.facts.action]);
        const int64_t size = snapshot_bytes(entry.facts.size == kNoValue ? 0 : entry.facts.size);
        allocated -= change.allocated * size;
        reserved -= change.reserved * size;
    }
    add_older_blocks(on, entries, allocated, reserved);
    for (const Entry& entry : entries) {
        if (!stopped_) return;
        const Change change = change_of(memory_.words[entry.facts.action]);
        const int64_t size = snapshot_bytes(entry.facts.size == kNoValue ? 0 : entry.facts.size);
        allocated += change.allocated * size;
        reserved += change.reserved * size;
        if (change.allocated != 0)
            add_memory(on, on.lane, entry.time, entry.facts, change.allocated * size, allocated,
                       reserved);
        else
            add_mark(on, entry);
    }
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
        if (budget_.is_spent()) {
            budget_.calls += std::min(stack_of.size(), kDeepestStack);
            continue;
        }
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
            if (!budget_.take(kBytesOfCall)) {
                budget_.calls += shown.size() - i;
                break;
            }
            // Positions in this order keep outer calls before inner ones.
            open.push_back(
                {shown[i], !has_operator && i + 1 == shown.size(), entry.time, keep(entry.facts)});
        }
        end = entry.time + kMicrosecond;
    }
    close_calls(lane, open, 0, end);
}

void SnapshotReader::add_annotations(const PickleValue& annotations) {
    const std::span<const PickleValue> notes = pickle_.items(annotations);
    std::set<int64_t> on_devices;
    for (const PickleValue& note : notes) {
        if (!budget_.take(kBytesOfEvent)) {
            budget_.events += static_cast<uint64_t>(notes.data() + notes.size() - &note);
            break;
        }
        const std::optional<int64_t> at = pickle_.integer_of(note, "time_us");
        const std::string_view stage = pickle_.text_of(note, "stage");
        const std::string_view name = pickle_.text_of(note, "name");
        if (!at || name.empty() || (stage != "START" && stage != "END")) continue;
        const int64_t on = pickle_.integer_of(note, "device").value_or(0);
        on_devices.insert(on);
        if (on_devices.size() > kMostDevices) {
            on_devices.erase(on);
            ++budget_.events;
            continue;
        }
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
