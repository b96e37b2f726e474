#include "core/analysis/compile/compiled_programs.h"

#include <algorithm>
#include <array>
#include <map>
#include <memory>
#include <unordered_map>
#include <utility>

#include "core/analysis/compile/site_match.h"
#include "core/analysis/context.h"
#include "core/analysis/structure/attribution.h"
#include "core/analysis/structure/lane_view.h"

namespace lanescope {

namespace {

constexpr std::string_view kRegionName = "Torch-Compiled Region: ";
constexpr std::string_view kCallName = "## Call CompiledFxGraph ";
constexpr std::string_view kCompileName = "_compile.compile_inner (dynamo_timed)";
constexpr std::string_view kCompileIdWord = "compile_id=";

enum class NameKind : uint8_t { other, region, call, compile, compile_data };

NameKind kind_of(std::string_view name) {
    if (name.starts_with(kRegionName)) return NameKind::region;
    if (name.starts_with(kCallName)) return NameKind::call;
    if (name == kCompileName) return NameKind::compile;
    if (name.find("_data: ") != std::string_view::npos &&
        name.find(kCompileIdWord) != std::string_view::npos)
        return NameKind::compile_data;
    return NameKind::other;
}

std::string_view key_of(std::string_view name) {
    name.remove_prefix(kCallName.size());
    const std::string_view key = name.substr(0, name.find(' '));
    return key == "None" ? std::string_view() : key;
}

// The regions, calls of graphs and calls of their kernels on one thread.
class ThreadReader {
  public:
    ThreadReader(const TraceContext& context, const std::vector<NameKind>& kinds,
                 CompiledPrograms& found)
        : trace_(context.trace()),
          trees_(context.get<CallTrees>()),
          attribution_(context.get<Attribution>()),
          kinds_(kinds),
          found_(found) {}

    void read(LaneId lane) {
        const CallTree& tree = trees_.by_lane[lane];
        const LaneView view(trace_.lanes[lane]);
        places_.assign(view.size(), {});
        CompileId last;
        for (const uint32_t i : tree.order) {
            const uint32_t parent = tree.parent[i];
            Place place = parent == CallTree::none ? Place() : places_[parent];
            const std::string_view name = trace_.strings[view.name(i)];
            const SliceRef slice{lane, i};
            switch (kinds_[view.name(i)]) {
                case NameKind::region:
                    add_region(slice, name, place);
                    break;
                case NameKind::call:
                    add_call(slice, name, place);
                    break;
                case NameKind::compile_data:
                    last = compile_id_of(
                        name.substr(name.find(kCompileIdWord) + kCompileIdWord.size()));
                    break;
                case NameKind::compile:
                    add_compile(slice, last, place);
                    break;
                case NameKind::other:
                    if (place.call != kNoRow && !place.in_site) add_site(slice, name, place);
            }
            places_[i] = place;
        }
    }

  private:
    // The region, graph call, compilation and kernel call around a slice.
    struct Place {
        uint32_t region = kNoRow;
        uint32_t call = kNoRow;
        bool in_compile = false;
        bool in_site = false;
    };

    void take_from_region(const Place& place, Nanos time) {
        if (place.region != kNoRow && !place.in_compile) found_.regions[place.region].own -= time;
    }

    void add_region(SliceRef slice, std::string_view name, Place& place) {
        take_from_region(place, trace_.duration(slice));
        found_.regions.push_back({slice, compile_id_of(name.substr(kRegionName.size())),
                                  place.region, trace_.duration(slice)});
        place = {static_cast<uint32_t>(found_.regions.size() - 1), kNoRow, false, false};
    }

    void add_compile(SliceRef slice, const CompileId& id, Place& place) {
        take_from_region(place, trace_.duration(slice));
        found_.compiles.push_back({slice, id});
        place.in_compile = true;
    }

    void add_call(SliceRef slice, std::string_view name, Place& place) {
        GraphCall call;
        call.slice = slice;
        call.key = key_of(name);
        if (place.region != kNoRow) call.id = found_.regions[place.region].id;
        found_.calls.push_back(call);
        place.call = static_cast<uint32_t>(found_.calls.size() - 1);
    }

    void add_site(SliceRef slice, std::string_view name, Place& place) {
        const EventClass of = trace_.event_class(slice);
        SiteCall site;
        site.slice = slice;
        site.name = name;
        site.graph_call = place.call;
        if (of == EventClass::runtime) {
            const auto launched = attribution_.launched_by(slice);
            if (launched.empty()) return;
            site.name = trace_.name(trace_.gpu_activities.slice[launched.front()]);
        } else if (of != EventClass::op && of != EventClass::communication &&
                   !is_generated_kernel(name)) {
            return;
        }
        place.in_site = true;
        found_.sites.push_back(site);
    }

