// Reads the events of XSpace threads.
#include "core/ingest/xspace/xspace_reader.h"

namespace lanescope {

namespace {

constexpr int32_t kHostMemory = 0;  // device type in PyTorch
constexpr int32_t kDeviceMemory = 1;
constexpr uint64_t kTypeFactor = 0x9E3779B97F4A7C15;  // spreads the types of flows

}  // namespace

void XspaceReader::add_flows(const LineState& state, const XspaceEvent& event, const Time& time,
                             uint64_t source) {
    const auto add = [&](XspaceKey id, XspaceKey type, EventKind kind) {
        const std::optional<int64_t> number = event.stats.number(id);
        if (!number) return;
        // Flow IDs are unique only within a type.
        const auto of_type = static_cast<uint64_t>(event.stats.number(type).value_or(0));
        RawEvent flow;
        flow.time = time.begin;
        flow.id = static_cast<int64_t>(static_cast<uint64_t>(*number) ^ (of_type * kTypeFactor));
        flow.category = sink_.category(kXspaceFlow);
        flow.lane = state.lane;
        flow.kind = kind;
        flow.flags = kHasTime | kHasId | kBindEnclosing;
        sink_.add(flow, source);
    };
    add(XspaceKey::producer, XspaceKey::producer_type, EventKind::flow_begin);
    add(XspaceKey::consumer, XspaceKey::consumer_type, EventKind::flow_end);
}

void XspaceReader::take_host_event(const LineState& state, const XspaceEvent& event,
                                   const Time& time, const Name& name, uint64_t source) {
    add_flows(state, event, time, source);
    if (event.stats.number(XspaceKey::correlation).value_or(0) != 0)
        return take_call(state, event, time, name, source);
    if (name.is_allocation || name.is_release) return take_memory(state, event, time, name, source);
    if (name.is_operator || event.stats.has(XspaceKey::hlo_op))
        return take_operator(state, event, time, name, source);
    if (name.call != 0) {
        add_slice(state.lane, time, name.call, kXspacePython, source);
        return;
    }
    if (event.stats.has(XspaceKey::step_number)) {
        state.host->has_step_marks = true;
        add_slice(state.lane, time, name.name, kXspaceStep, source);
        return;
    }
    add_slice(state.lane, time, name.name, kXspaceHost, source);
}

// The call's stats name the XLA instruction or TensorFlow operator that it launches. The operator
// gets a slice around the call, unless the file has operators.
void XspaceReader::add_launched_op(const LineState& state, const XspaceEvent& event,
                                   const Time& time, uint64_t source) {
    std::string_view name = event.stats.text(XspaceKey::hlo_op);
    std::string_view scope;
    if (name.empty()) {
        const std::string_view written = event.stats.text(XspaceKey::tf_op);
        const std::size_t colon = written.rfind(':');
        if (state.host->has_operators || colon == std::string_view::npos) return;
        name = written.substr(colon + 1);
        scope = written.substr(0, colon);
    }
    if (name.empty()) return;
    RawEvent op;
    op.time = time.begin;
    op.duration = time.duration;
    op.name = sink_.text(name);
    op.category = sink_.category(kXspaceLaunchedOp);
    op.lane = state.lane;
    op.kind = EventKind::slice;
    op.flags = kHasTime | kHasDuration;
    const LocalId in = sink_.text(scope);
    sink_.attach<OperatorFacts>(sink_.add(op, source, "launched op")).module_hierarchy = in;
}

void XspaceReader::take_call(const LineState& state, const XspaceEvent& event, const Time& time,
                             const Name& name, uint64_t source) {
    add_launched_op(state, event, time, source);
    const uint32_t call =
        add_slice(state.lane, time, name.name, xspace_call_category(sink_[name.name]), source);
    sink_.attach<RuntimeFacts>(call).correlation = *event.stats.number(XspaceKey::correlation);
}

void XspaceReader::take_operator(const LineState& state, const XspaceEvent& event, const Time& time,
                                 const Name& name, uint64_t source) {
    const XspaceShapes shapes = xspace_shapes(event.stats.text(XspaceKey::shape));
    const LocalId dims = sink_.text(shapes.dims);
    const LocalId types = sink_.text(shapes.types);
    auto& row = sink_.attach<OperatorFacts>(
        add_slice(state.lane, time, name.name, kXspaceOperator, source));
    row.module_hierarchy = name.scope;
    row.input_dims = dims;
    row.input_types = types;
}

// An allocator states its totals with each allocation. The memory table has one pair of totals for
// each device, which is used for the first allocator; other allocators get curves.
void XspaceReader::take_memory(const LineState& state, const XspaceEvent& event, const Time& time,
                               const Name& name, uint64_t source) {
    const XspaceStats& stats = event.stats;
    const std::string_view allocator = stats.text(XspaceKey::allocator);
    std::optional<int32_t> device = xspace_device_of_allocator(allocator);
    const std::optional<int64_t> index = stats.number(XspaceKey::index_on_host);
    if (!device && allocator.empty() && index && *index >= 0 && *index <= INT32_MAX)
        device = static_cast<int32_t>(*index);
    const std::optional<int64_t> total = stats.number(XspaceKey::bytes_allocated);
    const LocalId label = sink_.text(allocator);
    const auto owner = state.host->allocators.try_emplace(device.value_or(-1), label).first;
    const bool owns_totals = owner->second == label;
    if (!owns_totals && total)
        sink_.counter(sink_.curves(state.host->process), time.begin, sink_.text("memory allocated"),
                      label, static_cast<double>(*total), sink_.category(kXspaceAllocation),
                      source);
    auto& row = sink_.attach<MemoryFacts>(sink_.instant(state.lane, time.begin, name.name,
                                                        sink_.category(kXspaceAllocation), source));
    row.device_type = device ? kDeviceMemory : kHostMemory;
    row.device_id = device.value_or(-1);
    row.address = stats.number(XspaceKey::address).value_or(kNoValue);
    const int64_t bytes = stats.number(XspaceKey::allocation_bytes).value_or(0);
    row.bytes = name.is_release ? -bytes : bytes;
    if (owns_totals && total) row.total_allocated = *total;
    const int64_t reserved = stats.number(XspaceKey::bytes_reserved).value_or(0);
    if (owns_totals && reserved > 0) row.total_reserved = reserved;
}

}  // namespace lanescope
