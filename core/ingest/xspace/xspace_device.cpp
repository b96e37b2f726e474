// Reads the lines of XSpace devices.
#include <fmt/format.h>

#include <algorithm>

#include "core/ingest/xspace/xspace_reader.h"

namespace lanescope {

void XspaceReader::read_device_line(LineState& state, bool has_streams) {
    const XspaceLine& line = *state.line;
    const XspaceLineKind kind = xspace_line_kind(line.name);
    if (kind == XspaceLineKind::stream) {
        const int64_t number = xspace_stream_number(line.name).value_or(line.id);
        stream_ = number >= 0 && number <= INT32_MAX ? static_cast<int32_t>(number) : -1;
        state.lane = sink_.stream(device_.id, device_.prefix + std::to_string(number));
        each_event(state, &XspaceReader::take_stream_event);
        return;
    }
    // Devices without streams list their work in this line; for other devices, this line is derived
    // from their kernels.
    if (kind == XspaceLineKind::ops && !has_streams) return read_ops(state);
    if (kind == XspaceLineKind::async) return read_async_ops(state);
    if (kind == XspaceLineKind::steps && (!plane_of_steps_ || plane_of_steps_ == state.plane)) {
        plane_of_steps_ = state.plane;
        lane_of_steps_ = sink_.thread(device_.id, line.name);
        each_event(state, &XspaceReader::take_step);
        return;
    }
    state.lane = sink_.thread(device_.id, device_.prefix + line.name);
    each_event(state, kind == XspaceLineKind::waits ? &XspaceReader::take_wait
                                                    : &XspaceReader::take_derived);
}

void XspaceReader::read_ops(LineState& state) {
    parts_ = xspace_parts(spans_of(state));
    const int64_t number = state.line->id;
    stream_ = number >= 0 && number <= INT32_MAX ? static_cast<int32_t>(number) : -1;
    const std::string name = device_.prefix + state.line->name;
    state.lane = sink_.stream(device_.id, name);
    waits_ = sink_.thread(device_.id, name + " · waits");
    if (each_event(state, &XspaceReader::take_op).events > 0) name_lane(state, state.lane, name);
    parts_ = {};
}

// Reads a line whose events partially overlap, and need several lanes.
void XspaceReader::read_async_ops(LineState& state) {
    lane_of_event_ = xspace_free_lanes(spans_of(state));
    async_lanes_.clear();
    const std::size_t count =
        lane_of_event_.empty() ? 1 : std::size_t{*std::ranges::max_element(lane_of_event_)} + 1;
    for (std::size_t i = 0; i < count; ++i)
        async_lanes_.push_back(sink_.thread(
            device_.id,
            device_.prefix + state.line->name + (i == 0 ? "" : fmt::format(" {}", i + 1))));
    state.lane = async_lanes_.front();
    each_event(state, &XspaceReader::take_async);
    lane_of_event_ = {};
}

LocalId XspaceReader::kernel_name(LocalId name) {
    const auto [found, is_new] = kernel_names_.try_emplace(name, 0);
    if (is_new) found->second = sink_.text(xspace_kernel_name(sink_[name]));
    return found->second;
}

FactRow<GpuFacts>& XspaceReader::add_work(const LineState& state, const XspaceEvent& event,
                                          const Time& time, LocalId name,
                                          const CategoryWord& category, uint64_t source) {
    auto& row = sink_.attach<GpuFacts>(add_slice(state.lane, time, name, category, source));
    row.device = device_.ordinal;
    row.stream = stream_;
    const int64_t correlation = event.stats.number(XspaceKey::correlation).value_or(0);
    if (correlation != 0) row.correlation = correlation;
    return row;
}

void XspaceReader::take_stream_event(const LineState& state, const XspaceEvent& event,
                                     const Time& time, const Name& name, uint64_t source) {
    add_flows(state, event, time, source);
    const std::string_view written = sink_[name.name];
    const std::string_view copy = event.stats.text(XspaceKey::memcpy_details);
    const std::string_view set = event.stats.text(XspaceKey::memset_details);
    if (!copy.empty() || written.starts_with("Memcpy")) {
        const LocalId as = sink_.text(xspace_copy_name(written, copy));
        auto& row = add_work(state, event, time, as, kXspaceCopy, source);
        if (const auto bytes = xspace_number(xspace_detail(copy, "size"))) row.bytes = *bytes;
        return;
    }
    if (!set.empty() || written.starts_with("Memset")) {
        auto& row = add_work(state, event, time, name.name, kXspaceSet, source);
        if (const auto bytes = xspace_number(xspace_detail(set, "size"))) row.bytes = *bytes;
        return;
    }
    const std::string_view details = event.stats.text(XspaceKey::kernel_details);
    if (details.find("static_shared:") != std::string_view::npos)
        untried_.insert("kernel details with static_shared");
    const LocalId as = kernel_name(name.name);
    add_work(state, event, time, as, kXspaceKernel, source).config = xspace_launch_config(details);
}

void XspaceReader::take_op(const LineState& state, const XspaceEvent& event, const Time& time,
                           const Name& name, uint64_t source) {
    add_flows(state, event, time, source);
    XspaceOp op = name.op;
    if (const std::string_view own = event.stats.text(XspaceKey::hlo_category); !own.empty())
        op = xspace_op(sink_[name.name], own);
    if (op == XspaceOp::wait) {
        add_slice(waits_, time, name.name, kXspaceWait, source);
        return;
    }
    const XspaceParts parts =
        event_number_ < parts_.size() ? parts_[event_number_] : XspaceParts::none;
    if (parts == XspaceParts::most || (op == XspaceOp::region && parts != XspaceParts::none)) {
        add_slice(state.lane, time, name.name, kXspaceRegion, source);
        return;
    }
    add_work(state, event, time, name.name,
             op == XspaceOp::collective ? kXspaceCollective : kXspaceKernel, source);
}

void XspaceReader::take_async(const LineState& state, const XspaceEvent& event, const Time& time,
                              const Name& name, uint64_t source) {
    const std::size_t number =
        event_number_ < lane_of_event_.size() ? lane_of_event_[event_number_] : 0;
    LineState there = state;
    there.lane = async_lanes_[std::min(number, async_lanes_.size() - 1)];
    add_flows(there, event, time, source);
    add_slice(there.lane, time, name.name, kXspaceAsync, source);
}

void XspaceReader::take_wait(const LineState& state, const XspaceEvent& event, const Time& time,
                             const Name& name, uint64_t source) {
    add_flows(state, event, time, source);
    add_slice(state.lane, time, name.name, name.op == XspaceOp::wait ? kXspaceWait : kXspaceDerived,
              source);
}

void XspaceReader::take_step(const LineState&, const XspaceEvent& event, const Time& time,
                             const Name& name, uint64_t source) {
    std::optional<int64_t> number = event.stats.number(XspaceKey::step_name);
    if (!number) number = event.stats.number(XspaceKey::step_number);
    if (!number) number = xspace_number(sink_[name.name]);
    const LocalId marked = number ? sink_.text(fmt::format("ProfilerStep#{}", *number)) : name.name;
    steps_.push_back({time, name.name, marked, source});
}

void XspaceReader::take_derived(const LineState& state, const XspaceEvent& event, const Time& time,
                                const Name& name, uint64_t source) {
    add_flows(state, event, time, source);
    add_slice(state.lane, time, name.name, kXspaceDerived, source);
}

}  // namespace lanescope
