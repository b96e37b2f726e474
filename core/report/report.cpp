#include "core/report/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <random>
#include <string_view>
#include <vector>

#include "core/analysis/gpu/step_times.h"
#include "core/analysis/kernels/hotspots.h"
#include "core/analysis/kernels/kernels.h"
#include "core/analysis/memory/memory.h"
#include "core/analysis/operators/operators.h"
#include "core/base/format.h"
#include "core/export/pictures/flame_writer.h"
#include "core/export/pictures/roofline_svg.h"
#include "core/export/tables/summary_writer.h"
#include "core/export/tables/table_writer.h"
#include "core/export/words/finding_text.h"
#include "core/export/words/terminal_text.h"
#include "core/insight/compare/compare.h"
#include "core/report/memory_picture.h"
#include "core/report/page_text.h"
#include "core/report/report_assets.h"
#include "core/report/report_pictures.h"
#include "core/report/report_table.h"
#include "core/trace/short_name.h"
#include "core/view/first_arrangement.h"

namespace lanescope {

namespace {

constexpr std::size_t kRowsShown = 200;
constexpr std::size_t kPicturesShown = 6;
constexpr std::size_t kHistogramsShown = 3;
constexpr std::size_t kFewestCalls = 20;  // for a histogram
constexpr std::size_t kPlaceButtons = 5;
constexpr std::size_t kMemoryPictures = 4;
constexpr double kFlamesWidth = 1120;

// Names in a trace cannot contain a nonce that is chosen when the page is written.
std::string random_nonce() {
    std::random_device device;
    std::string nonce;
    for (int i = 0; i < 4; ++i) nonce += fmt::format("{:08x}", device());
    return nonce;
}

class PageWriter {
  public:
    PageWriter(const TracePtr& trace, const TraceContext& context, const ReportOptions& options)
        : trace_(trace),
          context_(context),
          options_(options),
          query_(options.query),
          nonce_(random_nonce()) {}

    Report take() {
        FindingsQuery query;
        query.table = query_;
        query.min_share = options_.min_share;
        findings_ = find_all(context_, options_.thresholds, query);
        complete_summary(context_, query_, findings_.summary);
        const TimeRange whole = query_.shown_range().value_or(densest_second(*trace_));
        PackedExtract packed = packed_extract(*trace_, whole, options_.max_bytes);
        packed.extract.bytes.clear();
        put_head();
        put_findings();
        if (options_.other) put_comparison();
        put_timeline(packed);
        put_steps();
        put_tables();
        put_roofline();
        put_histograms();
        put_details();
        put("<footer><p class=\"low\">Written by Lanescope.</p></footer>\n");
        put("<script nonce=\"{}\">{}</script>\n</body></html>\n", nonce_, report_script());
        return {std::move(page_), std::move(packed.extract)};
    }

  private:
    template <typename... Args>
    void put(fmt::format_string<Args...> format, Args&&... args) {
        fmt::format_to(std::back_inserter(page_), format, std::forward<Args>(args)...);
    }

    void put_head() {
        put("<!DOCTYPE html>\n<html lang=\"en\" data-generator=\"lanescope\"><head><meta "
            "charset=\"utf-8\">\n"
            "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
            "script-src 'nonce-{0}'; style-src 'nonce-{0}'; base-uri 'none'; form-action "
            "'none'\">\n"
            "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
            "<meta name=\"generator\" content=\"lanescope\">\n"
            "<title>{1}</title>\n<style nonce=\"{0}\">{2}</style></head>\n<body>\n",
            nonce_, html_escaped(options_.title), report_style());
        put("<header><h1>{}</h1><button id=\"theme\">light or dark</button></header>\n",
            html_escaped(options_.title));
        if (query_.range)
            put("<p class=\"mid\">Figures of {} at {}.</p>\n",
                format_duration(query_.range->length()),
                format_duration(query_.range->begin - trace_->origin));
        put("<nav><a href=\"#findings\">Findings</a><a "
            "href=\"#time\">Timeline</a><a href=\"#steps\">Steps</a><a "
            "href=\"#tables\">Tables</a><a href=\"#pictures\">Roofline and histograms</a><a "
            "href=\"#facts\">In detail</a></nav>\n");
        const Table summary = summary_table(context_, findings_.summary);
        for (std::size_t row = 0; row < summary.row_count(); ++row)
            if (is_story(summary, row))
                put("<p>{}</p>\n", html_escaped(format_cell(summary, row, 1)));
    }

    static bool is_story(const Table& summary, std::size_t row) {
        const std::string topic = format_cell(summary, row, 0);
        return topic == "story" || topic.empty();
    }

