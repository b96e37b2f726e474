// The recorded facts: the arguments of events that links, tables and models need, read during the
// load and kept in side tables. Each fact is declared here, and nowhere else: the column of its
// table, the value in the row that a format emits, and everything that is done to all columns
// (append, sort, clone, share, join) follow from the declaration.
//
// To add a fact, add a line to its set, and fill the value in the formats that record it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "core/base/column.h"
#include "core/base/fields.h"
#include "core/base/nanos.h"
#include "core/base/string_pool.h"
#include "core/trace/slice.h"

namespace lanescope {

inline constexpr uint32_t kNoRow = ~uint32_t{0};
inline constexpr int64_t kNoValue = INT64_MIN;  // "not in the file", in columns of numbers

// A launch configuration, shared by all launches that use it.
struct LaunchConfig {
    uint32_t grid[3] = {0, 0, 0};
    uint32_t block[3] = {0, 0, 0};
    int32_t registers_per_thread = -1;  // -1: not recorded
    int64_t shared_memory_bytes = -1;   // static + dynamic; -1: not recorded
    // The static part of shared_memory; -1: only the sum is recorded.
    int64_t static_shared_bytes = -1;
    // The achieved occupancy that the profiler estimates; -1: not recorded.
    int32_t kineto_occupancy_percent = -1;

