#include "core/insight/compare/compiled_profile.h"

#include <algorithm>
#include <map>

#include "core/analysis/compile/compiled_programs.h"
#include "core/analysis/compile/compiled_work.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/call_tree.h"

namespace lanescope {

namespace {

std::vector<std::string> sources_of(const CallSite& site) {
    std::vector<std::string> sources;
    for (const SourceLine& line : site.lines)
        sources.push_back(line.code.empty() ? short_place(line) : line.code);
    std::ranges::sort(sources);
    return sources;
}

std::string direction_of(const CompiledGraph& graph) {
    const std::size_t line = graph.aot_id.find('_');
    return line == std::string::npos ? std::string() : graph.aot_id.substr(line + 1);
}

void add_graphs(const Trace& trace, const CompiledPrograms& programs, const TableQuery& query,
                double steps, CompiledProfile& profile) {
    const CompiledCode& code = *programs.code;
    for (const CompiledGraph& graph : code.graphs) {
        const Compilation& compile = code.compiles[graph.compile];
        ProfiledGraph& one = profile.graphs.emplace_back();
        one.function = compile.function;
        if (!compile.file.empty()) one.place = short_place({compile.file, compile.line, {}, {}});
        one.name = graph.aot_id;
        if (const std::string id = text_of(compile.id); !id.empty())
            one.name += (one.name.empty() ? "" : " in ") + id;
        one.direction = direction_of(graph);
    }
    for (const GraphCall& call : programs.calls)
        if (call.graph != kNoRow && query.has(trace.start(call.slice)))
            profile.graphs[call.graph].calls += 1 / steps;
    for (const CompiledWork& work : compiled_work(trace, programs, query)) {
        if (work.graph == kNoRow || !work.site) continue;
        ProfiledKernel& kernel = profile.graphs[work.graph].kernels.emplace_back();
        kernel.name = work.name;
        kernel.operators = work.site->operators;
        kernel.sources = sources_of(*work.site);
        for (const SourceLine& line : work.site->lines) kernel.lines.push_back(short_place(line));
        kernel.grade = work.operators_grade();
        kernel.time = static_cast<double>(work.time) / steps;
        kernel.calls = static_cast<double>(work.calls) / steps;
    }
}

void add_guards(const CompiledCode& code, CompiledProfile& profile) {
    using Kind = ProfiledGuard::Kind;
    const auto place_of = [](const SourceLine& line) {
        return line.file.empty() ? std::string() : short_place(line);
    };
    for (const Compilation& compile : code.compiles)
        for (const std::string& guard : compile.guard_texts)
            profile.guards.push_back({Kind::guard, compile.function, guard, {}});
    for (const FailedGuard& guard : code.failed_guards)
        profile.guards.push_back({Kind::failed, code.compiles[guard.compile].function, guard.guard,
                                  place_of(guard.place)});
    for (const GraphBreak& found : code.breaks)
        profile.guards.push_back({Kind::graph_break, code.compiles[found.compile].function,
                                  found.reason, place_of(found.place)});
    std::ranges::sort(profile.guards);
    profile.guards.erase(std::unique(profile.guards.begin(), profile.guards.end()),
                         profile.guards.end());
}

// Sums up operators outside of compiled graphs and compilations.
class OperatorReader {
  public:
    OperatorReader(const TraceContext& context, const CompiledPrograms& programs,
                   const TableQuery& query)
        : trace_(context.trace()),
          trees_(context.get<CallTrees>().by_lane),
          attribution_(context.get<Attribution>()),
          programs_(programs),
          query_(query) {
        is_name_.resize(trace_.strings.size());
        for (StringId id = 0; id < is_name_.size(); ++id)
            is_name_[id] = is_operator_name(trace_.strings[id]);
    }

    struct Sum {
        Nanos time = 0;
        int64_t calls = 0;
    };

