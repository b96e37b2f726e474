// Reads ftrace events: scheduling, atrace marks, frequencies, names.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>

#include "core/ingest/json/json_number.h"
#include "core/ingest/perfetto/ftrace_clock.h"
#include "core/ingest/perfetto/pftrace_reader.h"
#include "core/ingest/perfetto/wire.h"

namespace lanescope {

namespace {

namespace ftrace {
constexpr uint32_t kPrint = 3;
constexpr uint32_t kSwitch = 4;
constexpr uint32_t kCpuFrequency = 11;
constexpr uint32_t kCpuLimits = 12;
constexpr uint32_t kCpuIdle = 13;
constexpr uint32_t kClockRate = 16;
constexpr uint32_t kWakeup = 17;
constexpr uint32_t kBlockedReason = 18;
constexpr uint32_t kWaking = 20;
constexpr uint32_t kSoftirqEntry = 24;
constexpr uint32_t kSoftirqExit = 25;
constexpr uint32_t kIrqEntry = 36;
constexpr uint32_t kIrqExit = 37;
constexpr uint32_t kWakeupNew = 114;
constexpr uint32_t kNewTask = 235;
constexpr uint32_t kRename = 236;
constexpr uint32_t kProcessExit = 238;
constexpr uint32_t kProcessFree = 240;
constexpr uint32_t kGpuFrequency = 332;
constexpr uint32_t kGpuMemory = 340;
constexpr uint32_t kTemperature = 341;
constexpr uint32_t kCpuUtil = 421;
constexpr uint32_t kFunctionEntry = 437;
constexpr uint32_t kFunctionExit = 438;
constexpr uint32_t kKgslFrequency = 509;
}  // namespace ftrace

// Field numbers of marks that drivers write in the style of atrace; 0: no such field.
struct MarkFields {
    uint32_t event;
    uint32_t pid, name, other_name, begins, type, value;
};
constexpr std::array kMarks = {
    MarkFields{80, 1, 2, 0, 3, 0, 0},  MarkFields{333, 1, 2, 0, 5, 3, 4},
    MarkFields{348, 1, 4, 2, 3, 5, 6}, MarkFields{349, 2, 3, 1, 0, 4, 5},
    MarkFields{350, 2, 1, 0, 0, 3, 4}, MarkFields{467, 2, 1, 0, 0, 3, 4},
    MarkFields{484, 1, 2, 0, 3, 4, 5},
};

// Numbers and texts of an event's first fields.
struct EventFields {
    static constexpr uint32_t kMost = 24;
    std::array<uint64_t, kMost> number = {};
    std::array<std::string_view, kMost> text = {};

