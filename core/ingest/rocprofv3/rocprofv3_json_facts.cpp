#include "core/ingest/rocprofv3/rocprofv3_json_facts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>

#include "core/base/read_double.h"
#include "core/ingest/json/json_cursor.h"
#include "core/ingest/json/text_repair.h"
#include "core/ingest/rocprofv3/rocm_events.h"

namespace lanescope {

namespace {

// rocprofv3 never writes more operations or kinds.
constexpr std::size_t kMostNames = std::size_t{1} << 20;
constexpr int64_t kGpuAgent = 2;
constexpr int64_t kKiB = 1024;

std::string text_of(std::string_view raw) {
    return raw.starts_with('"') ? repair_text(without_quotes(raw)) : std::string();
}

double real_of(std::string_view raw) {
    double value = NAN;
    const std::string_view number = without_quotes(raw);
    read_double(number.data(), number.data() + number.size(), value);
    return value;
}

// Calls visit(raw) for each element of a whole list.
template <typename Visit>
void for_each_element(std::string_view list, Visit visit) {
    if (!list.starts_with('[')) return;
    JsonCursor at{list.data() + 1, list.data() + list.size()};
    for (;;) {
        while (!at.at_end() && (is_blank(*at.p) || *at.p == ',')) ++at.p;
        std::string_view raw;
        if (at.at_end() || *at.p == ']' || !at.read_value(raw) || raw.empty()) return;
        visit(raw);
    }
}

RocmDim dim_of(std::string_view raw) {
    RocmDim dim;
    if (!raw.starts_with('{')) return dim;
    for_each_member(raw, [&](std::string_view name, std::string_view value) {
        if (name.size() == 1 && name[0] >= 'x' && name[0] <= 'z')
            dim.value[name[0] - 'x'] = rocm_number(value, 0);
    });
    return dim;
}

void read_agent_member(std::string_view name, std::string_view value, RocmAgent& agent,
                       std::map<std::string_view, int64_t>& numbers) {
    if (name == "mem_banks") {
        int64_t bytes = 0;
        for_each_element(value, [&](std::string_view bank) {
            if (!bank.starts_with('{')) return;
            for_each_member(bank, [&](std::string_view key, std::string_view number) {
                if (key == "size_in_bytes")
                    bytes += std::clamp<int64_t>(rocm_number(number, 0), 0, int64_t{1} << 50);
            });
        });
        numbers["mem_bytes"] = bytes;
    } else if (name == "product_name" && value.size() > 2) {
        agent.device.name = text_of(value);
    } else if (name == "name" && agent.device.name.empty()) {
        agent.device.name = text_of(value);
    } else if (value.front() != '{' && value.front() != '[' && value.front() != '"') {
        if (const int64_t number = rocm_number(value); number != kNoValue) numbers[name] = number;
    }
}

bool read_agent(std::string_view raw, RocmProcessFacts& facts) {
    if (!raw.starts_with('{')) return false;
    RocmAgent agent;
    int64_t handle = kNoValue;
    std::map<std::string_view, int64_t> numbers;
    for_each_member(raw, [&](std::string_view name, std::string_view value) {
        if (name == "id") handle = rocm_handle(value);
        read_agent_member(name, value, agent, numbers);
    });
    agent.is_gpu = numbers["type"] == kGpuAgent;
    const auto ordinal = numbers.find("logical_node_type_id");
    agent.device.id = static_cast<int32_t>(std::clamp<int64_t>(
        ordinal != numbers.end() ? ordinal->second : numbers["gpu_index"], 0, INT32_MAX));
    for (const auto& [name, value] : numbers) add_rocm_fact(agent.device, name, value);
    complete_rocm_device(agent.device);
    facts.agents[handle] = std::move(agent);
    return true;
}

bool read_symbol(std::string_view raw, RocmProcessFacts& facts) {
    if (!raw.starts_with('{')) return false;
    RocmKernelSymbol symbol;
    int64_t id = kNoValue;
    std::string mangled;
    for_each_member(raw, [&](std::string_view name, std::string_view value) {
        if (name == "kernel_id") id = rocm_number(value);
        if (name == "formatted_kernel_name") symbol.name = text_of(value);
        if (name == "kernel_name") mangled = text_of(value);
        if (name == "arch_vgpr_count") symbol.vgprs = rocm_number(value, -1);
        if (name == "accum_vgpr_count") symbol.accumulation_vgprs = rocm_number(value, -1);
        if (name == "sgpr_count") symbol.sgprs = rocm_number(value, -1);
        if (name == "group_segment_size") symbol.static_lds_bytes = rocm_number(value, -1);
    });
    symbol.name = rocm_kernel_name(symbol.name.empty() ? mangled : symbol.name);
    facts.kernels[id] = std::move(symbol);
    return true;
}

void read_kind(std::string_view raw, RocmProcessFacts& facts) {
    RocmKind kind;
    if (raw.starts_with('{'))
        for_each_member(raw, [&](std::string_view name, std::string_view value) {
            if (name == "kind" || name == "name") kind.name = text_of(value);
            if (name == "operations")
                for_each_element(value, [&](std::string_view operation) {
                    if (kind.operations.size() < kMostNames)
                        kind.operations.push_back(text_of(operation));
                });
        });
    if (facts.kinds.size() < kMostNames) facts.kinds.push_back(std::move(kind));
}

void read_message(std::string_view raw, RocmProcessFacts& facts) {
    int64_t key = kNoValue;
    std::string text;
    if (!raw.starts_with('{')) return;
    for_each_member(raw, [&](std::string_view name, std::string_view value) {
        if (name == "key") key = rocm_number(value);
        if (name == "value") text = text_of(value);
    });
    if (!text.empty()) facts.messages[key] = std::move(text);
}

void read_counter(std::string_view raw, RocmProcessFacts& facts) {
    int64_t id = kNoValue;
    std::string text;
    if (!raw.starts_with('{')) return;
    for_each_member(raw, [&](std::string_view name, std::string_view value) {
        if (name == "id") id = rocm_handle(value);
        if (name == "name") text = text_of(value);
    });
    if (!text.empty()) facts.counters[id] = std::move(text);
}

// A counter has a value for each part of the GPU; they are summed.
void read_counted(std::string_view raw, uint64_t source, RocmProcessFacts& facts) {
    if (!raw.starts_with('{')) return;
    RocmCounted counted;
    counted.source = source;
    counted.kernel = read_rocm_record(raw);
    std::map<int64_t, double> sums;
    for_each_member(raw, [&](std::string_view name, std::string_view list) {
        if (name != "records") return;
        for_each_element(list, [&](std::string_view record) {
            if (!record.starts_with('{')) return;
            int64_t id = kNoValue;
            double number = NAN;
            for_each_member(record, [&](std::string_view key, std::string_view value) {
                if (key == "counter_id" || key == "id") id = rocm_handle(value);
                if (key == "value" || key == "counter_value") number = real_of(value);
            });
            if (std::isfinite(number)) sums[id] += number;
        });
    });
    for (const auto& [id, sum] : sums) counted.values.emplace_back(id, sum);
    facts.counted.push_back(std::move(counted));
}

void read_metadata_member(std::string_view name, std::string_view raw, RocmProcessFacts& facts) {
    if (name == "pid") facts.pid = rocm_number(raw);
    if (name == "command")
        for_each_element(raw,
                         [&](std::string_view word) { facts.command.push_back(text_of(word)); });
    if (name == "node" && raw.starts_with('{'))
        for_each_member(raw, [&](std::string_view key, std::string_view value) {
            if (key == "hostname") facts.host = text_of(value);
        });
}

}  // namespace

int64_t rocm_number(std::string_view raw, int64_t none) {
    const std::string_view text = without_quotes(raw);
    if (text.starts_with('-')) {
        int64_t value = 0;
        const auto read = std::from_chars(text.data(), text.data() + text.size(), value);
        return read.ec == std::errc() && read.ptr == text.data() + text.size() ? value : none;
    }
    const bool is_hex = text.starts_with("0x");
    const char* const end = text.data() + text.size();
    uint64_t value = 0;
    const auto read = std::from_chars(text.data() + (is_hex ? 2 : 0), end, value, is_hex ? 16 : 10);
    return read.ec == std::errc() && read.ptr == end ? static_cast<int64_t>(value) : none;
}

int64_t rocm_handle(std::string_view raw) {
    if (!raw.starts_with('{')) return rocm_number(raw);
    int64_t handle = kNoValue;
    for_each_member(raw, [&](std::string_view name, std::string_view value) {
        if (name == "handle" || name == "value") handle = rocm_number(value);
    });
    return handle;
}

void add_rocm_fact(Device& device, std::string_view name, int64_t value) {
    if (value <= 0) return;
    const auto is_small = [](int64_t number) { return number <= 1 << 20; };
    if (name == "cu_count") device.facts[DeviceFact::multiprocessors] = value;
    if (name == "wave_front_size") device.facts[DeviceFact::warp_size] = value;
    if (name == "workgroup_max_size") device.facts[DeviceFact::max_threads_per_block] = value;
    if (name == "mem_bytes") device.facts[DeviceFact::memory_bytes] = value;
    if (name == "lds_size_in_kb" && is_small(value))
        device.facts[DeviceFact::amd_shared_bytes_per_multiprocessor] = value * kKiB;
    if (name == "gfx_target_version" && value >= 10'000) {
        device.facts[DeviceFact::compute_major] = value / 10'000;
        device.facts[DeviceFact::compute_minor] = value / 100 % 100;
    }
    for (const std::string_view kept :
         {"gfx_target_version", "num_xcc", "simd_count", "simd_per_cu", "max_waves_per_simd",
          "max_waves_per_cu", "max_engine_clk_fcompute"})
        if (name == kept) device.more[std::string(name)] = value;
}

void complete_rocm_device(Device& device) {
    const auto waves = device.more.find("max_waves_per_cu");
    const int64_t lanes = device.fact(DeviceFact::warp_size);
    constexpr int64_t most = 1 << 20;
    if (waves != device.more.end() && waves->second <= most && lanes > 0 && lanes <= most)
        device.facts[DeviceFact::max_threads_per_multiprocessor] = waves->second * lanes;
}

int32_t rocm_registers(int64_t vgprs, int64_t accumulation_vgprs, const Device* device) {
    constexpr int64_t gfx908 = 90'008;
    if (vgprs < 0 || vgprs > INT16_MAX) return -1;
    bool has_own_file = false;
    if (device) {
        const auto target = device->more.find("gfx_target_version");
        has_own_file = target != device->more.end() && target->second == gfx908;
    }
    const bool adds = !has_own_file && accumulation_vgprs > 0 && accumulation_vgprs <= INT16_MAX;
    return static_cast<int32_t>(vgprs + (adds ? accumulation_vgprs : 0));
}

std::string_view RocmProcessFacts::kind(const RocmRecord& record) const {
    const auto number = static_cast<uint64_t>(record.kind);
    return number < kinds.size() ? std::string_view(kinds[number].name) : std::string_view();
}

std::string_view RocmProcessFacts::operation(const RocmRecord& record) const {
    const auto number = static_cast<uint64_t>(record.kind);
    const auto which = static_cast<uint64_t>(record.operation);
    if (number >= kinds.size() || which >= kinds[number].operations.size()) return {};
    return kinds[number].operations[which];
}

const RocmAgent* RocmProcessFacts::agent(int64_t handle) const {
    const auto found = agents.find(handle);
    return found == agents.end() ? nullptr : &found->second;
}

std::string RocmProcessFacts::counter(int64_t handle) const {
    const auto found = counters.find(handle);
    return found == counters.end() ? fmt::format("counter {}", handle) : found->second;
}

RocmRecord read_rocm_record(std::string_view raw) {
    RocmRecord record;
    constexpr int most_nested = 4;
    const auto read = [&](const auto& self, std::string_view object, int depth) -> void {
        for_each_member(object, [&](std::string_view name, std::string_view value) {
            if (name == "kind") record.kind = rocm_number(value);
            if (name == "operation") record.operation = rocm_number(value);
            if (name == "thread_id") record.thread = rocm_number(value);
            if (name == "start_timestamp") record.begin = rocm_number(value);
            if (name == "end_timestamp") record.end = rocm_number(value);
            if (name == "internal") record.correlation = rocm_number(value);
            if (name == "agent_id") record.agent = rocm_handle(value);
            if (name == "queue_id") record.queue = rocm_handle(value);
            if (name == "kernel_id") record.kernel = rocm_number(value);
            if (name == "dispatch_id") record.dispatch = rocm_number(value);
            if (name == "group_segment_size") record.lds_bytes = rocm_number(value);
            if (name == "workgroup_size") record.workgroup = dim_of(value);
            if (name == "grid_size") record.grid = dim_of(value);
            if (name == "src_agent_id") record.from_agent = rocm_handle(value);
            if (name == "dst_agent_id") record.to_agent = rocm_handle(value);
            if (name == "bytes" || name == "allocation_size") record.bytes = rocm_number(value);
            if (name == "address") record.address = rocm_handle(value);
            if ((name == "correlation_id" || name == "dispatch_info" || name == "dispatch_data") &&
                value.starts_with('{') && depth < most_nested)
                self(self, value, depth + 1);
        });
    };
    if (raw.starts_with('{')) read(read, raw, 0);
    return record;
}

bool read_rocm_facts(JsonWalk& text, std::string_view member, RocmProcessFacts& facts,
                     bool& is_known) {
    std::string_view raw;
    // Calls take() for each element of the list that follows.
    const auto each = [&](const auto& take) {
        if (text.peek() != '[') return text.skip();
        return text.elements([&] {
            const uint64_t source = text.position();
            if (!text.value(raw)) return false;
            take(source);
            return true;
        });
    };
    const auto object = [&](const std::function<bool(std::string_view)>& take) {
        return text.peek() == '{' ? text.members(take) : text.skip();
    };
    is_known = true;
    if (member == "metadata") {
        facts.has_metadata = true;
        return object([&](std::string_view name) {
            if (!text.value(raw)) return false;
            read_metadata_member(name, raw, facts);
            return true;
        });
    }
    if (member == "agents") {
        facts.has_agents = true;
        return each([&](uint64_t) { read_agent(raw, facts); });
    }
    if (member == "counters") return each([&](uint64_t) { read_counter(raw, facts); });
    if (member == "kernel_symbols") {
        facts.has_kernels = true;
        return each([&](uint64_t) { read_symbol(raw, facts); });
    }
    if (member == "strings") {
        facts.has_strings = true;
        return object([&](std::string_view name) {
            if (name == "buffer_records") return each([&](uint64_t) { read_kind(raw, facts); });
            if (name == "marker_api") return each([&](uint64_t) { read_message(raw, facts); });
            return text.skip();
        });
    }
    if (member == "callback_records")
        return object([&](std::string_view name) {
            if (name != "counter_collection") return text.skip();
            return each([&](uint64_t source) { read_counted(raw, source, facts); });
        });
    is_known = false;
    return true;
}

}  // namespace lanescope