    // The lines of the summary that are not part of its story.
    void put_details() {
        put("<h2 id=\"facts\">In detail</h2>\n");
        const Table summary = summary_table(context_, findings_.summary);
        std::string last;
        for (std::size_t row = 0; row < summary.row_count(); ++row) {
            if (is_story(summary, row)) continue;
            const std::string topic = format_cell(summary, row, 0);
            put("<p>{}{}</p>\n",
                topic == last ? ""
                              : fmt::format("<span class=\"low\">{}:</span> ", html_escaped(topic)),
                html_escaped(format_cell(summary, row, 1)));
            last = topic;
        }
    }

    void put_findings() {
        put("<h2 id=\"findings\">Findings</h2>\n");
        if (findings_.all.empty())
            put("<p>No rule found anything above {}.</p>\n", format_percent(options_.min_share));
        const ViewIndexPtr index = build_view_index(trace_, first_arrangement(*trace_).filter);
        std::size_t pictures = 0;
        for (const Finding& finding : findings_.all) {
            const FindingText text = finding_text(context_, findings_, finding);
            put("<section class=\"finding {}\">\n<p class=\"title\">{}</p>\n", text.severity,
                html_escaped(text.title));
            put_figures(text);
            put("<ul>");
            for (const std::string& line : text.evidence) put("<li>{}</li>", html_escaped(line));
            put("</ul>\n<p>{}</p>\n", html_escaped(text.advice));
            put_places(finding);
            if (finding.cost && finding.part_of.empty() && pictures < kPicturesShown) {
                const std::string picture = finding_picture(context_, index, finding);
                if (!picture.empty()) put("<div class=\"picture\">{}</div>\n", picture);
                ++pictures;
            }
            put("</section>\n");
        }
    }

    void put_figures(const FindingText& text) {
        put("<p class=\"figures\"><span class=\"severity\">{}</span>", text.severity);
        if (!text.cost.empty()) put("<span>{} · {}</span>", text.cost, text.share);
        if (!text.cost_per_step.empty()) put("<span>{} a step</span>", text.cost_per_step);
        if (!text.device.empty()) put("<span>{}</span>", html_escaped(text.device));
        if (!text.confidence.empty()) put("<span>{}</span>", text.confidence);
        if (!text.part_of.empty()) put("<span>part of {}</span>", text.part_of);
        put("<span class=\"low\">{}</span></p>\n", text.rule);
    }

    void put_places(const Finding& finding) {
        if (finding.places.empty()) return;
        put("<p>");
        for (std::size_t i = 0; i < std::min(finding.places.size(), kPlaceButtons); ++i) {
            const FindingPlace& place = finding.places[i];
            put("<button data-lane=\"{}\" data-begin=\"{}\" data-end=\"{}\">{} at {}</button> ",
                place.lane == SliceRef::no_index ? -1 : static_cast<int64_t>(place.lane),
                place.range.begin - trace_->origin, place.range.end - trace_->origin,
                format_duration(place.range.length()),
                format_duration(place.range.begin - trace_->origin));
        }
        put("</p>\n");
    }

    // Differences between the runs come before all numbers.
    void put_comparison() {
        const RunProfile first = profile_run(context_, query_);
        const RunProfile second = profile_run(*options_.other, options_.other_query);
        const Comparison comparison = compare_runs({&first, 1}, {&second, 1});
        put("<h2 id=\"compared\">Compared with {}</h2>\n", html_escaped(comparison.name_b));
        for (const CompareFact& fact : comparison.facts)
            if (fact.differs)
                put("<p>{}: {}{}{}</p>\n", html_escaped(fact.key), html_escaped(fact.a),
                    fact.a.empty() ? "" : " here, ",
                    html_escaped(fact.b) + (fact.a.empty() ? "" : " there"));
        for (const std::string& remark : comparison.remarks)
            put("<p class=\"mid\">{}</p>\n", html_escaped(remark));
        if (comparison.comparable) {
            put_table("The step and its functions", "comparison", compare_table({&comparison, 1}));
            FlameSvgOptions flames;
            flames.width = kFlamesWidth;
            flames.title = "Functions of both: boxes as wide as the longer time, colours by change";
            put("<div class=\"picture\" id=\"comparison-flames\">{}</div>\n",
                difference_flame_svg(difference_flames(comparison), flames));
        }
        for (const std::string& note : comparison.notes)
            put("<p class=\"low\">{}</p>\n", html_escaped(note));
    }

    std::string outside_of(TimeRange whole) const {
        if (whole.length() <= 0) return {};
        return fmt::format(" outside of {} to {}", format_duration(whole.begin - trace_->origin),
                           format_duration(whole.end - trace_->origin));
    }

