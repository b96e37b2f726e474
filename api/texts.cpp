// lanescope_text(): answers as texts, pictures and pages.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "api/options.h"
#include "api/query_options.h"
#include "api/results.h"
#include "core/export/tables/compare_writer.h"
#include "core/export/tables/facts_writer.h"
#include "core/export/tables/findings_writer.h"
#include "core/export/tables/summary_writer.h"
#include "core/report/report.h"
#include "core/report/timeline_picture.h"
#include "core/session/notes.h"

namespace lanescope {

namespace {

Result<TableFormat> text_format(const std::string& word, bool with_markdown) {
    const auto format = parse_table_format(word);
    if (format == TableFormat::text || format == TableFormat::json ||
        (with_markdown && format == TableFormat::markdown))
        return *format;
    return misuse(fmt::format("There is no format {}; there are: text json{}", word,
                              with_markdown ? " md" : ""));
}

Result<std::string> summary_text(Opened traces, const char* json) {
    std::string range;
    std::string format = "text";
    if (const auto read = read_options(json, "summary", {{"range", &range}, {"format", &format}});
        !read)
        return read.error();
    const Result<TableFormat> form = text_format(format, false);
    if (!form) return form.error();
    const Result<OneTrace> one = one_trace(traces, "summary", range);
    if (!one) return one.error();
    const Findings found = story_of(*one);
    return *form == TableFormat::text ? summary_as_text(one->context(), found)
                                      : summary_as_json(one->context(), found);
}

Result<std::string> info_text(Opened traces, const char* json) {
    std::string format = "text";
    if (const auto read = read_options(json, "info", {{"format", &format}}); !read)
        return read.error();
    const Result<TableFormat> form = text_format(format, false);
    if (!form) return form.error();
    if (traces.size() != 1) return misuse("info takes one trace");
    const lanescope_trace& opened = *traces.front();
    const Trace& whole = *opened.joined.whole;
    return *form == TableFormat::text ? facts_as_text(whole, opened.cost, join_facts(opened))
                                      : facts_as_json(whole, opened.cost, join_facts(opened));
}

Result<std::string> findings_text(Opened traces, const char* json) {
    FindingsOptions options;
    std::string format = "text";
    const Result<void> read = read_options(json, "findings",
                                           {{"range", &options.range},
                                            {"min-share", &options.min_share},
                                            {"threshold", &options.threshold},
                                            {"format", &format}});
    if (!read) return read.error();
    const Result<TableFormat> form = text_format(format, false);
    if (!form) return form.error();
    if (traces.size() != 1)
        return misuse("findings takes one trace; open several files as one to join their ranks");
    const Result<Findings> found = findings_of(*traces.front(), options);
    if (!found) return found.error();
    const TraceContext& context = *traces.front()->context;
    return *form == TableFormat::text ? findings_as_text(context, *found)
                                      : findings_as_json(context, *found);
}

Result<std::string> compare_text(Opened traces, const char* json) {
    ComparedTraces options;
    std::string format = "text";
    const Result<void> read = read_options(json, "compare",
                                           {{"range", &options.range},
                                            {"top", &options.top},
                                            {"phase", &options.phase},
                                            {"baseline", &options.baseline},
                                            {"format", &format}});
    if (!read) return read.error();
    const Result<TableFormat> form = text_format(format, true);
    if (!form) return form.error();
    Result<std::vector<Comparison>> all = comparisons_of(traces, options);
    if (!all) return all.error();
    std::vector<ComparedRuns> runs;
    runs.reserve(all->size());
    for (Comparison& one : *all) runs.push_back({std::move(one), {}});
    return write_comparisons(runs, *form);
}

Result<std::string> timeline_text(Opened traces, const char* json) {
    TimelinePicture picture;
    std::string theme = "dark";
    const Result<void> read = read_options(json, "timeline",
                                           {{"range", &picture.range},
                                            {"select", &picture.select},
                                            {"lanes", &picture.lanes},
                                            {"color", &picture.color},
                                            {"theme", &theme},
                                            {"width", &picture.width},
                                            {"scale", &picture.scale}});
    if (!read) return read.error();
    if (theme != "dark" && theme != "light")
        return misuse("Option theme of timeline takes dark or light, not " + theme);
    constexpr double kLeastWidth = 100;
    constexpr double kMostWidth = 32768;
    if (!(picture.width >= kLeastWidth && picture.width <= kMostWidth))
        return misuse("Option width of timeline takes a number from 100 to 32768");
    constexpr double kMostScale = 3;
    if (!(picture.scale >= 1 && picture.scale <= kMostScale))
        return misuse("Option scale of timeline takes a number from 1 to 3");
    if (traces.size() != 1)
        return misuse("timeline takes one trace; open several files as one to see them together");
    const lanescope_trace& trace = *traces.front();
    picture.theme = theme == "light" ? Theme::light : Theme::dark;
    for (const TracePtr& part : trace.joined.parts) {
        const Result<std::vector<Note>> notes = notes_of(trace, *part);
        if (!notes) return notes.error();
        for (const Note& note : *notes) picture.notes.push_back({note.time, note.text});
    }
    picture.title = picture_title(trace.paths, trace.joined.whole->synthetic);
    picture.evidence = trace.evidence;
    return timeline_picture(trace.joined, picture);
}

Result<std::string> report_text(Opened traces, const char* json) {
    std::string range;
    constexpr double kUsualMegabytes = 5;
    double max_size = kUsualMegabytes;
    if (const auto read =
            read_options(json, "report", {{"range", &range}, {"max-size", &max_size}});
        !read)
        return read.error();
    constexpr double kLeastSize = 0.1;
    constexpr double kMostSize = 1000;
    if (!(max_size >= kLeastSize && max_size <= kMostSize))
        return misuse("Option max-size of report takes a number from 0.1 to 1000");
    const Result<OneTrace> one = one_trace(traces, "report", range);
    if (!one) return one.error();
    constexpr double kBytesOfMegabyte = 1e6;
    ReportOptions options;
    options.title = std::filesystem::path(one->opened->paths.front()).filename().string();
    options.max_bytes = static_cast<std::size_t>(max_size * kBytesOfMegabyte);
    options.query = one->query;
    return make_report(one->trace(), one->context(), options).html;
}

struct NamedText {
    std::string_view name;
    Result<std::string> (*make)(Opened traces, const char* json);
};

constexpr NamedText kTexts[] = {
    {"summary", summary_text}, {"info", info_text},         {"findings", findings_text},
    {"compare", compare_text}, {"timeline", timeline_text}, {"report", report_text},
};

}  // namespace

Result<std::string> make_text(Opened traces, std::string_view name, const char* options) {
    std::string names;
    for (const NamedText& text : kTexts) {
        if (text.name == name) return text.make(traces, options);
        names += " " + std::string(text.name);
    }
    return misuse(fmt::format("There is no text {}; there are:{}", name, names));
}

}  // namespace lanescope
