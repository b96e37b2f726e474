// Reads GPU events: render stages, counters, memory, frequencies, and facts.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "core/base/utf8.h"
#include "core/ingest/json/json_number.h"
#include "core/ingest/perfetto/pftrace_fields.h"
#include "core/ingest/perfetto/pftrace_reader.h"
#include "core/ingest/perfetto/wire.h"
#include "core/trace/devices.h"

namespace lanescope {

namespace {

constexpr std::string_view kStageWord = "gpu_render_stage";
constexpr uint64_t kGraphicsStage = 1;
constexpr uint64_t kComputeStage = 2;

void read_size(std::string_view message, uint32_t (&size)[3]) {
    for (uint32_t& one : size) one = 1;
    for (WireMessage in(message); in.next();)
        if (in.field() >= 1 && in.field() <= 3 && !in.is_bytes())
            size[in.field() - 1] =
                static_cast<uint32_t>(std::min<uint64_t>(in.number(), UINT32_MAX));
}

std::string lower_case(std::string_view text) {
    std::string lower(text);
    std::ranges::transform(lower, lower.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return lower;
}

// Maps names of launch arguments, as PyTorch's and other writers use them.
ArgumentKey key_of_launch(std::string_view name) {
    if (name == "registers_per_thread") return ArgumentKey::registers;
    if (name == "bytes") return ArgumentKey::bytes;
    if (name == "stream" || name == "stream_id") return ArgumentKey::stream;
    if (name == "device" || name == "device_id") return ArgumentKey::device;
    if (name == "correlation" || name == "correlation_id") return ArgumentKey::correlation;
    if (name == "graph_node_id") return ArgumentKey::graph_node;
    return argument_key(name);
}

// Reads names of hardware queues and stages from the specifications of a GpuRenderStageEvent.
void read_specifications(std::string_view message, PftraceSequence& state) {
    std::vector<std::string> queues, stages;
    for (WireMessage in(message); in.next();) {
        if (!in.is_bytes() || (in.field() != 2 && in.field() != 3)) continue;
        std::string name;
        for (WireMessage of(in.bytes()); of.next();)
            if (of.field() == 1 && of.is_bytes()) name = of.bytes();
        (in.field() == 2 ? queues : stages).push_back(name);
    }
    if (!queues.empty()) state.queues = std::move(queues);
    if (!stages.empty()) state.stages = std::move(stages);
}

}  // namespace

void PftraceReader::set_stage_argument(Stage& stage, std::string_view name,
                                       std::string_view value) {
    const ArgumentKey key = key_of_launch(name);
    if (name == "shared_mem_static" || name == "shared_mem_dynamic") {
        if (const auto bytes = parse_integer(value))
            stage.arguments.set_number(ArgumentKey::shared_memory,
                                       stage.arguments.get(ArgumentKey::shared_memory, 0) + *bytes);
    } else if (key == ArgumentKey::none || key >= ArgumentKey::grid) {
        return;
    } else if (key < ArgumentKey::input_dims) {
        if (const auto number = parse_integer(value)) stage.arguments.set_number(key, *number);
    } else {
        stage.arguments.set_text(key, sink_.text(value));
    }
}

// Reads a ComputeKernelLaunch, or a single ExtraComputeArg.
void PftraceReader::read_launch(Stage& stage, std::string_view message,
                                const PftraceSequence& state) {
    std::string_view name;
    std::string value;
    for (WireMessage in(message); in.next();) {
        if (in.field() == 1 && !in.is_bytes()) {
            const StringId* const known =
                state.texts ? state.texts->argument_names.find(in.number()) : nullptr;
            if (known) name = memory_.pool[*known];
        }
        if (in.field() == 2 && in.is_bytes()) name = in.bytes();
        if (in.field() == 3 && !in.is_bytes()) value = std::to_string(in.signed_number());
        if (in.field() == 4 && !in.is_bytes()) value = std::to_string(in.number());
        if (in.field() == 5 && !in.is_bytes()) value = fmt::format("{}", in.real());
        if (in.field() == 6 && in.is_bytes()) value = in.bytes();
    }
    set_stage_argument(stage, name, value);
}

// Determines whether a stage is GPU work and of which kind, or a range around work.
void PftraceReader::classify_stage(Stage& stage, std::string_view stage_name, uint64_t category,
                                   bool is_kernel) {
    const std::string kind = lower_case(stage_name);
    const auto has = [&](std::string_view word) { return kind.find(word) != std::string::npos; };
    const auto use = [&](std::string_view word) {
        const PftraceCategory& known = known_category(word);
        stage.category = known.id;
        stage.is_work = known.is_gpu_work;
    };
    if (is_kernel || kind == "kernel") return use("kernel");
    if (has("memcpy") || has("copy")) return use("gpu_memcpy");
    if (has("memset")) return use("gpu_memset");
    if (has("annotation")) return use("gpu_user_annotation");
    if (has("wait") || has("event") || has("sync")) return use("cuda_sync");
    if (has("host")) return use("gpu_host_node");
    if (category == kComputeStage) return use("kernel");
    stage.category = sink_.category({kStageWord, EventClass::kernel, kGpuActivity});
    stage.is_work = true;
}

PftraceReader::StageIds PftraceReader::read_stage_fields(Stage& stage, PftraceSequence& state,
                                                         std::string_view message) {
    StageIds ids;
    for (WireMessage in(message); in.next();) {
        const uint64_t number = in.number();
        if (in.is_bytes()) {
            if (in.field() == 7) read_specifications(in.bytes(), state);
            if (in.field() == 17) ids.own_name = in.bytes();
            if (in.field() == 21) ids.launch = in.bytes();
            if (in.field() == 18) in.each_number([&](uint64_t id) { stage.waits.push_back(id); });
            if (in.field() != 6) continue;
            std::string_view key, value;
            for (WireMessage of(in.bytes()); of.next();) {
                if (of.field() == 1) key = of.bytes();
                if (of.field() == 2) value = of.bytes();
            }
            set_stage_argument(stage, key, value);
            continue;
        }
        ids.has_event |= in.field() == 1 || in.field() == 2;
        if (in.field() == 1) stage.id = number;
        if (in.field() == 2)
            stage.duration = static_cast<Nanos>(std::min<uint64_t>(number, kMaxDuration));
        if (in.field() == 3) ids.queue_number = number;
        if (in.field() == 4) ids.stage_number = number;
        if (in.field() == 5) ids.context = number;
        if (in.field() == 11) stage.gpu = static_cast<int32_t>(number);
        if (in.field() == 13) ids.queue = number;
        if (in.field() == 14) ids.stage = number;
        if (in.field() == 18) stage.waits.push_back(number);
        if (in.field() == 19) ids.kernel = number;
        if (in.field() == 20) ids.name = number;
    }
    return ids;
}

// Finds the names of the stage and its queue, and classifies the stage.
void PftraceReader::name_stage(Stage& stage, const StageIds& ids, const PftraceSequence& state) {
    const PftraceGpuSpec* const queue = ids.queue ? state.gpu_specs.find(*ids.queue) : nullptr;
    const PftraceGpuSpec* const kind = ids.stage ? state.gpu_specs.find(*ids.stage) : nullptr;
    const auto listed = [](const std::vector<std::string>& names,
                           const std::optional<uint64_t>& number, std::string_view what) {
        if (!number) return std::string();
        return *number < names.size() ? names[*number] : fmt::format("{} {}", what, *number);
    };
    stage.queue = queue ? queue->name : listed(state.queues, ids.queue_number, "queue");
    const std::string stage_name =
        kind ? kind->name : listed(state.stages, ids.stage_number, "stage");
    const PftraceKernel* const kernel = ids.kernel ? state.kernels.find(ids.kernel) : nullptr;
    if (kernel)
        for (const auto& [unused, argument] : kernel->arguments)
            read_launch(stage, argument, state);
    const LocalId* const own_name = ids.name ? state.names.find(ids.name) : nullptr;
    stage.name = kernel                  ? sink_.text(kernel->name)
                 : own_name              ? *own_name
                 : !ids.own_name.empty() ? sink_.text(ids.own_name)
                 : !stage_name.empty()   ? sink_.text(stage_name)
                                         : sink_.text("stage");
    classify_stage(stage, stage_name, kind ? kind->category : kGraphicsStage,
                   kernel || ids.launch.data());
}

void PftraceReader::read_stage(const Packet& packet, std::string_view message) {
    PftraceSequence& state = *packet.state;
    Stage stage;
    stage.source = packet.source;
    const StageIds ids = read_stage_fields(stage, state, message);
    if (!ids.has_event) return;  // has only specifications
    const std::optional<Nanos> time = time_of(packet);
    if (!time) return;
    stage.time = *time;
    if (const int64_t* const pid = state.contexts.find(ids.context)) stage.pid = *pid;
    for (WireMessage in(ids.launch); in.next();) {
        if (!in.is_bytes()) continue;
        if (in.field() == 1) read_size(in.bytes(), stage.arguments.grid);
        if (in.field() == 2) read_size(in.bytes(), stage.arguments.block);
        if (in.field() == 1) stage.arguments.mark(ArgumentKey::grid);
        if (in.field() == 2) stage.arguments.mark(ArgumentKey::block);
        if (in.field() == 3) read_launch(stage, in.bytes(), state);
    }
    name_stage(stage, ids, state);
    last_time_ = std::max(last_time_, stage.time + stage.duration);
    stages_.push_back(std::move(stage));
}

void PftraceReader::add_point(LocalId owner, std::string_view name, std::string_view series,
                              Nanos time, double value, uint64_t source) {
    named_points_.push_back({owner, 0, sink_.text(name), sink_.text(series), time, value, source});
}

void PftraceReader::read_gpu_counters(const Packet& packet, std::string_view message) {
    PftraceSequence& state = *packet.state;
    int32_t gpu = 0;
    const PftraceCounterSpecs* specs = nullptr;
    std::vector<std::pair<uint32_t, double>> values;
    for (WireMessage in(message); in.next();) {
        if (in.field() == 1 && in.is_bytes()) {
            for (WireMessage of(in.bytes()); of.next();) {
                if (of.field() != 1 || !of.is_bytes()) continue;
                uint64_t id = 0, direction = 0;
                std::string name;
                for (WireMessage spec(of.bytes()); spec.next();) {
                    if (spec.field() == 1 && !spec.is_bytes()) id = spec.number();
                    if (spec.field() == 2 && spec.is_bytes()) name = spec.bytes();
                    if (spec.field() == 11 && !spec.is_bytes()) direction = spec.number();
                }
                state.counter_names[static_cast<uint32_t>(id)] = {name, direction == 2};
            }
        }
        if (in.field() == 2 && in.is_bytes()) {
            uint64_t id = 0;
            double value = 0;
            for (WireMessage of(in.bytes()); of.next();) {
                if (of.is_bytes()) continue;
                if (of.field() == 1) id = of.number();
                if (of.field() == 2) value = static_cast<double>(of.signed_number());
                if (of.field() == 3) value = of.real();
            }
            values.emplace_back(static_cast<uint32_t>(id), value);
        }
        if (in.field() == 3 && !in.is_bytes()) gpu = static_cast<int32_t>(in.number());
        if (in.field() == 4 && !in.is_bytes()) specs = state.counters.find(in.number());
    }
    if (values.empty()) return;
    const std::optional<Nanos> time = time_of(packet);
    if (!time) return;
    if (specs && specs->gpu) gpu = *specs->gpu;
    const LocalId owner = tracks_.device(static_cast<uint32_t>(std::max(gpu, 0)));
    for (const auto& [id, value] : values) {
        const auto& names = specs ? specs->names : state.counter_names;
        const auto known = names.find(id);
        const std::string name =
            known == names.end() ? fmt::format("counter {}", id) : known->second.first;
        const bool holds_from_now = known != names.end() && known->second.second;
        if (holds_from_now) {
            add_point(owner, name, "", *time, value, packet.source);
            continue;
        }
        // The value applies to the time since the previous sample.
        const uint64_t key = uint64_t{owner} << 32 | sink_.text(name);
        std::size_t& last = last_gpu_points_[key];
        if (last > 0) named_points_[last - 1].value = value;
        add_point(owner, name, "", *time, 0, packet.source);
        last = named_points_.size();
    }
}

void PftraceReader::read_gpu_memory(const Packet& packet, std::string_view message) {
    uint64_t gpu = 0, pid = 0, size = 0;
    for (WireMessage in(message); in.next();) {
        if (in.is_bytes()) continue;
        if (in.field() == 1) gpu = in.number();
        if (in.field() == 2) pid = in.number();
        if (in.field() == 3) size = in.number();
    }
    const std::optional<Nanos> time = time_of(packet);
    if (!time) return;
    const std::string series = pid == 0 ? std::string() : fmt::format("process {}", pid);
    add_point(tracks_.device(static_cast<uint32_t>(gpu)), "GPU memory", series, *time,
              static_cast<double>(size), packet.source);
}

void PftraceReader::read_gpu_frequency(const Packet& packet, std::string_view message) {
    uint64_t gpu = 0, kilohertz = 0;
    for (WireMessage in(message); in.next();) {
        if (in.is_bytes()) continue;
        if (in.field() == 1) gpu = in.number();
        if (in.field() == 2) kilohertz = in.number();
    }
    if (const std::optional<Nanos> time = time_of(packet))
        add_point(tracks_.device(static_cast<uint32_t>(gpu)), "GPU frequency (kHz)", "", *time,
                  static_cast<double>(kilohertz), packet.source);
}

void PftraceReader::read_gpu_info(std::string_view message) {
    int32_t number = 0;
    for (WireMessage in(message); in.next();) {
        if (in.field() != 1 || !in.is_bytes()) continue;
        Device device;
        device.id = number++;
        for (WireMessage of(in.bytes()); of.next();) {
            if (!of.is_bytes()) continue;
            if (of.field() == 1) device.name = repair_bytes(of.bytes());
            if (of.field() != 6) continue;
            std::string name;
            std::optional<int64_t> value;
            for (WireMessage pair(of.bytes()); pair.next();) {
                if (pair.field() == 1) name = repair_bytes(pair.bytes());
                if (pair.field() == 2) value = parse_integer(pair.bytes());
            }
            if (!value) continue;
            if (name == "id")
                device.id = static_cast<int32_t>(*value);
            else if (name == "memory_total_mb")
                device.facts[DeviceFact::memory_bytes] = *value << 20;
            else if (const auto fact = device_fact(name))
                device.facts[*fact] = *value;
            else
                device.more[name] = *value;
        }
        builder_.add_device(std::move(device));
    }
}

}  // namespace lanescope