    friend bool operator==(const LaunchConfig&, const LaunchConfig&) = default;
};

// The part of the shared memory per block that the launch requested; -1: only the sum is recorded.
inline int64_t dynamic_shared_bytes(const LaunchConfig& config) {
    return config.static_shared_bytes < 0 ? -1
                                          : config.shared_memory_bytes - config.static_shared_bytes;
}

// The kind of a fact: the type in its column, the type in a format's row, the value for "none", and
// whether each row of the table has a value. The column of any other fact is empty if no row of the
// trace has a value.
template <typename T, T kNone, bool kInEveryRow, typename InFormat = T>
struct FactKind {
    using Stored = T;
    using Given = InFormat;
    static constexpr T none = kNone;
    static constexpr bool in_every_row = kInEveryRow;
};
struct NumberFact : FactKind<int64_t, kNoValue, true> {};
struct RareNumberFact : FactKind<int64_t, kNoValue, false> {};
struct CountFact : FactKind<int64_t, 0, true> {};
struct OrdinalFact : FactKind<int32_t, -1, true> {};
struct DeviceTypeFact : FactKind<int32_t, 0, true> {};
// In a row, texts have the ids of the worker that emits it.
struct TextFact : FactKind<StringId, 0, true> {};
struct RareTextFact : FactKind<StringId, 0, false> {};
// A row of Trace::launch_configs; in a format's row, the configuration itself.
struct ConfigFact : FactKind<uint32_t, kNoRow, true, LaunchConfig> {};

// A fact in a format's row: "none" until a value is assigned.
template <typename Kind>
struct GivenFact {
    typename Kind::Given value = Kind::none;
    constexpr GivenFact& operator=(typename Kind::Given given) {
        value = given;
        return *this;
    }
    constexpr operator typename Kind::Given() const { return value; }
};
template <>
struct GivenFact<ConfigFact> : LaunchConfig {
    constexpr GivenFact& operator=(const LaunchConfig& given) {
        static_cast<LaunchConfig&>(*this) = given;
        return *this;
    }
};

// A set of facts takes one of these shapes: the columns of a table, the values of one row, or the
// kinds of the facts alone.
struct InTable {
    template <typename Kind>
    using Fact = Column<typename Kind::Stored>;
};
struct InRow {
    template <typename Kind>
    using Fact = GivenFact<Kind>;
};
struct AsKind {
    template <typename Kind>
    using Fact = Kind;
};
template <typename Shape, typename Kind>
using Fact = typename Shape::template Fact<Kind>;

// Kernels, copies and sets on a device.
template <typename S>
struct GpuFacts {
    Fact<S, NumberFact> correlation;      // of the call that launched it, unique within its process
    Fact<S, RareNumberFact> external_id;  // of the operator
    Fact<S, OrdinalFact> device;
    Fact<S, OrdinalFact> stream;
    Fact<S, ConfigFact> config;                 // only of kernels
    Fact<S, RareNumberFact> bytes;              // size of a copy or set
    Fact<S, RareNumberFact> graph_node;         // id of the node of a CUDA graph
    Fact<S, RareNumberFact> recorded_duration;  // where it cannot be true, and was shortened
    Fact<S, RareNumberFact> replay_link;        // a ReplayLink; none: no graph replay launched it
    // Index of the innermost captured call in the lane of kind `replay` above the stream.
    Fact<S, RareNumberFact> captured_call;
};

// Runtime and driver calls.
template <typename S>
struct RuntimeFacts {
    Fact<S, NumberFact> correlation;
    Fact<S, RareNumberFact> external_id;
    Fact<S, RareTextFact> kernel;  // name of the launched kernel; HIP's calls state it
};

// Framework operators and user annotations. Texts are written as in the file ("[[8, 16], []]").
template <typename S>
struct OperatorFacts {
    Fact<S, RareNumberFact> external_id;
    Fact<S, RareNumberFact> sequence;        // shared by an operator and its backward
    Fact<S, RareNumberFact> forward_thread;  // of a backward operator
    Fact<S, RareTextFact> input_dims;
    Fact<S, RareTextFact> input_types;
    Fact<S, RareTextFact> input_strides;
    Fact<S, RareTextFact> concrete_inputs;
    Fact<S, RareTextFact> call_stack;
    Fact<S, RareTextFact> module_hierarchy;
    Fact<S, RareTextFact> kernel_gigabytes;  // Inductor's estimate for a kernel that it generated
    Fact<S, RareTextFact> kernel_flop;
};

template <typename S>
struct PythonFacts {
    Fact<S, RareNumberFact> python_id;
    Fact<S, RareNumberFact> parent_id;  // none at the root
    Fact<S, RareNumberFact> module_id;  // none: not a module
};

// Allocations and releases of memory.
template <typename S>
struct MemoryFacts {
    Fact<S, NumberFact> address;
    Fact<S, NumberFact> bytes;  // negative: freed
    Fact<S, NumberFact> total_allocated;
    Fact<S, NumberFact> total_reserved;
    Fact<S, DeviceTypeFact> device_type;  // 0 CPU, 1 CUDA
    Fact<S, OrdinalFact> device_id;
};

template <typename S>
struct CollectiveFacts {
    Fact<S, TextFact> name;  // "allreduce", …
    Fact<S, TextFact> dtype;
    Fact<S, TextFact> group_name;
    Fact<S, TextFact> group_ranks;
    Fact<S, TextFact> group_description;
    Fact<S, TextFact> in_split;  // sizes by rank, in rows, as in the file ("[1, 2]")
    Fact<S, TextFact> out_split;
    Fact<S, NumberFact> in_elements;
    Fact<S, NumberFact> out_elements;
    Fact<S, NumberFact> group_size;
    Fact<S, RareNumberFact> sequence;  // number of the call in its group
    Fact<S, RareNumberFact> peer;      // rank that a send goes to, or a receive comes from
};

// When a thread or stream waits for a device.
template <typename S>
struct SynchronisationFacts {
    Fact<S, TextFact> kind;  // "Stream Sync", …
    Fact<S, NumberFact> correlation;
    Fact<S, NumberFact> stream;
    Fact<S, NumberFact> wait_on_stream;
    Fact<S, NumberFact> wait_on_event_correlation;
    Fact<S, NumberFact> wait_on_event;
};

// Slices in lanes of samples.
template <typename S>
struct SampleFacts {
    Fact<S, CountFact> samples;    // in this slice, including its callees
    Fact<S, NumberFact> cpu_time;  // that these samples represent, in ns
    Fact<S, TextFact> module;      // the library, program or source file that contains the function
    // The number of samples in which the thread held Python's GIL, and the number in which the
    // thread ran or was ready to run.
    Fact<S, RareNumberFact> gil_samples;
    Fact<S, RareNumberFact> running_samples;
};

// A table of facts about slices, sorted by slice.
template <template <typename> typename FactSet>
struct SliceFactTable : FactSet<InTable> {
    using Facts = FactSet<InTable>;
    using Kinds = FactSet<AsKind>;
    Column<SliceRef> slice;
    std::size_t rows() const { return slice.size(); }
};
// A table of facts about instants, sorted by time.
template <template <typename> typename FactSet>
struct InstantFactTable : FactSet<InTable> {
    using Facts = FactSet<InTable>;
    using Kinds = FactSet<AsKind>;
    Column<Nanos> time;
    Column<LaneId> lane;
    std::size_t rows() const { return time.size(); }
};
// The facts about one event, as a format emits them.
template <template <typename> typename FactSet>
struct FactRow : FactSet<InRow> {
    using Facts = FactSet<InRow>;
    using Kinds = FactSet<AsKind>;
    explicit FactRow(uint32_t event_) : event(event_) {}
    uint32_t event;  // index in Batch::events
};

// All side tables; or, in a batch, their rows.
template <typename Shape>
struct SideTablesOf {
    template <template <typename> typename FactSet>
    using OfSlices = typename Shape::template OfSlices<FactSet>;
    template <template <typename> typename FactSet>
    using OfInstants = typename Shape::template OfInstants<FactSet>;

