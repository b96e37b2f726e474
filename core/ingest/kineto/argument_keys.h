// The argument names that a load reads. All other arguments are read on demand.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace lanescope {

enum class ArgumentKey : uint8_t {
    none,
    // numbers
    external_id,
    correlation,
    device,
    stream,
    bytes,
    graph_node,
    registers,
    shared_memory,
    occupancy,
    sequence,
    forward_thread,
    python_id,
    python_parent,
    python_module,
    address,
    memory_bytes,
    total_allocated,
    total_reserved,
    device_type,
    device_id,
    in_elements,
    out_elements,
    group_size,
    call_sequence,
    peer,
    wait_on_stream,
    wait_on_event_correlation,
    wait_on_event,
    samples,
    cpu_time,
    gil_samples,
    running_samples,
    // Texts, stored as written in the file.
    input_dims,
    input_types,
    input_strides,
    concrete_inputs,
    call_stack,
    module_hierarchy,
    kernel_gigabytes,
    kernel_flop,
    collective_name,
    dtype,
    group_name,
    group_ranks,
    group_description,
    in_split,
    out_split,
    sync_kind,
    code_module,
    launched_kernel,
    task_type,
    // lists of three
    grid,
    block,
    count
};

namespace detail {

struct NamedKey {
    std::string_view name;
    ArgumentKey key = ArgumentKey::none;
};

// Sorted by length. Includes the names of all versions of Kineto.
inline constexpr std::array kArgumentKeys = {
    NamedKey{"Seq", ArgumentKey::call_sequence},
    NamedKey{"grid", ArgumentKey::grid},
    NamedKey{"Addr", ArgumentKey::address},
    NamedKey{"block", ArgumentKey::block},
    NamedKey{"bytes", ArgumentKey::bytes},
    NamedKey{"Bytes", ArgumentKey::memory_bytes},
    NamedKey{"dtype", ArgumentKey::dtype},
    NamedKey{"device", ArgumentKey::device},
    NamedKey{"stream", ArgumentKey::stream},
    NamedKey{"kernel", ArgumentKey::launched_kernel},
    NamedKey{"module", ArgumentKey::code_module},
    NamedKey{"cpu_ns", ArgumentKey::cpu_time},
    NamedKey{"samples", ArgumentKey::samples},
    NamedKey{"Dst Rank", ArgumentKey::peer},
    NamedKey{"Src Rank", ArgumentKey::peer},
    NamedKey{"Device Id", ArgumentKey::device_id},
    NamedKey{"Stream Id", ArgumentKey::stream},
    NamedKey{"Task Type", ArgumentKey::task_type},
    NamedKey{"Python id", ArgumentKey::python_id},
    NamedKey{"Call stack", ArgumentKey::call_stack},
    NamedKey{"Group size", ArgumentKey::group_size},
    NamedKey{"Input Dims", ArgumentKey::input_dims},
    NamedKey{"Input dims", ArgumentKey::input_dims},
    NamedKey{"Input type", ArgumentKey::input_types},
    NamedKey{"Device Type", ArgumentKey::device_type},
    NamedKey{"External id", ArgumentKey::external_id},
    NamedKey{"correlation", ArgumentKey::correlation},
    NamedKey{"external id", ArgumentKey::external_id},
    NamedKey{"kernel_flop", ArgumentKey::kernel_flop},
    NamedKey{"gil_samples", ArgumentKey::gil_samples},
    NamedKey{"Fwd thread id", ArgumentKey::forward_thread},
    NamedKey{"In msg nelems", ArgumentKey::in_elements},
    NamedKey{"In split size", ArgumentKey::in_split},
    NamedKey{"Input Strides", ArgumentKey::input_strides},
    NamedKey{"graph node id", ArgumentKey::graph_node},
    NamedKey{"kernel_num_gb", ArgumentKey::kernel_gigabytes},
    NamedKey{"shared memory", ArgumentKey::shared_memory},
    NamedKey{"Out msg nelems", ArgumentKey::out_elements},
    NamedKey{"Out split size", ArgumentKey::out_split},
    NamedKey{"Total Reserved", ArgumentKey::total_reserved},
    NamedKey{"cuda_sync_kind", ArgumentKey::sync_kind},
    NamedKey{"wait_on_stream", ArgumentKey::wait_on_stream},
    NamedKey{"Collective name", ArgumentKey::collective_name},
    NamedKey{"running_samples", ArgumentKey::running_samples},
    NamedKey{"Concrete Inputs", ArgumentKey::concrete_inputs},
    NamedKey{"Sequence number", ArgumentKey::sequence},
    NamedKey{"Total Allocated", ArgumentKey::total_allocated},
    NamedKey{"Module Hierarchy", ArgumentKey::module_hierarchy},
    NamedKey{"Python module id", ArgumentKey::python_module},
    NamedKey{"Python parent id", ArgumentKey::python_parent},
    NamedKey{"Process Group Name", ArgumentKey::group_name},
    NamedKey{"Process Group Ranks", ArgumentKey::group_ranks},
    NamedKey{"registers per thread", ArgumentKey::registers},
    NamedKey{"wait_on_cuda_event_id", ArgumentKey::wait_on_event},
    NamedKey{"theoretical occupancy %", ArgumentKey::occupancy},
    NamedKey{"est. achieved occupancy %", ArgumentKey::occupancy},
    NamedKey{"Process Group Description", ArgumentKey::group_description},
    NamedKey{"wait_on_cuda_event_record_corr_id", ArgumentKey::wait_on_event_correlation},
};

static_assert(std::ranges::is_sorted(kArgumentKeys, {},
                                     [](const NamedKey& key) { return key.name.size(); }));

inline constexpr std::size_t kLongestKey = 33;

// first_of_length[n]: index of the first key with at least n letters.
constexpr std::array<uint8_t, kLongestKey + 2> first_of_length() {
    std::array<uint8_t, kLongestKey + 2> first{};
    for (std::size_t length = 0; length < first.size(); ++length) {
        uint8_t i = 0;
        while (i < kArgumentKeys.size() && kArgumentKeys[i].name.size() < length) ++i;
        first[length] = i;
    }
    return first;
}

inline constexpr auto kFirstOfLength = first_of_length();

}  // namespace detail

inline ArgumentKey argument_key(std::string_view name) {
    if (name.size() > detail::kLongestKey) return ArgumentKey::none;
    for (std::size_t i = detail::kFirstOfLength[name.size()];
         i < detail::kFirstOfLength[name.size() + 1]; ++i) {
        if (std::memcmp(detail::kArgumentKeys[i].name.data(), name.data(), name.size()) == 0)
            return detail::kArgumentKeys[i].key;
    }
    return ArgumentKey::none;
}

}  // namespace lanescope