    const Trace& trace_;
    const CallTrees& trees_;
    const Attribution& attribution_;
    const std::vector<NameKind>& kinds_;
    CompiledPrograms& found_;
    std::vector<Place> places_;
};

// The graph that a call runs: by its key, else as the only one of its compilation and direction.
class GraphFinder {
  public:
    explicit GraphFinder(const CompiledCode& code) : code_(code) {
        for (uint32_t i = 0; i < code.graphs.size(); ++i) {
            const CompiledGraph& graph = code.graphs[i];
            if (!graph.key.empty()) by_key_[graph.key].push_back(i);
            by_id_[code.compiles[graph.compile].id].push_back(i);
        }
    }

    // `is_own`: the call's process is the one that the code belongs to.
    void find(GraphCall& call, bool is_own, bool is_backward) const {
        if (const auto same = by_key_.find(call.key); same != by_key_.end()) {
            call.graph = same->second.front();
            // One key of several compilations stands for the same code.
            for (const uint32_t graph : same->second)
                if (code_.compiles[code_.graphs[graph].compile].id == call.id) call.graph = graph;
        } else if (call.key.empty() && is_own && call.id != CompileId()) {
            const auto all = by_id_.find(call.id);
            if (all == by_id_.end()) return;
            for (const uint32_t graph : all->second) {
                if (code_.graphs[graph].is_backward() != is_backward) continue;
                if (call.graph != kNoRow) {
                    call.graph = kNoRow;
                    return;
                }
                call.graph = graph;
            }
            call.grade = LinkGrade::name;
        }
        if (call.graph != kNoRow && call.id.frame < 0)
            call.id = code_.compiles[code_.graphs[call.graph].compile].id;
    }

