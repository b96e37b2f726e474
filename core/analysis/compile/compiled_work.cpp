#include "core/analysis/compile/compiled_work.h"

#include <map>
#include <utility>

#include "core/analysis/compile/site_match.h"

namespace lanescope {

namespace {

class WorkReader {
  public:
    WorkReader(const Trace& trace, const CompiledPrograms& programs, const TableQuery& query)
        : trace_(trace), programs_(programs), query_(query) {}

    std::vector<CompiledWork> run() {
        add_sites();
        for (const SiteCall& call : programs_.sites)
            if (query_.has(trace_.start(call.slice))) add_call(call);
        for (uint32_t row = 0; row < programs_.call_of_row.size(); ++row)
            if (const uint32_t call = programs_.call_of_row[row]; call != kNoRow)
                add_activity(programs_.sites[call], row);
        for (const LooseKernel& kernel : programs_.loose) add_kernel(kernel);
        return std::move(work_);
    }

  private:
    void add_sites() {
        const CompiledCode& code = *programs_.code;
        for (uint32_t g = 0; g < code.graphs.size(); ++g)
            for (const CallSite& site : code.graphs[g].sites) {
                by_site_.emplace(&site, work_.size());
                CompiledWork& work = work_.emplace_back();
                work.name = site.name;
                work.graph = g;
                work.site = &site;
                work.id = code.compiles[code.graphs[g].compile].id;
            }
    }

    CompiledWork& named(uint32_t graph, const CompileId& id, std::string_view name) {
        const auto [known, is_new] =
            by_name_.try_emplace({graph, id, std::string(name)}, work_.size());
        if (is_new) {
            CompiledWork& work = work_.emplace_back();
            work.name = name;
            work.graph = graph;
            work.id = id;
            work.grade = LinkGrade::guess;
        }
        return work_[known->second];
    }

    CompiledWork& work_of(const SiteCall& call) {
        const CallSite* const site = programs_.site_of(call);
        if (!site) return named(call.graph, programs_.id_of(call), common_name(call.name));
        CompiledWork& work = work_[by_site_.at(site)];
        work.grade = weaker(work.grade, call.grade);
        return work;
    }

    void add_call(const SiteCall& call) {
        CompiledWork& work = work_of(call);
        ++work.calls;
        work.add(call.slice, programs_.on_gpu ? 0 : trace_.duration(call.slice));
    }

    void add_activity(const SiteCall& call, uint32_t row) {
        const SliceRef slice = trace_.gpu_activities.slice[row];
        if (!query_.has_work(row, trace_.start(slice))) return;
        CompiledWork& work = work_of(call);
        ++work.kernels;
        work.add(slice, trace_.duration(slice));
    }

    void add_kernel(const LooseKernel& kernel) {
        const SliceRef slice = trace_.gpu_activities.slice[kernel.row];
        if (!query_.has_work(kernel.row, trace_.start(slice))) return;
        const CallSite* const site = programs_.site_of(kernel);
        CompiledWork& work =
            site ? work_[by_site_.at(site)] : named(kNoRow, {}, trace_.name(slice));
        ++work.kernels;
        if (site) work.grade = weaker(work.grade, kernel.grade);
        work.add(slice, trace_.duration(slice));
    }

    const Trace& trace_;
    const CompiledPrograms& programs_;
    const TableQuery& query_;
    std::vector<CompiledWork> work_;
    std::map<const CallSite*, std::size_t> by_site_;
    std::map<std::tuple<uint32_t, CompileId, std::string>, std::size_t> by_name_;
};

}  // namespace

std::vector<CompiledWork> compiled_work(const Trace& trace, const CompiledPrograms& programs,
                                        const TableQuery& query) {
    return WorkReader(trace, programs, query).run();
}

Nanos whole_kernel_time(const Trace& trace, const CompiledPrograms& programs,
                        const TableQuery& query) {
    Nanos time = 0;
    for (uint32_t row = 0; row < trace.gpu_activities.slice.size(); ++row) {
        const SliceRef slice = trace.gpu_activities.slice[row];
        if (query.has_work(row, trace.start(slice))) time += trace.duration(slice);
    }
    if (!programs.on_gpu)
        for (const SiteCall& call : programs.sites)
            if (query.has(trace.start(call.slice))) time += trace.duration(call.slice);
    return time;
}

std::string joined(const std::vector<std::string>& words) {
    std::string text;
    for (const std::string& word : words) text += (text.empty() ? "" : ", ") + word;
    return text;
}

std::string joined_places(const std::vector<SourceLine>& lines) {
    std::string text;
    for (const SourceLine& line : lines) text += (text.empty() ? "" : ", ") + short_place(line);
    return text;
}

}  // namespace lanescope
