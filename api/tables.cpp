// lanescope_table(): every table by its name.
#include "core/registry/tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "api/options.h"
#include "api/query_options.h"
#include "api/results.h"
#include "core/analysis/collectives/message_shape.h"
#include "core/analysis/ranks/rank_tables.h"
#include "core/analysis/statistics/histogram.h"
#include "core/export/tables/findings_writer.h"
#include "core/export/tables/row_choice.h"
#include "core/export/tables/summary_writer.h"
#include "core/insight/compare/trace_figures.h"
#include "core/insight/what_if/what_if.h"
#include "core/search/argument_search.h"
#include "core/search/matches_table.h"
#include "core/session/notes.h"
#include "core/session/notes_table.h"
#include "core/session/part_names.h"
#include "core/sql/tables.h"
#include "core/table/cells.h"

namespace lanescope {

namespace {

std::string with_hyphens(std::string_view name) {
    std::string text(name);
    std::ranges::replace(text, '_', '-');
    return text;
}

// Options of all tables of the registry, as of `lanescope table`.
struct RegistryOptions {
    std::string by;
    std::string range;
    RowOptions rows;
};

Result<RegistryOptions> registry_options(std::string_view name, const char* json) {
    RegistryOptions options;
    const Result<void> read = read_options(json, name,
                                           {{"by", &options.by},
                                            {"range", &options.range},
                                            {"group-by", &options.rows.group_by},
                                            {"sort", &options.rows.sort},
                                            {"reverse", &options.rows.reversed},
                                            {"top", &options.rows.top}});
    if (!read) return read.error();
    return options;
}

// A form that the plain table also has a word for.
bool is_plain_form(std::string_view table, std::string_view by) {
    return by.empty() || (by == "name" && (table == "kernels" || table == "operators")) ||
           (by == "function" && table == "samples");
}

Result<MadeTable> registry_table(Opened traces, const TableMaker& plain, const char* json) {
    const std::string_view name = plain.spec->name;
    const Result<RegistryOptions> options = registry_options(name, json);
    if (!options) return options.error();
    const TableMaker* const maker =
        is_plain_form(name, options->by) ? &plain : find_table_maker(name, options->by);
    if (!maker) return misuse(fmt::format("Table {} has no form {}", name, options->by));
    const Result<RowChoice> choice = row_choice(*maker->spec, options->rows);
    if (!choice) return choice.error();
    const Result<OneTrace> one = one_trace(traces, name, options->range);
    if (!one) return one.error();
    return MadeTable{chosen_rows(maker->make(one->context(), one->query), options->rows, *choice,
                                 GroupRows::flat)};
}

Result<MadeTable> traces_rows(Opened traces, const char* json) {
    const Result<RegistryOptions> options = registry_options(kTracesTable.name, json);
    if (!options) return options.error();
    const Result<RowChoice> choice = row_choice(kTracesTable, options->rows);
    if (!choice) return choice.error();
    std::vector<TraceFigures> figures;
    std::vector<TraceFile> files;
    for (lanescope_trace* const trace : traces)
        for (const TracePtr& part : trace->joined.parts) {
            const TraceContext context(part, trace->evidence);
            const Result<TableQuery> query = query_in(context, options->range);
            if (!query) return query.error();
            figures.push_back(trace_figures(context, *query));
            files.push_back({part->path, own_rank(*part)});
        }
    const std::vector<std::string> names = part_names(files);
    for (std::size_t i = 0; i < figures.size(); ++i) figures[i].name = names[i];
    return MadeTable{chosen_rows(traces_table(figures), options->rows, *choice, GroupRows::flat)};
}

Result<MadeTable> ranks_rows(Opened traces, const char* json) {
    RegistryOptions options;
    const Result<void> read = read_options(json, kRanksTableName,
                                           {{"by", &options.by},
                                            {"group-by", &options.rows.group_by},
                                            {"sort", &options.rows.sort},
                                            {"reverse", &options.rows.reversed},
                                            {"top", &options.rows.top}});
    if (!read) return read.error();
    const RankTableMaker* const maker = find_rank_table(options.by);
    if (!maker) return misuse(fmt::format("Table ranks has no form {}", options.by));
    const Result<RowChoice> choice = row_choice(*maker->spec, options.rows);
    if (!choice) return choice.error();
    std::vector<TraceFile> files;
    for (lanescope_trace* const trace : traces)
        for (const TracePtr& part : trace->joined.parts)
            files.push_back({part->path, own_rank(*part)});
    const std::vector<std::string> names = part_names(files);
    RankData data;
    std::size_t next = 0;
    for (lanescope_trace* const trace : traces)
        for (const TracePtr& part : trace->joined.parts) {
            append_ranks(TraceContext(part, trace->evidence).get<OwnRanks>().data,
                         {static_cast<int64_t>(next), names[next],
                          std::filesystem::path(part->path).filename().string()},
                         data);
            ++next;
        }
    number_ranks_by_order(data);
    return MadeTable{chosen_rows(maker->make(data, compare_ranks(data)), options.rows, *choice,
                                 GroupRows::flat)};
}

Result<MadeTable> summary_rows(Opened traces, const char* json) {
    std::string range;
    if (const auto read = read_options(json, "summary", {{"range", &range}}); !read)
        return read.error();
    const Result<OneTrace> one = one_trace(traces, "summary", range);
    if (!one) return one.error();
    return MadeTable{summary_table(one->context(), story_of(*one))};
}

Result<MadeTable> findings_rows(Opened traces, const char* json) {
    FindingsOptions options;
    const Result<void> read = read_options(json, "findings",
                                           {{"range", &options.range},
                                            {"min-share", &options.min_share},
                                            {"threshold", &options.threshold}});
    if (!read) return read.error();
    if (traces.size() != 1)
        return misuse("findings takes one trace; open several files as one to join their ranks");
    const Result<Findings> found = findings_of(*traces.front(), options);
    if (!found) return found.error();
    return MadeTable{findings_table(*traces.front()->context, *found)};
}

Result<MadeTable> compare_rows(Opened traces, const char* json) {
    ComparedTraces options;
    const Result<void> read = read_options(json, "compare",
                                           {{"range", &options.range},
                                            {"phase", &options.phase},
                                            {"top", &options.top},
                                            {"baseline", &options.baseline}});
    if (!read) return read.error();
    const Result<std::vector<Comparison>> all = comparisons_of(traces, options);
    if (!all) return all.error();
    for (const Comparison& one : *all)
        if (!one.comparable)
            return misuse(one.remarks.empty() ? "The traces are not comparable"
                                              : one.remarks.front());
    return MadeTable{compare_table(*all)};
}

Result<MadeTable> find_rows(Opened traces, const char* json) {
    std::string expression;
    std::string range;
    std::size_t top = 0;
    const Result<void> read =
        read_options(json, "find", {{"expression", &expression}, {"range", &range}, {"top", &top}});
    if (!read) return read.error();
    const Result<SearchExpression> parsed = parse_search(expression);
    if (!parsed) return parsed.error();
    const Result<OneTrace> one = one_trace(traces, "find", range);
    if (!one) return one.error();
    ArgumentProgress progress;
    const std::optional<TimeRange> shown = one->query.shown_range();
    Result<Matches> found =
        reads_arguments(*parsed)
            ? search_arguments(one->trace(), {{one->trace()}}, *parsed, shown, progress)
            : Result<Matches>(find_matches(one->trace(), *parsed, shown));
    if (!found) return found.error();
    if (one->query.work) *found = matches_within(*found, one->query);
    return MadeTable{matches_table(*found, top > 0 ? top : found->count)};
}

// The expressions of options of which one is given.
struct KernelOrOperator {
    std::string kernel;
    std::string op;
    std::string range;
};

Result<MadeTable> histogram_rows(Opened traces, const char* json) {
    KernelOrOperator of;
    const Result<void> read = read_options(
        json, "histogram", {{"kernel", &of.kernel}, {"operator", &of.op}, {"range", &of.range}});
    if (!read) return read.error();
    if (of.kernel.empty() == of.op.empty())
        return misuse("histogram takes one of the options kernel and operator");
    const Result<OneTrace> one = one_trace(traces, "histogram", of.range);
    if (!one) return one.error();
    const bool kernels = of.op.empty();
    const Result<DurationHistogram> histogram = duration_histogram(
        one->context(), one->query, kernels ? HistogramOf::kernels : HistogramOf::operators,
        kernels ? of.kernel : of.op);
    if (!histogram) return histogram.error();
    return MadeTable{histogram_table(*histogram)};
}

Result<MadeTable> what_if_rows(Opened traces, const char* json) {
    KernelOrOperator of;
    double faster = 2;
    std::size_t top = 20;
    const Result<void> read = read_options(json, "what-if",
                                           {{"kernel", &of.kernel},
                                            {"operator", &of.op},
                                            {"range", &of.range},
                                            {"faster", &faster},
                                            {"top", &top}});
    if (!read) return read.error();
    if (!of.kernel.empty() && !of.op.empty())
        return misuse("what-if takes kernel or operator, not both");
    if (!(faster >= kLeastFactor && faster <= kLargestFactor))
        return misuse(fmt::format("Option faster of what-if takes a number from {:g} to {:g}",
                                  kLeastFactor, kLargestFactor));
    const Result<OneTrace> one = one_trace(traces, "what-if", of.range);
    if (!one) return one.error();
    if (of.kernel.empty() && of.op.empty())
        return MadeTable{what_helps_table(one->context(), one->query, faster, top)};
    const bool kernels = of.op.empty();
    const std::string& expression = kernels ? of.kernel : of.op;
    const Result<Change> change =
        change_of(one->context(), kernels ? ChangeOf::kernels : ChangeOf::operators, expression);
    if (!change) return change.error();
    return MadeTable{what_if_table(one->context(), one->query, *change, expression, faster)};
}

Result<MadeTable> info_rows(Opened traces, const char* json) {
    if (const auto read = read_options(json, "info", {}); !read) return read.error();
    if (traces.size() != 1) return misuse("info takes one trace");
    const lanescope_trace& opened = *traces.front();
    return MadeTable{facts_table(*opened.joined.whole, opened.cost, join_facts(opened))};
}

Result<MadeTable> notes_rows(Opened traces, const char* json) {
    if (const auto read = read_options(json, "notes", {}); !read) return read.error();
    const Result<OneTrace> one = one_trace(traces, "notes");
    if (!one) return one.error();
    const Result<std::vector<Note>> notes = notes_of(*one->opened, *one->trace());
    if (!notes) return notes.error();
    return MadeTable{notes_table(*notes, one->trace()->origin)};
}

// Tables that are not in the registry.
struct OtherTable {
    const TableSpec* spec;
    std::string_view name;
    std::string_view about;
    std::string_view takes;  // "one" or "several" traces
    Result<MadeTable> (*make)(Opened traces, const char* json);
};

const std::array<OtherTable, 10>& other_tables() {
    static const std::array<OtherTable, 10> tables = {{
        {&kTracesTable, "traces", kTracesTable.about, "several", traces_rows},
        {find_table(kRanksTableName), kRanksTableName, find_table(kRanksTableName)->about,
         "several", ranks_rows},
        {&kCompareTable, "compare", kCompareTable.about, "several", compare_rows},
        {&kFindingsTable, "findings", kFindingsTable.about, "one", findings_rows},
        {&kSummaryTable, "summary", kSummaryTable.about, "one", summary_rows},
        {&kFactsTable, "info", kFactsTable.about, "one", info_rows},
        {&kMatchesTable, "find", kMatchesTable.about, "one", find_rows},
        {find_table("histogram"), "histogram", "Durations of a kernel or operator.", "one",
         histogram_rows},
        {&kWhatIfTable, "what-if", kWhatIfTable.about, "one", what_if_rows},
        {&kNotesTable, "notes", "Marks and notes that were made on the trace.", "one", notes_rows},
    }};
    return tables;
}

constexpr std::array<std::string_view, 6> kEventTables = {
    "gpu_activity", "runtime_call", "operator_call", "annotation", "step", "gap"};

Result<MadeTable> event_table(Opened traces, std::string_view name, const char* json) {
    if (const auto read = read_options(json, name, {}); !read) return read.error();
    const Result<lanescope_trace*> trace = only_trace(traces, name);
    if (!trace) return trace.error();
    const std::shared_ptr<SqlSource> source = (*trace)->events();
    std::vector<SqlTable> tables;
    add_event_tables(*source, tables);
    const auto found = std::ranges::find(tables, name, &SqlTable::name);
    if (found == tables.end()) return misuse(fmt::format("There is no table {}", name));
    return MadeTable{found->make(*source, {}), source};
}

Error no_such_table_of_api(std::string_view name) {
    std::string names;
    for (const TableMaker& maker : table_makers())
        if (maker.spec->by.empty()) names += " " + std::string(maker.spec->name);
    for (const OtherTable& table : other_tables()) names += " " + std::string(table.name);
    for (const std::string_view event : kEventTables) names += " " + std::string(event);
    return misuse(fmt::format("There is no table {}; there are:{}", name, names));
}

struct TableNameRow {
    std::string_view name;
    std::string_view by;
    std::string_view kind;
    std::string_view traces;
    std::string_view about;
};

constexpr auto kNameColumns = columns<TableNameRow>({
    {{"name", Unit::none, kDistinct, "", "Name of the table or text."},
     [](const TableNameRow& row) { return row.name; }},
    {{"by", Unit::none, kDistinct, "the plain form", "The form, for the option by."},
     [](const TableNameRow& row) { return known_text(row.by); }},
    {{"kind", Unit::none, kDistinct, "", "table, event table (a row for each event) or text."},
     [](const TableNameRow& row) { return row.kind; }},
    {{"traces", Unit::none, kDistinct, "", "Whether it takes one trace or several."},
     [](const TableNameRow& row) { return row.traces; }},
    {{"about", Unit::none, kDistinct, "", "What it contains."},
     [](const TableNameRow& row) { return row.about; }},
});
constexpr TableOf<TableNameRow> kNamesTable = {{"tables", "All tables and texts."}, kNameColumns};

}  // namespace

Result<lanescope_trace*> only_trace(Opened traces, std::string_view name) {
    if (traces.size() != 1) return misuse(fmt::format("{} takes one trace", name));
    if (traces.front()->joined.parts.size() > 1)
        return misuse(fmt::format(
            "{} takes a trace of one file; this one was joined from {}: open each alone", name,
            traces.front()->joined.parts.size()));
    return traces.front();
}

Result<OneTrace> one_trace(Opened traces, std::string_view name, const std::string& range) {
    const Result<lanescope_trace*> only = only_trace(traces, name);
    if (!only) return only.error();
    const Result<TableQuery> query = query_in(*(*only)->context, range);
    if (!query) return query.error();
    return OneTrace{*only, *query};
}

Result<MadeTable> make_table(Opened traces, std::string_view name, const char* options) {
    const std::string hyphens = with_hyphens(name);
    for (const OtherTable& table : other_tables())
        if (table.name == hyphens) return table.make(traces, options);
    if (std::ranges::find(kEventTables, name) != kEventTables.end())
        return event_table(traces, name, options);
    if (const TableMaker* const maker = find_table_maker(hyphens, ""))
        return registry_table(traces, *maker, options);
    return no_such_table_of_api(name);
}

Table names_table() {
    TableBuilder<TableNameRow> table(kNamesTable);
    for (const TableMaker& maker : table_makers())
        table.add({maker.spec->name, maker.spec->by, "table", "one", maker.spec->about});
    for (const OtherTable& other : other_tables())
        table.add({other.name, "", "table", other.takes, other.about});
    for (const RankTableMaker& maker : rank_table_makers())
        if (!maker.spec->by.empty())
            table.add({kRanksTableName, maker.spec->by, "table", "several", maker.spec->about});
    for (const std::string_view event : kEventTables)
        table.add({event, "", "event table", "one", find_any_table(event)->about});
    for (const std::string_view text : {"summary", "info", "findings", "timeline", "report"})
        table.add({text, "", "text", "one", "A text; in Python Trace.summary() and the like."});
    table.add(
        {"compare", "", "text", "several", "A text; in Python str(lanescope.compare(a, b))."});
    return table.take();
}

const TableSpec* find_any_table(std::string_view name) {
    const std::string hyphens = with_hyphens(name);
    for (const OtherTable& table : other_tables())
        if (table.name == hyphens) return table.spec;
    if (const TableSpec* const event = find_event_table(name)) return event;
    return find_table(hyphens);
}

}  // namespace lanescope
