// The JSON format of core/export/tables/summary_writer.h.
#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "core/analysis/structure/steps.h"
#include "core/export/tables/summary_writer.h"
#include "core/export/words/finding_text.h"
#include "core/export/words/summary_sentences.h"
#include "core/export/words/written_by.h"
#include "core/insight/findings/story.h"
#include "core/trace/join.h"

namespace lanescope {

namespace {

using Json = nlohmann::ordered_json;

template <typename List, typename Make>
Json list_of(const List& list, const Make& make) {
    Json all = Json::array();
    for (const auto& item : list) all.push_back(make(item));
    return all;
}

Json ratio(Nanos part, Nanos whole) {
    if (whole <= 0) return nullptr;
    return static_cast<double>(part) / static_cast<double>(whole);
}

Json word(std::string_view text) {
    return text.empty() ? Json() : Json(text);
}

Json ordinal(int32_t device) {
    return device < 0 ? Json() : Json(device);
}

Json name_of(const Trace& trace, SliceRef slice) {
    return slice ? Json(trace.name(slice)) : Json();
}

Json times_json(const SummaryDevice& device) {
    const BoundTimes& times = device.bound_times;
    return {{"of", device.bound_steps > 0 ? "steps" : "span"},
            {"steps", device.bound_steps},
            {"duration_ns", times.whole},
            {"gpu_busy_ns", times.busy},
            {"exposed_communication_ns", times.exposed_communication},
            {"data_loading_ns", times.data_loading},
            {"overhead_ns", times.overhead}};
}

Json pace_json(const SummarySteps& steps) {
    return steps.lag ? Json(step_pace_name(steps.lag->pace)) : Json();
}

Json steps_json(const SummaryText& text) {
    const SummarySteps& steps = text.summary.steps;
    const bool any = steps.all.size() > steps.warm_up;
    Json definition;
    if (!steps.all.empty())
        definition = text.context.get<Steps>().all[steps.all.front().step].definition();
    return {{"source", word(step_source_name(steps.source))},
            {"definition", definition},
            {"count", steps.all.size()},
            {"warm_up", steps.warm_up},
            {"windows", steps.windows},
            {"pace", pace_json(steps)},
            {"median_host_ns", steps.lag ? Json(steps.lag->host) : Json()},
            {"median_device_ns", steps.lag ? Json(steps.lag->device) : Json()},
            {"median_ns", any ? Json(steps.median) : Json()},
            {"min_ns", any ? Json(steps.min) : Json()},
            {"max_ns", any ? Json(steps.max) : Json()},
            {"odd", [&] {
                 Json odd = Json::array();
                 for (const SummaryStep& row : steps.all) {
                     if (!row.outlier) continue;
                     const Step& step = text.context.get<Steps>().all[row.step];
                     odd.push_back({{"name", text.trace.strings[step.name]},
                                    {"index", step.index},
                                    {"start_ns", step.range.begin - text.trace.origin},
                                    {"duration_ns", row.time},
                                    {"deviation", row.deviation}});
                 }
                 return odd;
             }()}};
}

Json gap_json(const Trace& trace, const GapStory& found) {
    const IdleGap& gap = found.gap;
    return {{"start_ns", gap.range.begin - trace.origin},
            {"duration_ns", gap.range.length()},
            {"cause", word(gap_cause_name(gap.cause))},
            {"in", name_of(trace, found.around.slice)},
            {"in_ns", found.around.slice ? Json(found.around.inside) : Json()},
            {"in_frame", name_of(trace, found.frame)},
            {"calls", list_of(found.calls,
                              [&](const GapCalls& calls) {
                                  return Json{{"name", trace.strings[calls.name]},
                                              {"count", calls.count},
                                              {"total_ns", calls.total},
                                              {"longest_ns", calls.longest.front().inside},
                                              {"loads_kernel", calls.loads_kernel}};
                              })},
            {"launch_start_ns", gap.launch ? Json(trace.start(gap.launch) - trace.origin) : Json()},
            {"threads", list_of(found.threads,
                                [&](const GapThread& thread) {
                                    return Json{
                                        {"thread", trace.strings[trace.lanes[thread.lane].name]},
                                        {"call", name_of(trace, thread.call.slice)},
                                        {"operator", name_of(trace, thread.op)},
                                        {"inside_ns", thread.call.inside},
                                        {"outlasts_the_gap", thread.outlasts}};
                                })},
            {"before", name_of(trace, trace.gpu_activities.slice[gap.before])},
            {"before_operator", name_of(trace, found.op_before)},
            {"after", name_of(trace, trace.gpu_activities.slice[gap.after])},
            {"after_operator", name_of(trace, found.op_after)}};
}

Json device_json(const Trace& trace, const SummaryDevice& device) {
    const TimeBreakdown& time = device.time;
    const auto overlap = time.overlap();
    Json name;
    for (const Device& d : trace.devices)
        if (d.id == device.device) name = d.name;
    return {
        {"device", ordinal(device.device)},
        {"pid", trace.strings[trace.processes[device.process].pid]},
        {"name", name},
        {"span_ns", time.span},
        {"busy_ns", time.busy},
        {"busy_share_of_span", ratio(time.busy, time.span)},
        {"steps_ns", device.steps},
        {"busy_in_steps_ns", device.busy_in_steps},
        {"busy_share_of_steps", ratio(device.busy_in_steps, device.steps)},
        {"idle_ns", time.idle},
        {"at_edges_ns", device.at_edges},
        {"idle_while_loading_data_ns", device.data_loading},
        {"idle_by_overhead_ns", device.overhead},
        {"bound", word(step_bound_name(device.bound))},
        {"bound_times", times_json(device)},
        {"compute_ns", time.compute},
        {"communication_ns", time.communication},
        {"exposed_communication_ns", time.exposed_communication},
        {"overlap", overlap ? Json(*overlap) : Json()},
        {"memory_ns", time.memory},
        {"exposed_memory_ns", time.exposed_memory},
        {"pageable_copies", device.pageable_copies},
        {"pageable_copies_ns", device.pageable_copy_time},
        {"kernels", device.kernels},
        {"launches", device.launches},
        {"deepest_queue", device.launches > 0 ? Json(device.deepest_queue) : Json()},
        {"gap_count", device.gap_count},
        {"idle_by_cause", list_of(device.causes,
                                  [](const SummaryCause& cause) {
                                      return Json{{"cause", word(gap_cause_name(cause.cause))},
                                                  {"gaps", cause.gaps},
                                                  {"total_ns", cause.total}};
                                  })},
        {"gaps", list_of(device.gaps, [&](const GapStory& gap) { return gap_json(trace, gap); })}};
}

Json operator_json(const Summary& summary, const Trace& trace, const SummaryOperator& op) {
    const bool shapes = !op.shapes.empty();
    return {{"name", trace.strings[op.name]},
            {"calls", op.calls},
            {"cpu_self_ns", op.cpu_self},
            {"cpu_self_share", ratio(op.cpu_self, summary.cpu_self)},
            {"device_self_by_launch_ns", op.device_self},
            {"input_shapes", word(op.shapes)},
            {"calls_with_shapes", shapes ? Json(op.shape_calls) : Json()}};
}

Json memory_json(const Trace& trace, const SummaryMemory& memory) {
    return {{"device", memory.device_type == 0 ? "CPU" : "GPU " + std::to_string(memory.device_id)},
            {"peak_allocated_bytes", memory.peak},
            {"peak_start_ns", memory.time - trace.origin},
            {"earlier_bytes", memory.earlier},
            {"holders", list_of(memory.holders, [&](const SummaryHolder& holder) {
                 return Json{{"operator", name_of(trace, holder.op)}, {"bytes", holder.bytes}};
             })}};
}

// Adds the GPU's name to a row if there are several GPUs.
Json on_device(const SummaryText& text, uint32_t place, const Json& rest) {
    Json object = {{"device", nullptr}, {"pid", nullptr}};
    object.update(rest);
    if (place == kNoRow) return object;
    const SummaryDevice& device = text.summary.devices[place];
    object = {{"device", ordinal(device.device)},
              {"pid", text.trace.strings[text.trace.processes[device.process].pid]}};
    object.update(rest);
    return object;
}

Json incomplete_json(const std::optional<Incomplete>& incomplete) {
    if (!incomplete) return {};
    Json object = {{"kind", incomplete_kind_name(incomplete->kind)},
                   {"byte_offset", nullptr},
                   {"events_read", incomplete->events_read}};
    if (incomplete->byte_offset != Error::no_offset)
        object["byte_offset"] = incomplete->byte_offset;
    return object;
}

Json samples_json(const Trace& trace, const SummarySamples& samples) {
    return {{"kind", sample_kind_name(samples.kind)},
            {"samples", std::llround(samples.all.samples)},
            {"time_ns", std::llround(samples.all.time)},
            {"threads", samples.threads},
            {"functions", list_of(samples.functions, [&](const FunctionSamples& row) {
                 return Json{{"function", trace.strings[row.function.name]},
                             {"module", word(trace.strings[row.function.module])},
                             {"self_samples", std::llround(row.self.samples)},
                             {"self_ns", std::llround(row.self.time)},
                             {"self_share", row.self.time / std::max(samples.all.time, 1e-9)}};
             })}};
}

std::string summary_json(const SummaryText& text) {
    const Trace& trace = text.trace;
    const Summary& summary = text.summary;
    Json out;
    out[std::string(kWrittenByKey)] = kWrittenBy;
    out["story"] = list_of(summary.story,
                           [&](const StoryPoint& point) { return story_sentence(text, point); });
    if (text.findings)
        out["findings"] = list_of(top_findings(*text.findings), [&](uint32_t place) {
            return finding_json(text.context, *text.findings, text.findings->all[place]);
        });
    out["incomplete"] = incomplete_json(summary.incomplete);
    out["format"] = trace.facts.format;
    out["producer"] = word(trace.facts.producer);
    out["synthetic"] = trace.synthetic;
    out["events"] = trace.facts.events;
    out["duration_ns"] = file_span(trace).length();
    out["range"] = summary.range ? Json{{"start_ns", summary.range->begin - trace.origin},
                                        {"end_ns", summary.range->end - trace.origin}}
                                 : Json();
    out["steps"] = steps_json(text);
    out["devices"] = list_of(summary.devices, [&](const auto& d) { return device_json(trace, d); });
    const SummaryWaits& waits = summary.waits;
    const bool any_wait = waits.calls + waits.copies > 0;
    out["synchronisations"] = {{"calls", waits.calls},
                               {"calls_ns", waits.calls_total},
                               {"copies", waits.copies},
                               {"copies_ns", waits.copies_total},
                               {"most", any_wait ? Json{{"cause", sync_cause_name(waits.cause)},
                                                        {"operator", name_of(trace, waits.op)},
                                                        {"calls", waits.largest_calls},
                                                        {"total_ns", waits.largest}}
                                                 : Json()}};
    out["collectives"] = list_of(summary.collectives, [&](const SummaryCollectives& row) {
        return on_device(text, row.device,
                         {{"type", word(collective_type_name(row.type))},
                          {"calls", row.calls},
                          {"total_ns", row.total},
                          {"exposed_ns", row.device == kNoRow ? Json() : Json(row.exposed)}});
    });
    out["kernels"] = list_of(summary.kernels, [&](const SummaryKernel& row) {
        return on_device(text, row.device,
                         {{"name", trace.strings[row.name]},
                          {"calls", row.calls},
                          {"total_ns", row.total},
                          {"share", row.share}});
    });
    out["operators"] = list_of(summary.operators,
                               [&](const auto& op) { return operator_json(summary, trace, op); });
    out["memory"] =
        list_of(summary.memory, [&](const auto& memory) { return memory_json(trace, memory); });
    out["top_slices"] = nullptr;
    if (const auto& top = summary.top_slices)
        out["top_slices"] = {
            {"name", trace.strings[top->slices.name]},
            {"category", trace.strings[trace.categories[top->slices.category].name]},
            {"calls", top->slices.count},
            {"self_ns", top->slices.self},
            {"self_of_all_ns", top->all}};
    out["samples"] =
        list_of(summary.samples, [&](const auto& samples) { return samples_json(trace, samples); });
    out["lanes"] = list_of(summary.lanes, [&](const SummaryLane& lane) {
        const Lane& traced = trace.lanes[lane.lane];
        return Json{{"process", trace.strings[trace.processes[traced.process].name]},
                    {"lane", trace.strings[traced.name]},
                    {"busy_ns", lane.busy}};
    });
    out["warnings"] = list_of(trace.warnings, [](const Warning& w) {
        return Json{{"code", w.code}, {"count", w.count}, {"text", w.text}};
    });
    return out.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace

std::string summary_as_json(const TraceContext& context, const Summary& summary) {
    return summary_json({context, context.trace(), summary});
}

std::string summary_as_json(const TraceContext& context, const Findings& found) {
    return summary_json({context, context.trace(), found.summary, &found});
}

}  // namespace lanescope
