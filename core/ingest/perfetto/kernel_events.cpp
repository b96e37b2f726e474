// Reads facts about processes, threads and CPUs that do not come from ftrace.
#include <fmt/format.h>

#include <array>

#include "core/ingest/perfetto/pftrace_reader.h"
#include "core/ingest/perfetto/wire.h"

namespace lanescope {

void PftraceReader::read_process_tree(const Packet& packet, std::string_view message) {
    for (WireMessage in(message); in.next();) {
        if (!in.is_bytes() || (in.field() != 1 && in.field() != 2)) continue;
        const bool is_process = in.field() == 1;
        int64_t first = 0, owner = 0;
        std::string name;
        for (WireMessage of(in.bytes()); of.next();) {
            const uint32_t text = is_process ? 3 : 2;
            if (of.field() == 1 && !of.is_bytes()) first = static_cast<int32_t>(of.number());
            if (of.field() == 3 && !of.is_bytes()) owner = static_cast<int32_t>(of.number());
            if (of.field() == text && of.is_bytes() && name.empty()) name = of.bytes();
        }
        const std::string id = pid_text(packet, first);
        if (is_process) {
            tracks_.name_process(id, name, false);
            tracks_.set_process_of(id, id);
        } else {
            tracks_.name_thread(id, name, false);
            tracks_.set_process_of(id, pid_text(packet, owner));
        }
    }
}

void PftraceReader::read_kernel_process_tree(const Packet& packet, std::string_view message) {
    for (WireMessage in(message); in.next();) {
        if (!in.is_bytes() || (in.field() != 1 && in.field() != 2)) continue;
        const bool is_process = in.field() == 1;
        int64_t first = 0, owner = 0;
        std::string_view name;
        for (WireMessage of(in.bytes()); of.next();) {
            if (of.field() == 1 && !of.is_bytes()) first = of.signed_number();
            if (of.field() == 2 && !of.is_bytes()) owner = of.signed_number();
            if (of.field() == 3 && of.is_bytes()) name = of.bytes();
        }
        const std::string id = pid_text(packet, first);
        if (is_process) {
            tracks_.name_process(id, name, false);
        } else {
            tracks_.name_thread(id, name, false);
            tracks_.set_process_of(id, pid_text(packet, owner));
        }
    }
}

void PftraceReader::read_process_stats(const Packet& packet, std::string_view message) {
    struct Value {
        uint32_t field;
        std::string_view series;
        double unit;
    };
    constexpr double kilobyte = 1024;
    constexpr std::array values = {Value{2, "virtual", kilobyte},
                                   Value{3, "resident", kilobyte},
                                   Value{4, "resident, anonymous", kilobyte},
                                   Value{5, "resident, files", kilobyte},
                                   Value{6, "resident, shared", kilobyte},
                                   Value{7, "swapped", kilobyte}};
    const std::optional<Nanos> time = time_of(packet);
    if (!time) return;
    for (WireMessage in(message); in.next();) {
        if (in.field() != 1 || !in.is_bytes()) continue;
        std::string pid;
        for (WireMessage of(in.bytes()); of.next();)
            if (of.field() == 1 && !of.is_bytes())
                pid = pid_text(packet, static_cast<int32_t>(of.number()));
        const uint32_t track = tracks_.of_process(pid);
        for (WireMessage of(in.bytes()); of.next();)
            for (const Value& value : values)
                if (value.field == of.field() && !of.is_bytes())
                    named_points_.push_back(
                        {kNoLocalId, track, sink_.text("memory (bytes)"), sink_.text(value.series),
                         *time, static_cast<double>(of.number()) * value.unit, packet.source});
    }
}

void PftraceReader::read_task_state(const Packet& packet, std::string_view message) {
    uint64_t cpu = 0, state = 0;
    int64_t tid = 0;
    std::string_view name;
    for (WireMessage in(message); in.next();) {
        if (in.field() == 1 && !in.is_bytes()) cpu = in.number();
        if (in.field() == 2 && in.is_bytes()) name = in.bytes();
        if (in.field() == 3 && !in.is_bytes()) tid = in.signed_number();
        if (in.field() == 4 && !in.is_bytes()) state = in.number();
    }
    constexpr std::array states = {
        TaskState::unknown, TaskState::created,  TaskState::runnable,
        TaskState::running, TaskState::sleeping, TaskState::uninterruptible,
        TaskState::stopped, TaskState::dead,     TaskState::destroyed};
    const std::optional<Nanos> time = time_of(packet);
    if (!time) return;
    tracks_.name_thread(pid_text(packet, tid), name, false);
    sched_.add_state(static_cast<uint32_t>(cpu), *time, tid,
                     state < states.size() ? states[state] : TaskState::unknown, packet.source);
}

void PftraceReader::read_task_rename(const Packet& packet, std::string_view message) {
    int64_t tid = 0;
    std::string_view name;
    for (WireMessage in(message); in.next();) {
        if (in.field() == 1 && !in.is_bytes()) tid = in.signed_number();
        if (in.field() == 2 && in.is_bytes()) name = in.bytes();
    }
    tracks_.name_thread(pid_text(packet, tid), name);
}

void PftraceReader::read_cpu_frequency(const Packet& packet, std::string_view message) {
    uint64_t cpu = 0;
    double hertz = 0;
    for (WireMessage in(message); in.next();) {
        if (in.field() == 1 && !in.is_bytes()) cpu = in.number();
        if (in.field() == 2 && !in.is_bytes()) hertz = static_cast<double>(in.signed_number());
    }
    if (const std::optional<Nanos> time = time_of(packet))
        named_points_.push_back(
            {kNoLocalId, tracks_.of_cpu(static_cast<uint32_t>(cpu)), sink_.text("frequency (kHz)"),
             sink_.text(fmt::format("CPU {}", cpu)), *time, hertz / 1000, packet.source});
}

}  // namespace lanescope
