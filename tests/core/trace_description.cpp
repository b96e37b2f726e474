#include "tests/core/trace_description.h"

#include <fmt/format.h>

#include <algorithm>
#include <tuple>
#include <vector>

#include "core/trace/devices.h"

namespace lanescope::testing {

namespace {

class Describer {
  public:
    Describer(const Trace& trace, DescribedOrder order)
        : trace_(trace), any_order_(order == DescribedOrder::any) {}

    std::string text() {
        whole();
        for (LaneId lane = 0; lane < trace_.lanes.size(); ++lane) describe_lane(lane);
        calls();
        events();
        links();
        facts();
        flush();
        return std::move(out_);
    }

  private:
    template <typename... Values>
    void line(fmt::format_string<Values...> format, Values&&... values) {
        lines_.push_back(fmt::format(format, std::forward<Values>(values)...));
    }

    // Related lines are sorted if file order must not matter.
    void flush() {
        if (any_order_) std::sort(lines_.begin(), lines_.end());
        for (const std::string& l : lines_) out_.append(l).push_back('\n');
        lines_.clear();
    }

    std::string_view string(StringId id) const { return trace_.strings[id]; }
    std::string_view category(CategoryId id) const { return string(trace_.categories[id].name); }

    std::string slice(SliceRef s) const {
        if (!s) return "none";
        const auto [chunk, i] = trace_.lanes[s.lane].locate(s.index);
        std::string text = fmt::format("{}:{}+{} '{}'", s.lane, chunk->start[i], chunk->duration[i],
                                       string(chunk->name[i]));
        if (!any_order_) fmt::format_to(std::back_inserter(text), " #{}", s.index);
        return text;
    }

    template <typename T>
    static std::string value(const Column<T>& column, std::size_t row) {
        return column.empty() ? "-" : number(column[row]);
    }
    template <typename T>
    static std::string number(T v) {
        return static_cast<int64_t>(v) == kNoValue ? "-" : fmt::format("{}", v);
    }
    std::string text_value(const Column<StringId>& column, std::size_t row) const {
        return column.empty() ? "''" : fmt::format("'{}'", string(column[row]));
    }

    void whole() {
        line("origin {} end {} content {}..{} unix {} synthetic {}", trace_.origin, trace_.end,
             trace_.content.begin, trace_.content.end, trace_.base_unix_nanos, trace_.synthetic);
        for (const Process& p : trace_.processes)
            line("process '{}' '{}' '{}' sort {} gpu {} device {} own {} owner {}", string(p.pid),
                 string(p.name), string(p.labels), p.sort_index, p.is_gpu, p.device,
                 p.is_profilers_own, p.owner);
        flush();
        for (const Category& c : trace_.categories)
            line("category '{}' {}", string(c.name), event_class_name(c.event_class));
        flush();
        for (const auto& [key, json] : trace_.metadata) line("metadata '{}' {}", key, json);
        for (const Device& d : trace_.devices) {
            line("device {} '{}'", d.id, d.name);
            for (const auto& [key, v] : named_facts(d)) line("  {} {}", key, v);
        }
        flush();
    }

    void describe_lane(LaneId id) {
        const Lane& lane = trace_.lanes[id];
        out_ += fmt::format("lane {} kind {} process {} tid '{}' name '{}' sort {} slices {}\n", id,
                            static_cast<int>(lane.kind), lane.process, string(lane.tid),
                            string(lane.name), lane.sort_index, lane.slice_count);
        for (const auto& chunk : lane.chunks) describe_chunk(*chunk);
        flush();
        if (lane.instants) describe_instants(*lane.instants);
        if (lane.counter) add_times("values", lane.counter->time);
        if (lane.counter)
            for (std::size_t i = 0; i < lane.counter->time.size(); ++i)
                line("  value {} {}", lane.counter->time[i], lane.counter->value[i]);
        flush();
    }

