// Ends an event's scan: emits the event itself, and rows for its arguments.
#include <algorithm>

#include "core/ingest/json/call_sequence.h"
#include "core/ingest/json/json_number.h"
#include "core/ingest/json/json_scanner.h"
#include "core/ingest/json/json_warnings.h"
#include "core/ingest/json/kineto_categories.h"
#include "core/ingest/json/text_repair.h"
#include "core/trace/category.h"
#include "core/trace/synchronising_call.h"

namespace lanescope {

namespace {

// The side rows that an event of a category may have.
enum CategoryKind : uint8_t {
    kUnknown,
    kPlain,
    kGpu,
    kRuntime,
    kOperator,
    kPython,
    kSync,
    kSample
};

CategoryKind kind_of(std::string_view category) {
    if (is_gpu_activity_category(category)) return kGpu;
    if (is_sample_category(category)) return kSample;
    switch (classify_category(category)) {
        case EventClass::runtime:
            return kRuntime;
        case EventClass::op:
        case EventClass::annotation:
        case EventClass::communication:
            return kOperator;
        case EventClass::python:
            return kPython;
        case EventClass::sync:
            return kSync;
        default:
            return kPlain;
    }
}

struct NamedFact {
    std::string_view name;
    LaneFact fact;
    bool is_number = false;
};
constexpr std::array<NamedFact, 5> kLaneFacts = {{
    {"process_name", LaneFact::process_name},
    {"process_labels", LaneFact::process_labels},
    {"process_sort_index", LaneFact::process_sort_index, true},
    {"thread_name", LaneFact::thread_name},
    {"thread_sort_index", LaneFact::thread_sort_index, true},
}};

// PyTorch's event about a collective.
constexpr std::string_view kParamsEvent = "record_param_comms";

// True for a complete event that becomes a slice.
bool is_whole(const RawEvent& event) {
    constexpr uint16_t times = kHasTime | kHasDuration;
    return (event.flags & (times | kUnreadable)) == times;
}

}  // namespace

LocalId JsonScanner::category(std::string_view text) {
    if (text == last_category_text_) return last_category_;
    last_category_ = names_.category(text, kineto_category);
    last_category_text_ = names_[last_category_];
    if (last_category_ >= kind_of_category_.size()) kind_of_category_.resize(last_category_ + 64);
    if (kind_of_category_[last_category_] == kUnknown)
        kind_of_category_[last_category_] = kind_of(last_category_text_);
    return last_category_;
}

void JsonScanner::add_rows(char phase) {
    RawEvent& event = batch_->events.back();
    const auto index = static_cast<uint32_t>(batch_->events.size() - 1);
    const int64_t call_before = last_call_;
    last_call_ = kNoValue;
    ++phase_counts_[static_cast<unsigned char>(phase)];
    switch (phase) {
        case 'X':
            if (event.flags & kUnreadable) ++odd_words_["X unreadable"];
            if (const std::string_view task = category_of_task(event); !task.empty())
                event.category = category(task);
            if (arguments_.present) add_named_rows(event, index);
            break;
        case 'i':
        case 'I':
            if (arguments_.has(ArgumentKey::memory_bytes) && arguments_.has(ArgumentKey::address))
                add_memory_row(index);
            else if (arguments_.has(ArgumentKey::memory_bytes) &&
                     arguments_.has(ArgumentKey::device_type))
                warn(kNoAddress, event.source);
            break;
        case 's':
        case 'f':
            last_call_ = call_before;
            if ((event.flags & (kHasId | kIdForm)) == kHasId && event.id == call_before)
                event.flags |= kRepeatsCorrelation;
            break;
        case 'C':
            add_counters(index);
            break;
        case 'M':
            add_metadata(event, index);
            break;
        case kLongPhase:
            ++odd_words_[repair_text(phase_text_)];
            break;
        default:
            break;
    }
}

// torch_npu writes the work of an NPU without a category, but with the type and stream of its task;
// empty for other events and for tasks that only wait.
std::string_view JsonScanner::category_of_task(const RawEvent& event) const {
    if (event.category != 0 || !arguments_.has(ArgumentKey::task_type) ||
        !arguments_.has(ArgumentKey::stream))
        return {};
    const std::string_view type = names_[arguments_.text_of(ArgumentKey::task_type)];
    const auto has = [type](std::string_view word) {
        return type.find(word) != std::string_view::npos;
    };
    if (has("WAIT") || has("EVENT")) return {};
    return has("MEMCPY") ? "gpu_memcpy" : "kernel";
}

void JsonScanner::add_named_rows(const RawEvent& event, uint32_t index) {
    const Arguments& a = arguments_;
    const uint8_t kind = event.category < kind_of_category_.size()
                             ? kind_of_category_[event.category]
                             : uint8_t{kPlain};
    switch (kind) {
        case kGpu:
            add_gpu_row(index);
            break;
        case kRuntime:
            if (is_whole(event) && !may_lead_to_synchronisation(names_[event.name]))
                last_call_ = a.get(ArgumentKey::correlation);
            add_runtime_row(index);
            break;
        case kOperator:
            add_operator_row(index);
            break;
        case kPython:
            add_python_row(index);
            break;
        case kSync:
            add_synchronisation_row(index);
            break;
        case kSample:
            add_sample_row(index);
            break;
        default:
            break;
    }
    if (a.has(ArgumentKey::collective_name)) add_collective_row(index);
}

void JsonScanner::add_gpu_row(uint32_t index) {
    const Arguments& a = arguments_;
    auto& row = batch_->gpu_activities.emplace_back(index);
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

void JsonScanner::add_runtime_row(uint32_t index) {
    const Arguments& a = arguments_;
    auto& row = batch_->runtime_calls.emplace_back(index);
    row.correlation = a.get(ArgumentKey::correlation);
    row.external_id = a.get(ArgumentKey::external_id);
    row.kernel = a.text_of(ArgumentKey::launched_kernel);
}

void JsonScanner::add_operator_row(uint32_t index) {
    const Arguments& a = arguments_;
    auto& row = batch_->operators.emplace_back(index);
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

void JsonScanner::add_python_row(uint32_t index) {
    const Arguments& a = arguments_;
    auto& row = batch_->python_frames.emplace_back(index);
    row.python_id = a.get(ArgumentKey::python_id);
    row.parent_id = a.get(ArgumentKey::python_parent);
    row.module_id = a.get(ArgumentKey::python_module);
}

void JsonScanner::add_memory_row(uint32_t index) {
    const Arguments& a = arguments_;
    auto& row = batch_->memory_events.emplace_back(index);
    row.address = a.get(ArgumentKey::address);
    row.bytes = a.get(ArgumentKey::memory_bytes);
    row.total_allocated = a.get(ArgumentKey::total_allocated);
    row.total_reserved = a.get(ArgumentKey::total_reserved);
    row.device_type = static_cast<int32_t>(a.get(ArgumentKey::device_type, -1));
    row.device_id = static_cast<int32_t>(a.get(ArgumentKey::device_id, -1));
}

void JsonScanner::add_collective_row(uint32_t index) {
    const Arguments& a = arguments_;
    auto& row = batch_->collectives.emplace_back(index);
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
    if (row.sequence == kNoValue && names_[batch_->events[index].name] == kParamsEvent)
        row.sequence = call_sequence(names_[a.text_of(ArgumentKey::input_types)],
                                     names_[a.text_of(ArgumentKey::concrete_inputs)])
                           .value_or(kNoValue);
}

void JsonScanner::add_synchronisation_row(uint32_t index) {
    const Arguments& a = arguments_;
    auto& row = batch_->synchronisations.emplace_back(index);
    row.kind = a.text_of(ArgumentKey::sync_kind);
    row.correlation = a.get(ArgumentKey::correlation);
    row.stream = a.get(ArgumentKey::stream);
    row.wait_on_stream = a.get(ArgumentKey::wait_on_stream);
    row.wait_on_event_correlation = a.get(ArgumentKey::wait_on_event_correlation);
    row.wait_on_event = a.get(ArgumentKey::wait_on_event);
}

void JsonScanner::add_sample_row(uint32_t index) {
    const Arguments& a = arguments_;
    auto& row = batch_->sampled_calls.emplace_back(index);
    row.samples = a.get(ArgumentKey::samples, 0);
    row.cpu_time = a.get(ArgumentKey::cpu_time);
    row.module = a.text_of(ArgumentKey::code_module);
    row.gil_samples = a.get(ArgumentKey::gil_samples);
    row.running_samples = a.get(ArgumentKey::running_samples);
}

void JsonScanner::add_counters(uint32_t index) {
    const std::size_t before = batch_->counters.size();
    for_each_member(arguments_text_, [&](std::string_view name, std::string_view value) {
        if (const auto number = parse_double(without_quotes(value)))
            batch_->counters.push_back({index, names_.text(name), *number});
    });
    if (batch_->counters.size() == before) warn(kNoCounterValue, batch_->events[index].source);
}

void JsonScanner::add_metadata(const RawEvent& event, uint32_t index) {
    const auto* fact = std::ranges::find(kLaneFacts, names_[event.name], &NamedFact::name);
    if (fact == kLaneFacts.end()) return;
    for_each_member(arguments_text_, [&](std::string_view name, std::string_view value) {
        if (name == "sort_index" && fact->is_number) {
            batch_->metadata.push_back(
                {index, fact->fact, 0, parse_integer(without_quotes(value)).value_or(0)});
        } else if ((name == "name" || name == "labels") && !fact->is_number) {
            batch_->metadata.push_back(
                {index, fact->fact, names_.text(without_quotes(value)), kNoValue});
        }
    });
}

}  // namespace lanescope
