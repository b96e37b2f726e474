#include "core/export/tables/compare_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <nlohmann/json.hpp>
#include <vector>

#include "core/base/format.h"
#include "core/export/words/terminal_text.h"

namespace lanescope {

namespace {

using CompareJson = nlohmann::ordered_json;

std::string fact_value(const std::string& value) {
    return value.empty() ? std::string(kUnknown) : printable(value);
}

// "device: NVIDIA A100 → Tesla V100".
std::vector<std::string> differences_of(const Comparison& comparison) {
    std::vector<std::string> lines;
    for (const CompareFact& fact : comparison.facts) {
        if (!fact.differs) continue;
        lines.push_back(
            fact.a.empty() && fact.key.starts_with("functions")
                ? fmt::format("{}: {}", fact.key, fact.b)
                : fmt::format("{}: {} → {}", fact.key, fact_value(fact.a), fact_value(fact.b)));
    }
    return lines;
}

std::vector<std::string> sides_of(const Comparison& comparison) {
    const auto found = std::ranges::find(comparison.facts, "samples", &CompareFact::key);
    if (found == comparison.facts.end()) return {};
    return {fmt::format("A: {} ({})", printable(comparison.name_a), found->a),
            fmt::format("B: {} ({})", printable(comparison.name_b), found->b)};
}

std::string ratio_text(const CompareRow& row) {
    if (!std::isfinite(row.ratio)) return {};
    std::string text = fmt::format("{:.3f} times", row.ratio);
    if (std::isfinite(row.ratio_low) && std::isfinite(row.ratio_high))
        text += fmt::format(" (95 % interval {:.3f} to {:.3f})", row.ratio_low, row.ratio_high);
    return text;
}

std::string sentence_of(const CompareRow& step, std::string_view not_judged) {
    std::string text = fmt::format("The {}: {} → {}", step.name, format_duration(step.a.time),
                                   format_duration(step.b.time));
    if (const std::string ratio = ratio_text(step); !ratio.empty()) text += ", " + ratio;
    switch (step.verdict) {
        case Verdict::slower:
        case Verdict::faster:
            text += fmt::format(", {} (p = {:.2g})", verdict_name(step.verdict), step.p);
            break;
        case Verdict::unclear:
            text += fmt::format(", which may be chance{} (p = {:.2g})",
                                step.p < 0.01 ? ", as successive steps resemble each other" : "",
                                step.p);
            break;
        case Verdict::too_few:
            text += ", with too few samples to tell it from chance";
            break;
        case Verdict::none:
            text += fmt::format(", not judged: {}", not_judged);
            break;
        default:
            text += ", no difference";
    }
    return text + ".";
}

// The sentence of the step, and one for each of its phases.
std::string step_sentences(const Comparison& comparison) {
    constexpr std::string_view kBatches = "batches differ";
    std::string text =
        sentence_of(comparison.step, comparison.phases.empty() ? kBatches : "phases are mixed");
    for (const CompareRow& phase : comparison.phases) text += " " + sentence_of(phase, kBatches);
    return text;
}

// The tables without rows that are the same in both runs.
std::vector<Table> shown_tables(const CompiledChanges& all) {
    constexpr std::size_t most = 20;  // rows of each table; JSON has all rows
    CompiledChanges shown = all;
    const auto is_same = [](const auto& row) { return row.change == CodeChange::same; };
    std::erase_if(shown.graphs, is_same);
    std::erase_if(shown.fusions, is_same);
    std::vector<Table> tables;
    const auto add = [&](Table table) {
        if (table.row_count() == 0) return;
        table.keep_first(most);
        tables.push_back(std::move(table));
    };
    add(graph_changes_table(shown));
    add(fusion_changes_table(shown));
    add(guard_changes_table(shown));
    add(operator_origins_table(shown));
    return tables;
}

std::string as_text(const ComparedRuns& one, const TextStyle& style) {
    const Comparison& comparison = one.comparison;
    const std::size_t width = style.width > 0 ? static_cast<std::size_t>(style.width) : 100;
    std::string out;
    const auto add = [&](std::string_view indent, const std::string& line) {
        for (const std::string& part : wrap_to_width(line, width - indent.size()))
            out += std::string(indent) + part + "\n";
    };
    const ComparisonText text = comparison_text(comparison);
    for (const std::string& side : text.sides) out += side + "\n";
    out += text.differences.empty() ? text.comparability + "\n"
                                    : bold(text.comparability, style) + "\n";
    for (const std::string& line : text.differences) add("  ", line);
    for (const std::string& remark : text.remarks) add("", remark);
    if (!comparison.compiled.empty()) {
        out += "\n" + bold("Compiled code", style) + "\n";
        for (const std::string& line : text.compiled) add("  ", line);
        for (const Table& table : shown_tables(comparison.compiled))
            out += "\n" + write_table(table, TableFormat::text, style);
    }
    if (!comparison.comparable) {
        if (one.gate) add("", one.gate->text);
        return out;
    }
    out += "\n";
    add("", text.step);
    TextStyle whole = style;
    whole.full_names = true;  // names are short already, and may be of several functions
    out += "\n" + write_table(compare_table({&comparison, 1}), TableFormat::text, whole) + "\n";
    if (one.gate) add("", printable(one.gate->text));
    for (const std::string& note : text.notes) add("", note);
    return out;
}

// Writes names from files as Markdown code, without back quotes, so that they are not markup.
std::string code(const std::string& text) {
    std::string out = printable(text);
    for (char& c : out)
        if (c == '`' || c == '\n') c = '\'';
    return "`" + out + "`";
}

std::string as_markdown(const ComparedRuns& one) {
    const Comparison& comparison = one.comparison;
    std::string out = fmt::format("**{}** compared with **{}**\n\n", code(comparison.name_b),
                                  code(comparison.name_a));
    const std::vector<std::string> differences = differences_of(comparison);
    for (const std::string& line : differences) out += "- differs: " + code(line) + "\n";
    for (const std::string& remark : comparison.remarks) out += "- " + printable(remark) + "\n";
    if (!differences.empty() || !comparison.remarks.empty()) out += "\n";
    if (!comparison.compiled.empty()) {
        out += "**Compiled code**\n\n";
        for (const std::string& line : comparison.compiled.sentences) out += "- " + line + "\n";
        out += "\n";
        for (const Table& table : shown_tables(comparison.compiled))
            out += write_table(table, TableFormat::markdown) + "\n";
    }
    if (comparison.comparable) {
        out += step_sentences(comparison) + "\n\n";
        out += write_table(compare_table({&comparison, 1}), TableFormat::markdown) + "\n";
    }
    if (one.gate) out += printable(one.gate->text) + "\n\n";
    for (const std::string& note : comparison.notes) out += note + "\n\n";
    return out;
}

CompareJson rows_of(const Table& table) {
    return CompareJson::parse(write_table(table, TableFormat::json));
}

CompareJson json_of(const CompiledChanges& changes) {
    if (changes.empty()) return {};
    return {{"sentences", changes.sentences},
            {"graphs", rows_of(graph_changes_table(changes))},
            {"fusions", rows_of(fusion_changes_table(changes))},
            {"guards", rows_of(guard_changes_table(changes))},
            {"origins", rows_of(operator_origins_table(changes))}};
}

CompareJson as_json(const ComparedRuns& one) {
    const Comparison& comparison = one.comparison;
    CompareJson object = {{"a", comparison.name_a},
                          {"b", comparison.name_b},
                          {"runs_a", comparison.runs_a},
                          {"runs_b", comparison.runs_b},
                          {"comparable", comparison.comparable}};
    object["facts"] = rows_of(compare_facts_table(comparison));
    object["remarks"] = comparison.remarks;
    object["compiled"] = json_of(comparison.compiled);
    CompareJson rows = rows_of(compare_table({&comparison, 1}));
    object["step"] = rows.empty() ? CompareJson() : rows.front();
    if (!rows.empty()) rows.erase(rows.begin());
    const auto phases = static_cast<std::ptrdiff_t>(rows.empty() ? 0 : comparison.phases.size());
    object["phases"] = CompareJson::array();
    std::move(rows.begin(), rows.begin() + phases, std::back_inserter(object["phases"]));
    rows.erase(rows.begin(), rows.begin() + phases);
    object["rows"] = std::move(rows);
    object["gate"] = CompareJson();
    if (one.gate) {
        const GateResult& gate = *one.gate;
        const auto known_number = [](double value) {
            return std::isfinite(value) ? CompareJson(value) : CompareJson();
        };
        const bool tested = comparison.comparable;
        constexpr std::string_view kOutcomes[] = {"passed", "failed", "not judged"};
        object["gate"] = {{"outcome", kOutcomes[static_cast<std::size_t>(gate.outcome)]},
                          {"tested", tested ? CompareJson(gate.row.name) : CompareJson()},
                          {"threshold", gate.threshold},
                          {"ratio", tested ? known_number(gate.row.ratio) : CompareJson()},
                          {"p", tested ? known_number(gate.row.p) : CompareJson()},
                          {"text", gate.text}};
    }
    object["notes"] = comparison.notes;
    return object;
}

}  // namespace

ComparisonText comparison_text(const Comparison& comparison) {
    ComparisonText text;
    text.sides = sides_of(comparison);
    text.differences = differences_of(comparison);
    text.comparability = text.differences.empty()
                             ? "They agree in device, software, world size, shapes and steps, as "
                               "far as recorded."
                             : "They differ in";
    for (const std::string& remark : comparison.remarks) text.remarks.push_back(printable(remark));
    for (const std::string& line : comparison.compiled.sentences)
        text.compiled.push_back(printable(line));
    if (comparison.comparable) text.step = step_sentences(comparison);
    text.notes = comparison.notes;
    return text;
}

std::string write_comparisons(std::span<const ComparedRuns> all, TableFormat format,
                              const TextStyle& style) {
    std::string out;
    switch (format) {
        case TableFormat::text:
            for (const ComparedRuns& one : all)
                out += (out.empty() ? "" : "\n") + as_text(one, style);
            return out;
        case TableFormat::markdown:
            for (const ComparedRuns& one : all) out += (out.empty() ? "" : "\n") + as_markdown(one);
            return out;
        case TableFormat::json: {
            CompareJson list = CompareJson::array();
            for (const ComparedRuns& one : all) list.push_back(as_json(one));
            return (all.size() == 1 ? list.front() : list)
                       .dump(1, ' ', false, CompareJson::error_handler_t::replace) +
                   "\n";
        }
        case TableFormat::csv:
        case TableFormat::arrow: {
            std::vector<Comparison> comparisons;
            for (const ComparedRuns& one : all) comparisons.push_back(one.comparison);
            return write_table(compare_table(comparisons), format);
        }
    }
    return out;
}

std::string compare_notes(std::span<const ComparedRuns> all) {
    std::string out;
    for (const ComparedRuns& one : all) {
        for (const std::string& line : differences_of(one.comparison))
            out += fmt::format("{}: differs in {}\n", one.comparison.name_b, line);
        for (const std::string& remark : one.comparison.remarks)
            out += fmt::format("{}: {}\n", one.comparison.name_b, printable(remark));
        for (const std::string& line : one.comparison.compiled.sentences)
            out += fmt::format("{}: {}\n", one.comparison.name_b, line);
        if (one.gate) out += printable(one.gate->text) + "\n";
    }
    return out;
}

}  // namespace lanescope