    void describe_chunk(const Chunk& chunk) {
        for (std::size_t depth = 0; depth < chunk.rows.size(); ++depth) {
            const DepthRow& row = chunk.rows[depth];
            for (uint32_t i = row.begin; i < row.end; ++i) {
                line("  slice {}+{} '{}' [{}]{}", chunk.start[i], chunk.duration[i],
                     string(chunk.name[i]), category(chunk.category[i]),
                     any_order_ ? "" : fmt::format(" depth {} @{}", depth, chunk.source[i]));
                // For slices with equal times, file order decides which is the outer one.
                if (any_order_)
                    line("  at depth {} {}+{}", depth, chunk.start[i], chunk.duration[i]);
            }
            line("  depth {} levels {} entries {}", depth, row.levels.levels.size(),
                 row.levels.entries.size());
        }
    }

    // Unsorted: sorting the lines would hide a column that is out of order.
    void add_times(std::string_view what, const Column<Nanos>& times) {
        out_ += fmt::format("  {} at {}\n", what, fmt::join(times, " "));
    }

    void describe_instants(const Instants& instants) {
        add_times("instants", instants.time);
        for (std::size_t i = 0; i < instants.time.size(); ++i)
            line("  instant {} '{}' [{}]{}", instants.time[i], string(instants.name[i]),
                 category(instants.category[i]),
                 any_order_ ? "" : fmt::format(" @{}", instants.source[i]));
    }

    void calls() {
        const GpuActivities& gpu = trace_.gpu_activities;
        for (std::size_t i = 0; i < gpu.slice.size(); ++i)
            line("gpu {} corr {} ext {} device {} stream {} bytes {} node {} {}",
                 slice(gpu.slice[i]), value(gpu.correlation, i), value(gpu.external_id, i),
                 value(gpu.device, i), value(gpu.stream, i), value(gpu.bytes, i),
                 value(gpu.graph_node, i), config(gpu.config[i]));
        const RuntimeCalls& runtime = trace_.runtime_calls;
        for (std::size_t i = 0; i < runtime.slice.size(); ++i)
            line("runtime {} corr {} ext {}", slice(runtime.slice[i]),
                 value(runtime.correlation, i), value(runtime.external_id, i));
        const Operators& ops = trace_.operators;
        for (std::size_t i = 0; i < ops.slice.size(); ++i)
            line("operator {} ext {} seq {} fwd {} {} {} {} {} {} {} {} {}", slice(ops.slice[i]),
                 value(ops.external_id, i), value(ops.sequence, i), value(ops.forward_thread, i),
                 text_value(ops.input_dims, i), text_value(ops.input_types, i),
                 text_value(ops.input_strides, i), text_value(ops.concrete_inputs, i),
                 text_value(ops.call_stack, i), text_value(ops.module_hierarchy, i),
                 text_value(ops.kernel_gigabytes, i), text_value(ops.kernel_flop, i));
        const PythonFrames& python = trace_.python_frames;
        for (std::size_t i = 0; i < python.slice.size(); ++i)
            line("python {} id {} parent {} module {}", slice(python.slice[i]),
                 value(python.python_id, i), value(python.parent_id, i),
                 value(python.module_id, i));
    }

    std::string config(uint32_t row) const {
        if (row == kNoRow) return "-";
        const LaunchConfig& c = trace_.launch_configs[row];
        return fmt::format("grid {},{},{} block {},{},{} registers {} shared {} occupancy {}",
                           c.grid[0], c.grid[1], c.grid[2], c.block[0], c.block[1], c.block[2],
                           c.registers_per_thread, c.shared_memory_bytes,
                           c.kineto_occupancy_percent);
    }

