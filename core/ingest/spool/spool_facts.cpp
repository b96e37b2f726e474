// Reads names, devices, clocks and messages of a spool file.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/ingest/spool/process_title.h"
#include "core/ingest/spool/spool_state.h"

namespace lanescope {

namespace {

using Json = nlohmann::ordered_json;

// Uses Kineto's names; unknown values are left out.
std::string device_json(const SpoolDevice& device, std::string_view name) {
    Json json;
    json["id"] = device.device;
    json["name"] = name;
    const auto add = [&](const char* key, uint64_t value) {
        if (value != 0) json[key] = value;
    };
    add("totalGlobalMem", device.memory_bytes);
    if (device.capability_major != 0) {
        json["computeMajor"] = device.capability_major;
        json["computeMinor"] = device.capability_minor;
    }
    add("maxThreadsPerBlock", device.max_threads_per_block);
    add("maxThreadsPerMultiprocessor", device.max_threads_per_multiprocessor);
    add("regsPerBlock", device.registers_per_block);
    add("warpSize", device.warp_size);
    add("sharedMemPerBlock", device.shared_per_block);
    add("numSms", device.multiprocessors);
    add("regsPerMultiprocessor", device.registers_per_multiprocessor);
    add("sharedMemPerMultiprocessor", device.shared_per_multiprocessor);
    add("l2CacheSize", device.l2_bytes);
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
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
                names[text(head.text)], names[text(process.command)], process.rank_and_one);
            at.process->name = title;
            if (at.head->process != 0) at.process->begin = time.of_ticks(process.ticks);
            named_pids.insert(process.pid);
            name_lane(LaneFact::process_name, names.lane(std::to_string(process.pid), ""),
                      names.text(title));
            return;
        }
        case kSpoolThreadName: {
            const auto thread = read_record<SpoolThreadName>(record, head.bytes);
            bool& by_program = at.process->named_by_program[thread.tid];
            if (by_program && thread.by_program == 0) return;
            by_program = thread.by_program != 0;
            return name_lane(LaneFact::thread_name, names.lane(at.pid, std::to_string(thread.tid)),
                             text(head.text));
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
            devices[device.device] = device_json(device, names[text(head.text)]);
            return;
        }
        case kSpoolStreamName: {
            const auto stream = read_record<SpoolStreamName>(record, head.bytes);
            const auto device = at.process->device_of_context.find(stream.context);
            if (device == at.process->device_of_context.end()) return;
            return name_lane(LaneFact::thread_name,
                             gpu_lane(device->second, std::to_string(stream.stream)),
                             text(head.text));
        }
        case kSpoolMessage: {
            const auto message = read_record<SpoolMessage>(record, head.bytes);
            const std::string said = fmt::format("process {}: {}", at.pid, names[text(head.text)]);
            sink->warn(message.severity == kSpoolWarning ? "recorder_warning" : "recorder_note",
                       at.offset, said);
            return;
        }
        case kSpoolProcessEnd: {
            const auto end = read_record<SpoolProcessEnd>(record, head.bytes);
            const Nanos when = time.of_ticks(end.ticks);
            end_times[end.pid].push_back(
                {when, end.was_running == 0 ? INT64_MAX : time.of_ticks(end.was_running)});
            at.process->last_time = std::max(at.process->last_time, when);
            return;
        }
        case kSpoolDropped: {
            const auto dropped = read_record<SpoolDropped>(record, head.bytes);
            lost += dropped.count;
            sink->warn("dropped_records", at.offset,
                       fmt::format("process {}: {} records were lost by {}", at.pid, dropped.count,
                                   names[text(head.text)]));
            return;
        }
        default:
            return;
    }
}

}  // namespace lanescope
