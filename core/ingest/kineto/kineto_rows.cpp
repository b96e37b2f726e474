#include "core/ingest/kineto/kineto_rows.h"

#include <algorithm>

#include "core/ingest/kineto/call_sequence.h"
#include "core/trace/category.h"

namespace lanescope {

namespace {

// PyTorch's event about a collective.
constexpr std::string_view kParamsEvent = "record_param_comms";

void add_gpu_row(uint32_t event, const KinetoArguments& a, SideRows& rows) {
    auto& row = rows.gpu_activities.emplace_back(event);
    row.device = static_cast<int32_t>(a.get(ArgumentKey::device, -1));
    row.stream = static_cast<int32_t>(a.get(ArgumentKey::stream, -1));
    row.correlation = a.get(ArgumentKey::correlation);
    row.external_id = a.get(ArgumentKey::external_id);
    row.bytes = a.get(ArgumentKey::bytes);
    row.graph_node = a.get(ArgumentKey::graph_node);
    if (a.has(ArgumentKey::grid)) std::copy_n(a.grid, 3, row.config.grid);
    if (a.has(ArgumentKey::block)) std::copy_n(a.block, 3, row.config.block);
    row.config.registers_per_thread = static_cast<int32_t>(a.get(ArgumentKey::registers, -1));
    row.config.shared_memory_bytes = a.get(ArgumentKey::shared_memory, -1);
    row.config.kineto_occupancy_percent = static_cast<int32_t>(a.get(ArgumentKey::occupancy, -1));
}

void add_runtime_row(uint32_t event, const KinetoArguments& a, SideRows& rows) {
    auto& row = rows.runtime_calls.emplace_back(event);
    row.correlation = a.get(ArgumentKey::correlation);
    row.external_id = a.get(ArgumentKey::external_id);
    row.kernel = a.text_of(ArgumentKey::launched_kernel);
}

void add_operator_row(uint32_t event, const KinetoArguments& a, SideRows& rows) {
    auto& row = rows.operators.emplace_back(event);
    row.external_id = a.get(ArgumentKey::external_id);
    row.sequence = a.get(ArgumentKey::sequence);
    row.forward_thread = a.get(ArgumentKey::forward_thread);
    row.input_dims = a.text_of(ArgumentKey::input_dims);
    row.input_types = a.text_of(ArgumentKey::input_types);
    row.input_strides = a.text_of(ArgumentKey::input_strides);
    row.concrete_inputs = a.text_of(ArgumentKey::concrete_inputs);
    row.call_stack = a.text_of(ArgumentKey::call_stack);
    row.module_hierarchy = a.text_of(ArgumentKey::module_hierarchy);
    row.kernel_gigabytes = a.text_of(ArgumentKey::kernel_gigabytes);
    row.kernel_flop = a.text_of(ArgumentKey::kernel_flop);
}

void add_python_row(uint32_t event, const KinetoArguments& a, SideRows& rows) {
    auto& row = rows.python_frames.emplace_back(event);
    row.python_id = a.get(ArgumentKey::python_id);
    row.parent_id = a.get(ArgumentKey::python_parent);
    row.module_id = a.get(ArgumentKey::python_module);
}

void add_collective_row(uint32_t event, const KinetoArguments& a, LocalId name,
                        const LocalNames& names, SideRows& rows) {
    auto& row = rows.collectives.emplace_back(event);
    row.name = a.text_of(ArgumentKey::collective_name);
    row.dtype = a.text_of(ArgumentKey::dtype);
    row.group_name = a.text_of(ArgumentKey::group_name);
    row.group_ranks = a.text_of(ArgumentKey::group_ranks);
    row.group_description = a.text_of(ArgumentKey::group_description);
    row.in_split = a.text_of(ArgumentKey::in_split);
    row.out_split = a.text_of(ArgumentKey::out_split);
    row.in_elements = a.get(ArgumentKey::in_elements);
    row.out_elements = a.get(ArgumentKey::out_elements);
    row.group_size = a.get(ArgumentKey::group_size);
    row.peer = a.get(ArgumentKey::peer);
    row.sequence = a.get(ArgumentKey::call_sequence);
    if (row.sequence == kNoValue && names[name] == kParamsEvent)
        row.sequence = call_sequence(names[a.text_of(ArgumentKey::input_types)],
                                     names[a.text_of(ArgumentKey::concrete_inputs)])
                           .value_or(kNoValue);
}

void add_synchronisation_row(uint32_t event, const KinetoArguments& a, SideRows& rows) {
    auto& row = rows.synchronisations.emplace_back(event);
    row.kind = a.text_of(ArgumentKey::sync_kind);
    row.correlation = a.get(ArgumentKey::correlation);
    row.stream = a.get(ArgumentKey::stream);
    row.wait_on_stream = a.get(ArgumentKey::wait_on_stream);
    row.wait_on_event_correlation = a.get(ArgumentKey::wait_on_event_correlation);
    row.wait_on_event = a.get(ArgumentKey::wait_on_event);
}

void add_sample_row(uint32_t event, const KinetoArguments& a, SideRows& rows) {
    auto& row = rows.sampled_calls.emplace_back(event);
    row.samples = a.get(ArgumentKey::samples, 0);
    row.cpu_time = a.get(ArgumentKey::cpu_time);
    row.module = a.text_of(ArgumentKey::code_module);
    row.gil_samples = a.get(ArgumentKey::gil_samples);
    row.running_samples = a.get(ArgumentKey::running_samples);
}

}  // namespace

KinetoRows kineto_rows(std::string_view category) {
    if (is_gpu_activity_category(category)) return KinetoRows::gpu;
    if (is_sample_category(category)) return KinetoRows::sample;
    switch (classify_category(category)) {
        case EventClass::runtime:
            return KinetoRows::runtime;
        case EventClass::op:
        case EventClass::annotation:
        case EventClass::communication:
            return KinetoRows::op;
        case EventClass::python:
            return KinetoRows::python;
        case EventClass::sync:
            return KinetoRows::sync;
        default:
            return KinetoRows::plain;
    }
}

void add_kineto_rows(KinetoRows kind, uint32_t event, const KinetoArguments& arguments,
                     LocalId name, const LocalNames& names, SideRows& rows) {
    switch (kind) {
        case KinetoRows::gpu:
            add_gpu_row(event, arguments, rows);
            break;
        case KinetoRows::runtime:
            add_runtime_row(event, arguments, rows);
            break;
        case KinetoRows::op:
            add_operator_row(event, arguments, rows);
            break;
        case KinetoRows::python:
            add_python_row(event, arguments, rows);
            break;
        case KinetoRows::sync:
            add_synchronisation_row(event, arguments, rows);
            break;
        case KinetoRows::sample:
            add_sample_row(event, arguments, rows);
            break;
        default:
            break;
    }
    if (arguments.has(ArgumentKey::collective_name))
        add_collective_row(event, arguments, name, names, rows);
}

void add_kineto_memory(uint32_t event, const KinetoArguments& a, SideRows& rows) {
    auto& row = rows.memory_events.emplace_back(event);
    row.address = a.get(ArgumentKey::address);
    row.bytes = a.get(ArgumentKey::memory_bytes);
    row.total_allocated = a.get(ArgumentKey::total_allocated);
    row.total_reserved = a.get(ArgumentKey::total_reserved);
    row.device_type = static_cast<int32_t>(a.get(ArgumentKey::device_type, -1));
    row.device_id = static_cast<int32_t>(a.get(ArgumentKey::device_id, -1));
}

bool read_triple(std::string_view list, uint32_t (&out)[3]) {
    const char* p = list.data();
    const char* const end = p + list.size();
    for (uint32_t& value : out) {
        while (p < end && (*p < '0' || *p > '9')) ++p;
        if (p == end) return false;
        uint64_t number = 0;
        for (; p < end && *p >= '0' && *p <= '9' && number <= UINT32_MAX; ++p)
            number = number * 10 + static_cast<uint64_t>(*p - '0');
        if (number > UINT32_MAX) return false;
        value = static_cast<uint32_t>(number);
    }
    return true;
}

}  // namespace lanescope