    void events() {
        const MemoryEvents& m = trace_.memory_events;
        add_times("memory events", m.time);
        for (std::size_t i = 0; i < m.time.size(); ++i)
            line("memory {} lane {} at {} bytes {} allocated {} reserved {} device {} {}",
                 m.time[i], m.lane[i], value(m.address, i), value(m.bytes, i),
                 value(m.total_allocated, i), value(m.total_reserved, i), m.device_type[i],
                 m.device_id[i]);
        const Collectives& c = trace_.collectives;
        for (std::size_t i = 0; i < c.slice.size(); ++i)
            line("collective {} {} {} {} {} {} {} {} in {} out {} size {} number {} peer {}",
                 slice(c.slice[i]), text_value(c.name, i), text_value(c.dtype, i),
                 text_value(c.group_name, i), text_value(c.group_ranks, i),
                 text_value(c.group_description, i), text_value(c.in_split, i),
                 text_value(c.out_split, i), value(c.in_elements, i), value(c.out_elements, i),
                 value(c.group_size, i), value(c.sequence, i), value(c.peer, i));
        const Synchronisations& s = trace_.synchronisations;
        for (std::size_t i = 0; i < s.slice.size(); ++i)
            line("sync {} {} corr {} stream {} on {} {} {}", slice(s.slice[i]),
                 text_value(s.kind, i), value(s.correlation, i), value(s.stream, i),
                 value(s.wait_on_stream, i), value(s.wait_on_event_correlation, i),
                 value(s.wait_on_event, i));
        const SampledCalls& calls = trace_.sampled_calls;
        for (std::size_t i = 0; i < calls.slice.size(); ++i)
            line("sampled {} samples {} cpu {} module {} gil {} running {}", slice(calls.slice[i]),
                 value(calls.samples, i), value(calls.cpu_time, i), text_value(calls.module, i),
                 value(calls.gil_samples, i), value(calls.running_samples, i));
    }

    void links() {
        for (const Link& link : trace_.links)
            line("link {} -> {} kind {}", slice(link.from), slice(link.to),
                 static_cast<int>(link.kind));
        for (const uint32_t i : trace_.links_by_target)
            line("by target {} <- {}", slice(trace_.links[i].to), slice(trace_.links[i].from));
        flush();
    }

    void facts() {
        const FileFacts& f = trace_.facts;
        line("facts {} '{}' events {} rows {} zero {} stack {} overlaps {} gpu {} launched {}",
             f.format, f.producer, f.events, f.rows_with_complete_events, f.zero_duration,
             f.max_stack, f.partial_overlaps, f.gpu_activities, f.gpu_activities_with_launch);
        for (const auto& [phase, n] : f.phases) line("phase '{}' {}", phase, n);
        for (const auto& [name, n] : f.complete_by_category) line("complete '{}' {}", name, n);
        for (const auto& [name, n] : f.duration_ns_by_category) line("time '{}' {}", name, n);
        for (const Warning& w : trace_.warnings) {
            line("warning {} {} '{}'", w.code, w.count, w.text);
            if (!any_order_) line("  first {} of {}", w.byte_offset, fmt::join(w.offsets, " "));
        }
    }

    const Trace& trace_;
    bool any_order_;
    std::vector<std::string> lines_;
    std::string out_;
};

std::string_view line_at(const std::string& text, std::size_t begin) {
    return std::string_view(text).substr(begin, text.find('\n', begin) - begin);
}

}  // namespace

std::string describe(const Trace& trace, DescribedOrder order) {
    return Describer(trace, order).text();
}

std::string first_difference(const std::string& a, const std::string& b) {
    if (a == b) return "";
    const auto [end, other] = std::mismatch(a.begin(), a.end(), b.begin(), b.end());
    const auto at = static_cast<std::size_t>(end - a.begin());
    const std::size_t newline = at == 0 ? std::string::npos : a.rfind('\n', at - 1);
    const std::size_t begin = newline == std::string::npos ? 0 : newline + 1;
    return fmt::format("\n  {}\n  {}", line_at(a, begin), line_at(b, std::min(begin, b.size())));
}

}  // namespace lanescope::testing
