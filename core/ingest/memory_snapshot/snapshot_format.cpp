#include "core/ingest/memory_snapshot/snapshot_format.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>

#include "core/base/utf8.h"
#include "core/ingest/format.h"
#include "core/ingest/memory_snapshot/pickle.h"
#include "core/ingest/memory_snapshot/snapshot_memory.h"
#include "core/ingest/memory_snapshot/snapshot_reader.h"
#include "core/source/forward_text.h"

namespace lanescope {

namespace {

using namespace std::string_view_literals;

constexpr std::size_t kPickleRead = std::size_t{4} << 20;

// Pickles of protocols 2 to 5.
bool begins_as_pickle(std::string_view start) {
    return start.size() > 2 && start[0] == '\x80' && start[1] >= 2 && start[1] <= 5;
}

class SnapshotArguments final : public ArgumentReader {
  public:
    explicit SnapshotArguments(const TraceInput& input)
        : memory_(std::static_pointer_cast<const SnapshotMemory>(input.memory)) {}
    Result<std::vector<Argument>> read(uint64_t source) override {
        return memory_->arguments(source);
    }

  private:
    std::shared_ptr<const SnapshotMemory> memory_;
};

class SnapshotFormat final : public Format {
  public:
    FormatText text() const override {
        return {"PyTorch memory snapshot",
                "snapshots of PyTorch's memory allocator (torch.cuda.memory._dump_snapshot())",
                "memory_snapshot.md",
                {},
                true};
    }

    Recognised recognise(const Probe& probe) const override {
        if (!begins_as_pickle(probe.start)) return {};
        const auto has = [&](std::string_view word) {
            return probe.start.find(word) != probe.start.npos;
        };
        if (has("segments"sv) || has("device_traces"sv)) return {90};
        return {0, "a pickle of Python that is no snapshot of memory", "it is not executed"};
    }

    bool has_byte_positions() const override { return false; }

    std::shared_ptr<FormatMemory> make_memory() const override {
        return std::make_shared<SnapshotMemory>();
    }

    Result<void> read(const ReadJob& job, TraceBuilder& builder) const override {
        const Result<std::string> bytes = whole_file(job, builder);
        if (!bytes) return bytes.error();
        const Result<Pickle> pickle = Pickle::decode(*bytes, memory_left(job, bytes->size()));
        if (!pickle)
            return Error{pickle.error().code, pickle.error().byte_offset,
                         fmt::format("{}: {}", job.input.file->path(), pickle.error().text)};
        if (pickle->cut_at())
            builder.warn("truncated_file", Error::no_offset,
                         fmt::format("the pickle ends early, at byte {}; everything before it was "
                                     "read, but totals are anchored at an end that is missing",
                                     *pickle->cut_at()));
        return SnapshotReader(job, builder, *pickle, bytes->size()).run();
    }

    void describe(Trace& trace) const override {
        trace.facts.format = "pytorch-memory-snapshot";
        trace.facts.producer = "PyTorch";
        trace.facts.calls_have_times = false;
        for (const auto& [name, value] : trace.metadata)
            if (name == "baseTimeNanoseconds")
                std::from_chars(value.data(), value.data() + value.size(), trace.base_unix_nanos);
    }

    std::unique_ptr<ArgumentReader> open_arguments(const TraceInput& input) const override {
        return std::make_unique<SnapshotArguments>(input);
    }
    std::unique_ptr<ArgumentScan> open_argument_scan(const TraceInput& input) const override {
        return scan_by_reader(std::make_unique<SnapshotArguments>(input), input.file->size());
    }

  private:
    // 0: there is no limit.
    static uint64_t memory_left(const ReadJob& job, uint64_t used) {
        const uint64_t limit = job.options.memory_bytes;
        return limit == 0 ? 0 : limit - std::min(limit - 1, used);
    }

    static Result<std::string> whole_file(const ReadJob& job, TraceBuilder& builder) {
        const std::unique_ptr<Decompressor> text =
            read_in_order(job.input.file, job.input.compression);
        std::string bytes;
        for (;;) {
            if (job.is_cancelled()) return cancelled(job.input);
            // The decoded pickle takes about three times as much.
            if (job.options.memory_bytes > 0 && 4 * bytes.size() > job.options.memory_bytes)
                return Error{
                    ErrorCode::no_memory, Error::no_offset,
                    fmt::format("{}: needs more than the {} MB of memory that are allowed",
                                job.input.file->path(), job.options.memory_bytes / 1'000'000)};
            const std::size_t before = bytes.size();
            bytes.resize(before + kPickleRead);
            const Result<std::size_t> got = text->read(bytes.data() + before, kPickleRead);
            if (!got) return got.error();
            bytes.resize(before + *got);
            if (job.options.progress) job.options.progress->bytes_done = text->file_bytes_done();
            if (*got < kPickleRead) break;
        }
        if (const TextEnd end = text->end(); end.truncated)
            builder.warn("truncated_file", Error::no_offset,
                         end.reason + "; everything before it was read");
        return bytes;
    }
};

}  // namespace

std::vector<Argument> SnapshotMemory::arguments(uint64_t source) const {
    std::vector<Argument> list;
    if (source >= events.size()) return list;
    const SnapshotEvent& event = events[source];
    list.push_back({"action", repair_bytes(words[event.action]), true});
    const auto add = [&](const char* name, int64_t value) {
        if (value != kNoValue) list.push_back({name, std::to_string(value), false});
    };
    if (event.address != kNoValue)
        list.push_back(
            {"address", fmt::format("{:#x}", static_cast<uint64_t>(event.address)), true});
    add("bytes", event.size);
    add("stream", event.stream);
    add("free on device", event.device_free);
    std::string stack;
    for (const uint32_t function : stacks[event.stack]) {
        if (!stack.empty()) stack += ';';
        stack += functions[function];
    }
    if (!stack.empty()) list.push_back({"call stack", repair_bytes(stack), true});
    return list;
}

const Format& snapshot_format() {
    static const SnapshotFormat format;
    return format;
}

}  // namespace lanescope