    OfSlices<GpuFacts> gpu_activities;
    OfSlices<RuntimeFacts> runtime_calls;
    OfSlices<OperatorFacts> operators;
    OfSlices<PythonFacts> python_frames;
    OfSlices<CollectiveFacts> collectives;
    OfSlices<SynchronisationFacts> synchronisations;
    OfSlices<SampleFacts> sampled_calls;
    OfInstants<MemoryFacts> memory_events;
};
struct AsTables {
    template <template <typename> typename FactSet>
    using OfSlices = SliceFactTable<FactSet>;
    template <template <typename> typename FactSet>
    using OfInstants = InstantFactTable<FactSet>;
};
struct AsRows {
    template <template <typename> typename FactSet>
    using OfSlices = std::vector<FactRow<FactSet>>;
    template <template <typename> typename FactSet>
    using OfInstants = std::vector<FactRow<FactSet>>;
};
// Only to count the tables.
struct AsKinds {
    template <template <typename> typename FactSet>
    using OfSlices = FactSet<AsKind>;
    template <template <typename> typename FactSet>
    using OfInstants = FactSet<AsKind>;
};
using SideTables = SideTablesOf<AsTables>;
using SideRows = SideTablesOf<AsRows>;

using GpuActivities = SliceFactTable<GpuFacts>;
using RuntimeCalls = SliceFactTable<RuntimeFacts>;
using Operators = SliceFactTable<OperatorFacts>;
using PythonFrames = SliceFactTable<PythonFacts>;
using Collectives = SliceFactTable<CollectiveFacts>;
using Synchronisations = SliceFactTable<SynchronisationFacts>;
using SampledCalls = SliceFactTable<SampleFacts>;
using MemoryEvents = InstantFactTable<MemoryFacts>;

// Calls visit(i) for the number of each fact of a table or row; `i` converts to a constant.
template <typename Table, typename Visit>
constexpr void for_each_fact_number(const Visit& visit) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (visit(std::integral_constant<std::size_t, I>()), ...);
    }
    (std::make_index_sequence<kFieldCount<typename Table::Kinds>>());
}

// The column or value of a fact.
template <std::size_t i, typename Table>
constexpr auto& fact(Table& table) {
    using Facts = std::conditional_t<std::is_const_v<Table>, const typename Table::Facts,
                                     typename Table::Facts>;
    return std::get<i>(fields<kFieldCount<typename Table::Kinds>>(static_cast<Facts&>(table)));
}
template <std::size_t i, typename Table>
using KindOfFact = std::remove_reference_t<decltype(std::get<i>(
    fields<kFieldCount<typename Table::Kinds>>(std::declval<typename Table::Kinds&>())))>;

// Calls visit(kind, fact of the first table, fact of the second one, …) for each fact of tables or
// rows of the same set.
template <typename Visit, typename Table, typename... Others>
constexpr void for_each_fact(const Visit& visit, Table& table, Others&... others) {
    for_each_fact_number<Table>(
        [&](auto i) { visit(KindOfFact<i, Table>(), fact<i>(table), fact<i>(others)...); });
}

inline constexpr std::size_t kSideTables = kFieldCount<SideTablesOf<AsKinds>>;

// The side table with a number, or its rows. `set`: SideTables, SideRows, or a class that derives
// from one of them.
template <std::size_t i, typename Set>
constexpr auto& side_table(Set& set) {
    using Plain = std::conditional_t<std::is_base_of_v<SideTables, std::remove_const_t<Set>>,
                                     SideTables, SideRows>;
    using Tables = std::conditional_t<std::is_const_v<Set>, const Plain, Plain>;
    return std::get<i>(fields<kSideTables>(static_cast<Tables&>(set)));
}

// Calls visit(i) for the number of each side table; `i` converts to a constant.
template <typename Visit>
constexpr void for_each_table_number(const Visit& visit) {
    [&]<std::size_t... I>(std::index_sequence<I...>) {
        (visit(std::integral_constant<std::size_t, I>()), ...);
    }
    (std::make_index_sequence<kSideTables>());
}

// Calls visit(table of the first set, table of the second one, …) for each side table.
template <typename Visit, typename Set, typename... Others>
constexpr void for_each_table(const Visit& visit, Set& set, Others&... others) {
    for_each_table_number([&](auto i) { visit(side_table<i>(set), side_table<i>(others)...); });
}

// The row of `slice` in a table's sorted `slice` column, or kNoRow.
uint32_t find_row(std::span<const SliceRef> slices, SliceRef slice);

}  // namespace lanescope