    void put_timeline(const PackedExtract& packed) {
        put("<h2 id=\"time\">Timeline</h2>\n");
        put("<p class=\"help low\">Click it, then <kbd>W</kbd> <kbd>S</kbd> zoom, <kbd>A</kbd> "
            "<kbd>D</kbd> move, wheel zooms, <kbd>Shift</kbd>+wheel moves, dragging moves, "
            "<kbd>↑</kbd> <kbd>↓</kbd> scroll, <kbd>F</kbd> shows the selection or all, "
            "<kbd>/</kbd> searches, <kbd>N</kbd> goes to the next match.</p>\n");
        put("<p class=\"tools\"><input id=\"search\" placeholder=\"Search names\" "
            "aria-label=\"Search names\"><span id=\"found\" class=\"mid\"></span></p>\n"
            "<canvas id=\"timeline\" tabindex=\"0\" aria-label=\"Timeline\"></canvas>\n"
            "<div id=\"details\"></div>\n");
        const TimelineExtract& extract = packed.extract;
        if (extract.shortest > 0)
            put("<p class=\"low\">{} shorter than {}{} are drawn together, so that the page stays "
                "small. The trace itself has all of them.</p>\n",
                format_count(extract.left_out, "slice", "slices"),
                format_duration(extract.shortest), outside_of(extract.whole));
        put("<script type=\"application/octet-stream\" id=\"extract\" nonce=\"{}\">{}</script>\n",
            nonce_, packed.text);
    }

    void put_steps() {
        if (findings_.summary.steps.all.empty()) return;
        put("<h2 id=\"steps\">Steps</h2>\n<div class=\"picture\">{}</div>\n",
            steps_picture(context_, findings_.summary));
        put_table("All steps", "steps-table", steps_table(context_, query_));
    }

    void put_table(std::string_view title, std::string_view id, const Table& table) {
        if (table.row_count() == 0) return;
        put("<h3>{}</h3>\n<p class=\"tools\"><input data-table=\"{}\" placeholder=\"Filter rows\" "
            "aria-label=\"Filter rows of {}\"></p>\n{}",
            title, id, title, html_table(table, id, kRowsShown));
    }

    void put_tables() {
        put("<h2 id=\"tables\">Tables</h2>\n");
        put_table("Hotspots: kernels by lost time", "hotspots", hotspots_table(context_, query_));
        put_table("Kernels", "kernels", kernels_table(context_, query_));
        put_table("Operators", "operators", operators_table<OperatorsBy::name>(context_, query_));
        put_table("Memory", "memory", memory_table(context_, query_));
        for (const std::string& picture : memory_pictures(context_, query_.range, kMemoryPictures))
            put("<div class=\"picture\">{}</div>\n", picture);
    }

    void put_roofline() {
        put("<h2 id=\"pictures\">Roofline and histograms</h2>\n");
        const RooflinePoints points = roofline_points(context_, query_, RooflineOf::operators);
        if (points.points.empty() || points.roofs.empty()) return;
        RooflineSvgOptions options;
        options.title = "Operators by operations per byte and per second";
        put("<div class=\"picture\">{}</div>\n",
            roofline_svg(*trace_, points, fit_roofline(points), options));
    }

    // Histograms of the kernels that ran often and took most time.
    void put_histograms() {
        std::map<StringId, std::vector<SliceRef>> calls;
        std::map<StringId, Nanos> times;
        for (uint32_t row = 0; row < trace_->gpu_activities.slice.size(); ++row) {
            const SliceRef slice = trace_->gpu_activities.slice[row];
            if (!query_.has_work(row, trace_->start(slice))) continue;
            calls[trace_->name_id(slice)].push_back(slice);
            times[trace_->name_id(slice)] += trace_->duration(slice);
        }
        std::erase_if(times,
                      [&](const auto& time) { return calls[time.first].size() < kFewestCalls; });
        std::vector<std::pair<StringId, Nanos>> longest(times.begin(), times.end());
        std::ranges::stable_sort(longest, std::greater(), &std::pair<StringId, Nanos>::second);
        if (longest.size() > kHistogramsShown) longest.resize(kHistogramsShown);
        put("<div class=\"bars\">\n");
        for (const auto& [name, time] : longest)
            put("<div><h3>{}</h3>{}</div>\n",
                html_escaped(cut_to_width(
                    printable(short_name(trace_->strings[name], EventClass::kernel)), 48)),
                histogram_picture(histogram_of_slices(*trace_, calls[name])));
        put("</div>\n");
    }

    const TracePtr& trace_;
    const TraceContext& context_;
    const ReportOptions& options_;
    TableQuery query_;
    std::string nonce_;
    Findings findings_;
    std::string page_;
};

}  // namespace

Report make_report(const TracePtr& trace, const TraceContext& context,
                   const ReportOptions& options) {
    return PageWriter(trace, context, options).take();
}

}  // namespace lanescope