    explicit EventFields(std::string_view message) {
        for (WireMessage in(message); in.next();) {
            if (in.field() >= kMost) continue;
            if (in.is_bytes())
                text[in.field()] = in.bytes();
            else
                number[in.field()] = in.number();
        }
    }
    int64_t integer(uint32_t field) const { return static_cast<int32_t>(number[field]); }
    double value(uint32_t field) const { return static_cast<double>(number[field]); }
};

std::string_view next_part(std::string_view& text) {
    const std::size_t bar = text.find('|');
    const std::string_view part = text.substr(0, bar);
    text.remove_prefix(bar == std::string_view::npos ? text.size() : bar + 1);
    return part;
}

}  // namespace

void PftraceReader::read_ftrace(const Packet& packet, std::string_view message, uint64_t position) {
    uint32_t cpu = 0;
    FtraceClock clock{packet.sequence, 0, 0, 0};
    for (WireMessage in(message); in.next();) {
        if (in.is_bytes()) continue;
        if (in.field() == 1) cpu = static_cast<uint32_t>(in.number());
        if (in.field() == 3 && in.number() != 0 && counts_.lost++ == 0)
            counts_.lost_at = packet.source;
        if (in.field() == 5) clock.kind = in.number();
        if (in.field() == 6) clock.own_time = in.signed_number();
        if (in.field() == 7) clock.boot_time = in.signed_number();
    }
    WireMessage in(message);
    for (const char* at = in.at(); in.next(); at = in.at()) {
        if (!in.is_bytes()) continue;
        const uint64_t source = position + static_cast<uint64_t>(at - message.data());
        if (in.field() == 2) read_ftrace_event(packet, cpu, in.bytes(), source, clock);
        if (in.field() == 4) read_compact_sched(packet, cpu, in.bytes(), clock);
    }
}

Nanos PftraceReader::ftrace_time(const FtraceClock& clock, uint64_t reading) {
    constexpr uint64_t global = 2, local = 3, raw = 4;
    Nanos time = 0;
    if (clock.kind == raw) {
        time = time_on(kRawMonotonicClock, clock.sequence, reading);
    } else {
        uint64_t boot = reading;
        if ((clock.kind == global || clock.kind == local) && clock.boot_time != 0)
            boot += static_cast<uint64_t>(clock.boot_time) - static_cast<uint64_t>(clock.own_time);
        time = time_on(kBootTimeClock, clock.sequence, boot);
    }
    last_time_ = std::max(last_time_, time);
    return time;
}

void PftraceReader::read_ftrace_event(const Packet& packet, uint32_t cpu, std::string_view message,
                                      uint64_t source, const FtraceClock& clock) {
    uint64_t reading = 0;
    int64_t tid = 0;
    for (WireMessage in(message); in.next();) {
        if (in.is_bytes()) continue;
        if (in.field() == 1) reading = in.number();
        if (in.field() == 2) tid = static_cast<int32_t>(in.number());
    }
    const Nanos time = ftrace_time(clock, reading);
    for (WireMessage in(message); in.next();)
        if (in.is_bytes())
            read_ftrace_payload(packet, cpu, time, tid, in.field(), in.bytes(), source);
}

void PftraceReader::add_cpu_point(uint32_t cpu, std::string_view name, Nanos time, double value,
                                  uint64_t source) {
    named_points_.push_back({kNoLocalId, tracks_.of_cpu(cpu), sink_.text(name),
                             sink_.text(fmt::format("CPU {}", cpu)), time, value, source});
}

void PftraceReader::add_cpu_slice(uint32_t cpu, StoredKind kind, Nanos time, std::string_view name,
                                  uint64_t source) {
    const uint32_t track = tracks_.interrupts_of(cpu);
    store_.add({time, source, track, sink_.text(name),
                sink_.category({"irq", EventClass::other, 0}), kind, false});
}

// Reads frequencies, temperatures and other values. False: the event is of another kind.
bool PftraceReader::read_ftrace_value(uint32_t cpu, Nanos time, uint32_t field,
                                      std::string_view message, uint64_t source) {
    const EventFields event(message);
    const auto number_of = [&](uint32_t at) { return static_cast<uint32_t>(event.number[at]); };
    const auto add = [&](std::string_view name, std::string_view series, double value) {
        named_points_.push_back({kNoLocalId, tracks_.of_cpu(cpu), sink_.text(name),
                                 sink_.text(series), time, value, source});
    };
    switch (field) {
        case ftrace::kCpuFrequency:
            add_cpu_point(number_of(2), "frequency (kHz)", time, event.value(1), source);
            return true;
        case ftrace::kCpuLimits:
            add_cpu_point(number_of(3), "lowest frequency allowed (kHz)", time, event.value(1),
                          source);
            add_cpu_point(number_of(3), "highest frequency allowed (kHz)", time, event.value(2),
                          source);
            return true;
        case ftrace::kCpuIdle: {
            constexpr double left = 4294967295;  // the CPU leaves the idle state
            const double state = event.value(1);
            add_cpu_point(number_of(2), "idle state", time, state == left ? 0 : state + 1, source);
            return true;
        }
        case ftrace::kCpuUtil:
            add_cpu_point(number_of(4), "utilisation", time, event.value(6), source);
            add_cpu_point(number_of(4), "capacity", time, event.value(2), source);
            add_cpu_point(number_of(4), "running threads", time, event.value(11), source);
            return true;
        case ftrace::kGpuFrequency:
        case ftrace::kKgslFrequency: {
            const bool is_kgsl = field == ftrace::kKgslFrequency;
            add_point(tracks_.device(number_of(is_kgsl ? 2 : 1)), "GPU frequency (kHz)", "", time,
                      event.value(is_kgsl ? 1 : 2), source);
            return true;
        }
        case ftrace::kGpuMemory:
            add_point(tracks_.device(number_of(1)), "GPU memory",
                      event.number[2] == 0 ? "" : fmt::format("process {}", event.number[2]), time,
                      event.value(3), source);
            return true;
        case ftrace::kClockRate:
            add(event.text[1], "", event.value(2));
            return true;
        case ftrace::kTemperature:
            add("temperature (m°C)", event.text[4], static_cast<double>(event.integer(2)));
            return true;
        default:
            return false;
    }
}

void PftraceReader::read_ftrace_payload(const Packet& packet, uint32_t cpu, Nanos time, int64_t tid,
                                        uint32_t field, std::string_view message, uint64_t source) {
    const EventFields event(message);
    switch (field) {
        case ftrace::kPrint:
            return add_print(packet, tid, time, event.text[2], source);
        case ftrace::kSwitch:
            tracks_.name_thread(pid_text(packet, event.integer(2)), event.text[1], false);
            tracks_.name_thread(pid_text(packet, event.integer(6)), event.text[5], false);
            return sched_.add_switch(cpu, time, event.integer(2),
                                     state_of_switch(static_cast<int64_t>(event.number[4])),
                                     event.integer(6), source);
        case ftrace::kWakeup:
        case ftrace::kWaking:
        case ftrace::kWakeupNew:
            return sched_.add_wakeup(time, event.integer(2), source);
        case ftrace::kIrqEntry:
            return add_cpu_slice(cpu, StoredKind::begin, time, fmt::format("IRQ {}", event.text[2]),
                                 source);
        case ftrace::kSoftirqEntry:
            return add_cpu_slice(cpu, StoredKind::begin, time,
                                 fmt::format("soft IRQ {}", event.number[1]), source);
        case ftrace::kIrqExit:
        case ftrace::kSoftirqExit:
            return add_cpu_slice(cpu, StoredKind::end, time, "", source);
        case ftrace::kNewTask:
            return tracks_.name_thread(pid_text(packet, event.integer(1)), event.text[2], false);
        case ftrace::kRename:
            return tracks_.name_thread(pid_text(packet, event.integer(1)), event.text[3]);
        case ftrace::kFunctionEntry:
        case ftrace::kFunctionExit: {
            const bool begins = field == ftrace::kFunctionEntry;
            const std::string name =
                begins ? fmt::format("kernel function {:#x}", event.number[2]) : "";
            store_.add({time, source, kernel_thread(packet, tid), sink_.text(name),
                        sink_.category({"kernel_function", EventClass::other, 0}),
                        begins ? StoredKind::begin : StoredKind::end, false});
            return;
        }
        case ftrace::kBlockedReason:
        case ftrace::kProcessExit:
        case ftrace::kProcessFree:
            return;
        default:
            break;
    }
    if (read_ftrace_value(cpu, time, field, message, source)) return;
    const auto* mark = std::ranges::find(kMarks, field, &MarkFields::event);
    if (mark == kMarks.end()) return count_unread(field, source, true);
    const auto number = [&](uint32_t at) { return at == 0 ? uint64_t{0} : event.number[at]; };
    const std::string_view name = event.text[mark->name].empty() && mark->other_name
                                      ? event.text[mark->other_name]
                                      : event.text[mark->name];
    char type = static_cast<char>(number(mark->type));
    if (type == 0) type = number(mark->begins) ? 'B' : 'E';
    add_mark(packet, tid, time, type, static_cast<int32_t>(number(mark->pid)), name,
             static_cast<int32_t>(number(mark->value)), source);
}

uint32_t PftraceReader::kernel_thread(const Packet& packet, int64_t tid) {
    const std::string text = pid_text(packet, tid);
    return tracks_.of_thread(tracks_.process_of(text), text);
}

void PftraceReader::read_compact_sched(const Packet& packet, uint32_t cpu, std::string_view message,
                                       const FtraceClock& clock) {
    std::array<std::vector<uint64_t>, 13> columns;
    std::vector<std::string_view> names;
    for (WireMessage in(message); in.next();) {
        if (in.field() == 5 && in.is_bytes())
            names.push_back(in.bytes());
        else if (in.field() < columns.size())
            in.each_number([&](uint64_t number) { columns[in.field()].push_back(number); });
    }
    uint64_t reading = 0;
    int64_t running = -1;
    const std::size_t switches =
        std::min({columns[1].size(), columns[2].size(), columns[3].size()});
    for (std::size_t i = 0; i < switches; ++i) {
        reading += columns[1][i];
        const auto next = static_cast<int32_t>(columns[3][i]);
        if (i < columns[6].size() && columns[6][i] < names.size())
            tracks_.name_thread(pid_text(packet, next), names[columns[6][i]], false);
        sched_.add_compact_switch(cpu, ftrace_time(clock, reading), running,
                                  state_of_switch(static_cast<int64_t>(columns[2][i])), next,
                                  packet.source);
        running = next;
    }
    reading = 0;
    for (std::size_t i = 0; i < std::min(columns[7].size(), columns[8].size()); ++i) {
        reading += columns[7][i];
        sched_.add_wakeup(ftrace_time(clock, reading), static_cast<int32_t>(columns[8][i]),
                          packet.source);
    }
}

// Parses atrace marks: "B|process|name", "E|process", "C|process|name|value",
// "S|process|name|cookie", "F|process|name|cookie", "I|process|name".
void PftraceReader::add_print(const Packet& packet, int64_t tid, Nanos time, std::string_view text,
                              uint64_t source) {
    while (!text.empty() && (text.back() == '\n' || text.back() == '\0')) text.remove_suffix(1);
    const std::string_view all = text;
    const std::string_view type = next_part(text);
    constexpr std::string_view types = "BECSFI";
    if (type.size() != 1 || types.find(type.front()) == std::string_view::npos) {
        if (!all.empty())
            store_.add({time, source, kernel_thread(packet, tid), sink_.text(all),
                        sink_.category({"print", EventClass::other, 0}), StoredKind::instant,
                        false});
        return;
    }
    const int64_t pid = parse_integer(next_part(text)).value_or(0);
    std::string_view name = text;
    int64_t value = 0;
    if (type == "C" || type == "S" || type == "F") {
        const std::size_t bar = text.rfind('|');
        if (bar == std::string_view::npos) return;
        name = text.substr(0, bar);
        const std::optional<double> number = parse_double(text.substr(bar + 1));
        value = number ? static_cast<int64_t>(std::clamp(*number, -9e18, 9e18)) : 0;
    }
    add_mark(packet, tid, time, type.front(), pid, name, value, source);
}

void PftraceReader::add_mark(const Packet& packet, int64_t tid, Nanos time, char type, int64_t pid,
                             std::string_view name, int64_t value, uint64_t source) {
    const std::string thread = pid_text(packet, tid);
    if (pid > 0 && tracks_.process_of(thread).empty())
        tracks_.set_process_of(thread, pid_text(packet, pid));
    const LocalId category = sink_.category({"atrace", EventClass::annotation, 0});
    const uint32_t track = kernel_thread(packet, tid);
    const auto add = [&](StoredKind kind) {
        store_.add({time, source, track, sink_.text(name), category, kind, false});
    };
    switch (type) {
        case 'B':
            return add(StoredKind::begin);
        case 'E':
            return add(StoredKind::end);
        case 'I':
            return add(StoredKind::instant);
        case 'C':
            named_points_.push_back(
                {kNoLocalId, pid > 0 ? tracks_.of_process(pid_text(packet, pid)) : track,
                 sink_.text(name), sink_.text(""), time, static_cast<double>(value), source});
            return;
        case 'S':
        case 'F': {
            RawEvent event;
            event.time = time;
            event.name = sink_.text(name);
            event.category = category;
            event.kind = type == 'S' ? EventKind::async_begin : EventKind::async_end;
            event.flags = kHasTime | kHasId | kPairsByName | kIdIsLocal;
            event.id = value;
            asyncs_.push_back({event, track, source});
            return;
        }
        default:
            return;
    }
}

}  // namespace lanescope