    const std::map<StringId, Sum>& run() {
        for (const GraphCall& call : programs_.calls) compiled_.push_back(call.slice);
        for (const RecordedCompile& compile : programs_.compiles)
            compiled_.push_back(compile.slice);
        std::ranges::sort(compiled_);
        for (LaneId lane = 0; lane < trace_.lanes.size(); ++lane)
            if (trace_.lanes[lane].kind == LaneKind::thread) read_lane(lane);
        if (programs_.on_gpu) add_gpu_time();
        return sums_;
    }

  private:
    // Excludes the profiler's rows for compilations and backward functions.
    static bool is_operator_name(std::string_view name) {
        return name.find("::") != std::string_view::npos && !name.starts_with("autograd::");
    }

    bool is_compiled(SliceRef slice) const { return std::ranges::binary_search(compiled_, slice); }

    void read_lane(LaneId lane) {
        const CallTree& tree = trees_[lane];
        std::vector<bool> inside(tree.parent.size());
        // By call: the innermost operator around it.
        std::vector<uint32_t> around(tree.parent.size(), CallTree::none);
        for (const uint32_t i : tree.order) {
            const SliceRef slice{lane, i};
            const uint32_t parent = tree.parent[i];
            const bool has_parent = parent != CallTree::none;
            inside[i] = (has_parent && inside[parent]) || is_compiled(slice);
            const uint32_t outer = has_parent ? around[parent] : CallTree::none;
            around[i] = outer;
            if (inside[i] || trace_.event_class(slice) != EventClass::op ||
                !is_name_[trace_.name_id(slice)])
                continue;
            around[i] = i;
            if (!query_.has(trace_.start(slice))) continue;
            Sum& sum = sums_[trace_.name_id(slice)];
            ++sum.calls;
            if (programs_.on_gpu) continue;
            sum.time += trace_.duration(slice);
            if (outer != CallTree::none && query_.has(trace_.start({lane, outer})))
                sums_[trace_.name_id({lane, outer})].time -= trace_.duration(slice);
        }
    }

    void add_gpu_time() {
        for (uint32_t row = 0; row < trace_.gpu_activities.slice.size(); ++row) {
            const SliceRef slice = trace_.gpu_activities.slice[row];
            if (!query_.has(trace_.start(slice)) || !attribution_.op[row]) continue;
            if (!programs_.call_of_row.empty() && programs_.call_of_row[row] != kNoRow) continue;
            if (const auto sum = sums_.find(trace_.name_id(attribution_.op[row]));
                sum != sums_.end())
                sum->second.time += trace_.duration(slice);
        }
    }

    const Trace& trace_;
    const std::vector<CallTree>& trees_;
    const Attribution& attribution_;
    const CompiledPrograms& programs_;
    const TableQuery& query_;
    std::vector<bool> is_name_;  // by StringId
    std::vector<SliceRef> compiled_;
    std::map<StringId, Sum> sums_;
};

}  // namespace

CompiledProfile profile_compiled_code(const TraceContext& context, std::optional<TimeRange> range,
                                      std::size_t steps) {
    const Trace& trace = context.trace();
    const auto& programs = context.get<CompiledPrograms>();
    const TableQuery query{range};
    const auto divisor = static_cast<double>(std::max<std::size_t>(steps, 1));
    CompiledProfile profile;
    profile.runs_compiled_code = !programs.regions.empty() || !programs.calls.empty() ||
                                 !programs.sites.empty() || !programs.loose.empty();
    profile.has_code = !programs.code->empty();
    profile.on_gpu = programs.on_gpu;
    add_graphs(trace, programs, query, divisor, profile);
    add_guards(*programs.code, profile);
    OperatorReader reader(context, programs, query);
    for (const auto& [name, sum] : reader.run())
        profile.operators.push_back({std::string(trace.strings[name]),
                                     static_cast<double>(sum.time) / divisor,
                                     static_cast<double>(sum.calls) / divisor});
    return profile;
}

}  // namespace lanescope
