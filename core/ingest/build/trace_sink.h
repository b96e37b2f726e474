// TraceSink takes a file's content in terms of the recorded programs: processes, devices,
// threads and streams with typed keys, events on their lanes, and facts about events. One for each
// worker; ids are dense, and local to the sink.
//
//     const LocalId process = sink.process("123");
//     const LocalId gpu = sink.device(process, 0);
//     const uint32_t event = sink.slice(sink.stream(gpu, "7"), begin, duration, sink.text("gemm"),
//                                       sink.category(kKernel), source);
//     sink.attach<GpuFacts>(event).correlation = 17;
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "core/base/nanos.h"
#include "core/ingest/build/batch.h"
#include "core/ingest/build/local_names.h"

namespace lanescope {

// A category as a format declares it: the displayed word and its meaning.
struct CategoryWord {
    std::string_view word;
    EventClass event_class = EventClass::other;
    uint8_t traits = 0;  // CategoryTrait
};

class TraceSink {
  public:
    using Take = std::function<void(const Batch&)>;
    // The format's own word for events of a kind, for FileFacts::phases: a constant.
    using KindWord = std::string_view (*)(EventKind);

    explicit TraceSink(KindWord kind_word) : kind_word_(kind_word) {}

    // The receiver of full batches, and of the rest at flush().
    void send_to(Take take) { take_ = std::move(take); }
    void flush();

    // The id of a text. Bytes that are not UTF-8 are repaired.
    LocalId text(std::string_view text);
    std::string_view operator[](LocalId text) const { return names_[text]; }
    LocalId category(const CategoryWord& word);

    LocalId process(std::string_view pid);
    // The lanes of a device that a process used; `program` tells apart the programs that the
    // process executed one after another.
    LocalId device(LocalId process, uint32_t ordinal, uint32_t program = 0);
    LocalId thread(LocalId process, std::string_view tid) {
        return lane(process, tid, LaneRole::thread);
    }
    LocalId stream(LocalId device, std::string_view stream) {
        return lane(device, stream, LaneRole::stream);
    }
    // Waits for the device as a whole.
    LocalId whole_device(LocalId device) { return lane(device, "", LaneRole::device); }
    LocalId samples(LocalId process, std::string_view tid, SampleKind kind) {
        return lane(process, tid,
                    kind == SampleKind::python ? LaneRole::python_samples : LaneRole::cpu_samples);
    }
    // Curves and names of a process or device.
    LocalId curves(LocalId process) { return lane(process, "", LaneRole::process); }
    // The profiler's own work, beside all processes.
    LocalId profiler() { return lane(process(""), "", LaneRole::profiler); }

    // Names for people; `source` is the position in the file.
    void name_process(LocalId process, LocalId text, uint64_t source);
    void name_lane(LocalId lane, LocalId text, uint64_t source);
    // Labels a process or device whose lanes do not show its kind: "TPU 0".
    void label_process(LocalId process, LocalId text, uint64_t source);
    // Set the order of processes and of lanes: lower indices come first.
    void sort_process(LocalId process, int64_t index, uint64_t source);
    void sort_lane(LocalId lane, int64_t index, uint64_t source);

    // Adds an event, whose `source` is replaced by that given; returns its number in the batch,
    // which is valid until the next event. `word`: the format's own word for it.
    uint32_t add(RawEvent event, uint64_t source, std::string_view word);
    uint32_t add(const RawEvent& event, uint64_t source) {
        return add(event, source, kind_word_(event.kind));
    }
    uint32_t slice(LocalId lane, Nanos begin, Nanos duration, LocalId name, LocalId category,
                   uint64_t source);
    uint32_t instant(LocalId lane, Nanos time, LocalId name, LocalId category, uint64_t source);
    void counter(LocalId lane, Nanos time, LocalId name, LocalId series, double value,
                 LocalId category, uint64_t source);
    // Adds the row of facts about the last event: at most one of each set for an event.
    template <template <typename> typename FactSet>
    FactRow<FactSet>& attach(uint32_t event);

    void warn(const WarningText& what, uint32_t event) {
        batch_.warnings.push_back({&what, batch_.events[event].source});
    }

    LocalNames& names() { return names_; }
    // The side rows of the batch, for callers that add rows by event number.
    SideRows& rows() { return batch_; }

  private:
    void add_fact(LocalId lane, LaneFact fact, LocalId text, int64_t number, uint64_t source);
    LocalId lane(LocalId process, std::string_view tid, LaneRole role) {
        return names_.lane({process, names_.text(tid), role});
    }

    KindWord kind_word_;
    Take take_;
    LocalNames names_;
    Batch batch_;
    std::map<std::string_view, uint64_t> count_of_word_;  // of the batch's events
};

template <template <typename> typename FactSet>
FactRow<FactSet>& TraceSink::attach(uint32_t event) {
    FactRow<FactSet>* row = nullptr;
    for_each_table(
        [&]<typename Rows>(Rows& rows) {
            if constexpr (std::is_same_v<typename Rows::value_type, FactRow<FactSet>>)
                row = &rows.emplace_back(event);
        },
        batch_);
    return *row;
}

}  // namespace lanescope