  private:
    const CompiledCode& code_;
    std::map<std::string, std::vector<uint32_t>, std::less<>> by_key_;
    std::map<CompileId, std::vector<uint32_t>> by_id_;
};

bool is_backward_call(const TraceContext& context, SliceRef slice) {
    for (const SliceRef around : enclosing(context.get<CallTrees>().by_lane, slice))
        if (context.trace().name(around) == "CompiledFunctionBackward") return true;
    return false;
}

// Whether the process of a call is the one that the code belongs to, as far as that is known.
bool is_own_code(const Trace& trace, const CompiledCode& code, SliceRef call) {
    if (code.pid < 0 || !call) return true;
    const Process& process = trace.processes[trace.lanes[call.lane].process];
    return trace.strings[process.pid] == std::to_string(code.pid);
}

// Finds the place in the code of each call of a kernel.
void match_sites(CompiledPrograms& found) {
    std::map<uint32_t, SiteMatcher> matchers;  // by graph
    for (std::size_t begin = 0; begin < found.sites.size();) {
        std::size_t end = begin + 1;
        while (end < found.sites.size() &&
               found.sites[end].graph_call == found.sites[begin].graph_call)
            ++end;
        const GraphCall& call = found.calls[found.sites[begin].graph_call];
        if (call.graph != kNoRow) {
            std::vector<std::string_view> names;
            for (std::size_t i = begin; i < end; ++i) names.push_back(found.sites[i].name);
            const auto matcher =
                matchers.try_emplace(call.graph, found.code->graphs[call.graph].sites).first;
            const std::vector<SiteMatch> matches = matcher->second.match(names);
            for (std::size_t i = begin; i < end; ++i) {
                found.sites[i].graph = call.graph;
                found.sites[i].site = matches[i - begin].site;
                found.sites[i].grade = weaker(call.grade, matches[i - begin].grade);
            }
        }
        begin = end;
    }
}

// The call site that the trace's file states for a slice; null: none.
const SourceLink* link_of(const Trace& trace, const CompiledCode& code, SliceRef slice) {
    const auto [chunk, i] = trace.lanes[slice.lane].locate(slice.index);
    if (chunk->source.empty()) return nullptr;
    const auto found =
        std::ranges::lower_bound(code.links, chunk->source[i], {}, &SourceLink::source);
    return found == code.links.end() || found->source != chunk->source[i] ? nullptr : &*found;
}

// Adds the calls of call sites that the file states.
void add_linked_calls(const Trace& trace, CompiledPrograms& found) {
    if (found.code->links.empty()) return;
    for (const SliceRef slice : trace.operators.slice)
        if (const SourceLink* const link = link_of(trace, *found.code, slice)) {
            SiteCall& call = found.sites.emplace_back();
            call.slice = slice;
            call.name = trace.name(slice);
            call.graph = link->graph;
            call.site = link->site;
        }
}

// Adds the time of GPU work to the calls that launched it, and keeps the rest.
void add_gpu_work(const TraceContext& context, CompiledPrograms& found) {
    const Trace& trace = context.trace();
    const auto& trees = context.get<CallTrees>().by_lane;
    const Attribution& attribution = context.get<Attribution>();
    if (!found.sites.empty()) found.call_of_row.assign(trace.gpu_activities.slice.size(), kNoRow);
    std::map<std::string_view, std::pair<uint32_t, uint32_t>> unique;
    for (uint32_t g = 0; g < found.code->graphs.size(); ++g)
        for (uint32_t s = 0; s < found.code->graphs[g].sites.size(); ++s) {
            const auto [known, is_new] =
                unique.try_emplace(found.code->graphs[g].sites[s].name, g, s);
            if (!is_new) known->second = {kNoRow, kNoRow};
        }
    for (uint32_t row = 0; row < trace.gpu_activities.slice.size(); ++row) {
        const SliceRef slice = trace.gpu_activities.slice[row];
        const auto site_around = [&](SliceRef call) {
            uint32_t at = found.call_at(call);
            for (const SliceRef around : enclosing(trees, call))
                if (at == kNoRow) at = found.call_at(around);
            return at;
        };
        if (const SourceLink* const link =
                found.code->links.empty() ? nullptr : link_of(trace, *found.code, slice)) {
            found.loose.push_back({row, link->graph, link->site, LinkGrade::id});
            continue;
        }
        uint32_t at = kNoRow;
        if (const SliceRef caller = attribution.caller(row); caller && !found.sites.empty())
            at = site_around(caller);
        if (at != kNoRow) {
            found.call_of_row[row] = at;
            found.sites[at].gpu_time += trace.duration(slice);
            ++found.sites[at].kernels;
        } else if (is_generated_kernel(trace.name(slice))) {
            LooseKernel kernel{row};
            if (const auto only = unique.find(trace.name(slice));
                only != unique.end() && is_own_code(trace, *found.code, attribution.caller(row)))
                std::tie(kernel.graph, kernel.site) = only->second;
            found.loose.push_back(kernel);
        }
    }
}

}  // namespace

const CallSite* CompiledPrograms::site_of(const SiteCall& call) const {
    if (call.site == kNoRow) return nullptr;
    return &code->graphs[call.graph].sites[call.site];
}

CompileId CompiledPrograms::id_of(const SiteCall& call) const {
    if (call.graph_call != kNoRow) return calls[call.graph_call].id;
    return call.graph == kNoRow ? CompileId() : code->compiles[code->graphs[call.graph].compile].id;
}

const CallSite* CompiledPrograms::site_of(const LooseKernel& kernel) const {
    return kernel.site == kNoRow ? nullptr : &code->graphs[kernel.graph].sites[kernel.site];
}

uint32_t CompiledPrograms::call_at(SliceRef slice) const {
    const auto found = std::ranges::lower_bound(sites, slice, {}, &SiteCall::slice);
    if (found == sites.end() || found->slice != slice) return kNoRow;
    return static_cast<uint32_t>(found - sites.begin());
}

CompiledPrograms CompiledPrograms::compute(const TraceContext& context) {
    const Trace& trace = context.trace();
    CompiledPrograms found;
    found.code = trace.compiled_code ? trace.compiled_code : std::make_shared<const CompiledCode>();
    found.on_gpu = !trace.gpu_activities.slice.empty();
    std::vector<NameKind> kinds(trace.strings.size());
    bool any = false;
    for (StringId id = 0; id < kinds.size(); ++id) {
        kinds[id] = kind_of(trace.strings[id]);
        any = any || kinds[id] != NameKind::other;
    }
    if (any) {
        ThreadReader reader(context, kinds, found);
        for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
            if (trace.lanes[lane].kind == LaneKind::thread) reader.read(lane);
    }
    const GraphFinder graphs(*found.code);
    for (GraphCall& call : found.calls)
        graphs.find(call, is_own_code(trace, *found.code, call.slice),
                    is_backward_call(context, call.slice));
    match_sites(found);
    add_linked_calls(trace, found);
    std::ranges::sort(found.sites, {}, &SiteCall::slice);
    add_gpu_work(context, found);
    return found;
}

bool is_generated_kernel(std::string_view name) {
    if (name.starts_with("graph_")) return name.find("_cpp_fused") != std::string_view::npos;
    if (name.starts_with("cpp_fused")) return true;
    // Old versions named kernels only after their arguments: "triton__0d1d2d".
    return name.starts_with("triton__") ||
           (name.starts_with("triton_") && name.find("_fused") != std::string_view::npos);
}

std::string_view fused_names(std::string_view kernel) {
    constexpr std::string_view word = "_fused_";
    const std::size_t at = kernel.find(word);
    if (at == std::string_view::npos) return {};
    std::string_view names = kernel.substr(at + word.size());
    const std::size_t number = names.rfind('_');
    if (number != std::string_view::npos &&
        names.find_first_not_of("0123456789", number + 1) == std::string_view::npos)
        names = names.substr(0, number);
    return names;
}

}  // namespace lanescope
