// Reads names, devices, clocks and messages of a spool file.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/ingest/spool/process_title.h"
#include "core/ingest/spool/spool_state.h"

namespace lanescope {

namespace {

using Json = nlohmann::ordered_json;

// Unknown values are left out.
Device device_of(const SpoolDevice& device, std::string_view name) {
    Device made;
    made.id = static_cast<int32_t>(device.device);
    made.name = name;
    const auto add = [&](DeviceFact fact, uint64_t value) {
        if (value != 0) made.facts[fact] = static_cast<int64_t>(value);
    };
    add(DeviceFact::memory_bytes, device.memory_bytes);
    if (device.capability_major != 0) {
        add(DeviceFact::compute_major, device.capability_major);
        made.facts[DeviceFact::compute_minor] = device.capability_minor;
    }
    add(DeviceFact::max_threads_per_block, device.max_threads_per_block);
    add(DeviceFact::max_threads_per_multiprocessor, device.max_threads_per_multiprocessor);
    add(DeviceFact::registers_per_block, device.registers_per_block);
    add(DeviceFact::warp_size, device.warp_size);
    add(DeviceFact::shared_bytes_per_block, device.shared_per_block);
    add(DeviceFact::multiprocessors, device.multiprocessors);
    add(DeviceFact::registers_per_multiprocessor, device.registers_per_multiprocessor);
    add(DeviceFact::shared_bytes_per_multiprocessor, device.shared_per_multiprocessor);
    add(DeviceFact::l2_bytes, device.l2_bytes);
    return made;
}

}  // namespace

std::string json_text(std::string_view text) {
    return Json(std::string(text)).dump(-1, ' ', false, Json::error_handler_t::replace);
}

void SpoolDecoder::State::take_fact(const char* record, const SpoolRecord& head) {
    switch (head.kind) {
        case kSpoolProcess: {
            const auto process = read_record<SpoolProcess>(record, head.bytes);
            const std::string title = process_title(
                out[text(head.text)], out[text(process.command)], process.rank_and_one);
            at.process->name = title;
            if (at.head->process != 0) at.process->begin = time.of_ticks(process.ticks);
            named_pids.insert(process.pid);
            out.name_process(program(process.pid), out.text(title), at.offset);
            return;
        }
        case kSpoolThreadName: {
            const auto thread = read_record<SpoolThreadName>(record, head.bytes);
            bool& by_program = at.process->named_by_program[thread.tid];
            if (by_program && thread.by_program == 0) return;
            by_program = thread.by_program != 0;
            return out.name_lane(out.thread(at.program, std::to_string(thread.tid)),
                                 text(head.text), at.offset);
        }
        case kSpoolClock: {
            const auto clock = read_record<SpoolClock>(record, head.bytes);
            return at.process->cupti.add(clock.ns, time.of_ticks(clock.ticks));
        }
        case kSpoolContext: {
            const auto context = read_record<SpoolContext>(record, head.bytes);
            at.process->device_of_context[context.context] = context.device;
            return;
        }
        case kSpoolDevice: {
            const auto device = read_record<SpoolDevice>(record, head.bytes);
            devices[device.device] = device_of(device, out[text(head.text)]);
            return;
        }
        case kSpoolStreamName: {
            const auto stream = read_record<SpoolStreamName>(record, head.bytes);
            const auto known = at.process->device_of_context.find(stream.context);
            if (known == at.process->device_of_context.end()) return;
            return out.name_lane(out.stream(device(known->second), std::to_string(stream.stream)),
                                 text(head.text), at.offset);
        }
        case kSpoolMessage: {
            const auto message = read_record<SpoolMessage>(record, head.bytes);
            const std::string said =
                fmt::format("process {}: {}", at.head->pid, out[text(head.text)]);
            sink->warn(message.severity == kSpoolWarning ? "recorder_warning" : "recorder_note",
                       at.offset, said);
            return;
        }
        case kSpoolProcessEnd: {
            const auto end = read_record<SpoolProcessEnd>(record, head.bytes);
            const Nanos when = time.of_ticks(end.ticks);
            end_times[end.pid].push_back(
                {when, end.was_running == 0 ? INT64_MAX : time.of_ticks(end.was_running)});
            note_time(when);
            return;
        }
        case kSpoolDropped: {
            const auto dropped = read_record<SpoolDropped>(record, head.bytes);
            lost += dropped.count;
            sink->warn("dropped_records", at.offset,
                       fmt::format("process {}: {} records were lost by {}", at.head->pid,
                                   dropped.count, out[text(head.text)]));
            return;
        }
        default:
            return;
    }
}

}  // namespace lanescope
