#include "core/compile/provenance.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <set>
#include <string>
#include <tuple>

#include "core/compile/program_text.h"
#include "core/compile/record_head.h"

namespace lanescope {

namespace {

std::vector<std::string> texts_of(const RecordJson& list) {
    std::vector<std::string> texts;
    if (list.is_array())
        for (const RecordJson& one : list)
            if (one.is_string()) texts.push_back(one.get<std::string>());
    return texts;
}

// The entries of a call site: by its handles, else by its name if only one site has that name.
struct SiteEntries {
    std::vector<std::string> texts;
    LinkGrade grade = LinkGrade::id;
};
// `sites`: how many calls of the graph have a name.
using SitesOfName = std::map<std::string_view, int>;
SiteEntries entries_of(const RecordJson& all, const SitesOfName& sites, const CallSite& site) {
    SiteEntries entries;
    for (const std::string& handle : site.handles)
        if (const auto found = all.find(handle); found != all.end())
            for (std::string& text : texts_of(*found)) entries.texts.push_back(std::move(text));
    if (!entries.texts.empty() || !site.handles.empty()) return entries;
    if (sites.at(site.name) != 1) return entries;
    entries.grade = LinkGrade::name;
    if (const auto found = all.find(site.name); found != all.end())
        entries.texts = texts_of(*found);
    return entries;
}

// Returns whether the line is new.
bool add_line(std::vector<SourceLine>& lines, const SourceLine& line) {
    if (std::ranges::find(lines, line) != lines.end()) return false;
    lines.push_back(line);
    return true;
}

void add_nodes(CompiledGraph& graph, const SitesOfName& sites, std::string_view post_grad,
               const RecordJson& mappings) {
    const auto by_site = mappings.find("cppCodeToPost");
    if (by_site == mappings.end() || !by_site->is_object()) return;
    const auto nodes = nodes_of_graph(post_grad);
    for (CallSite& site : graph.sites) {
        SiteEntries entries = entries_of(*by_site, sites, site);
        if (entries.texts.empty()) continue;
        std::set<std::string> operators;
        std::vector<SourceLine> of_others;
        for (const std::string& name : entries.texts) {
            const auto node = nodes.find(name);
            if (node == nodes.end()) continue;
            const FxNode& found = node->second;
            if (!found.name_of_operator.empty()) operators.insert(found.name_of_operator);
            if (!found.line.file.empty())
                add_line(found.has_line_of_others ? of_others : site.lines, found.line);
        }
        site.nodes = std::move(entries.texts);
        site.lines_grade = entries.grade;
        for (const SourceLine& line : of_others)
            if (add_line(site.lines, line)) site.lines_grade = LinkGrade::guess;
        if (operators.empty()) continue;
        site.operators.assign(operators.begin(), operators.end());
        site.operators_grade = entries.grade;
    }
}

void add_stacks(CompiledGraph& graph, const SitesOfName& sites, const RecordJson& stacks) {
    for (CallSite& site : graph.sites) {
        const SiteEntries entries = entries_of(stacks, sites, site);
        for (const std::string& text : entries.texts) {
            const std::vector<SourceLine> lines = lines_of_traceback(text);
            if (lines.empty()) continue;
            if (site.lines.empty()) site.lines_grade = entries.grade;
            add_line(site.lines, lines.back());
        }
    }
}

std::string_view line_of(std::string_view text, std::string_view word) {
    std::size_t at = text.find(word);
    if (at == std::string_view::npos) return {};
    at += word.size();
    return text.substr(at, text.find('\n', at) - at);
}

std::string_view without_spaces(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r\n");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

// "F:L"; without a number the line is 0.
SourceLine place_in(std::string_view text) {
    SourceLine line;
    const std::size_t colon = text.rfind(':');
    line.file = text.substr(0, colon);
    if (colon != std::string_view::npos)
        std::from_chars(text.data() + colon + 1, text.data() + text.size(), line.line);
    return line;
}

// Removes the address from "___check_type_id(L['x'], 94696536844016), type=…", because it differs
// in every process.
std::string without_address(std::string_view guard) {
    const std::size_t check = guard.find("_id(");
    if (check == std::string_view::npos) return std::string(guard);
    for (std::size_t at = guard.find(", ", check); at != std::string_view::npos;
         at = guard.find(", ", at + 1)) {
        const std::size_t end = guard.find_first_not_of("0123456789", at + 2);
        if (end == std::string_view::npos || end == at + 2 || guard[end] != ')') continue;
        return std::string(guard.substr(0, at)) + std::string(guard.substr(end));
    }
    return std::string(guard);
}

}  // namespace

void add_provenance(CompiledGraph& graph, const GraphTexts& texts) {
    SitesOfName sites;
    for (const CallSite& site : graph.sites) ++sites[site.name];
    if (const RecordJson mappings = parsed_json(texts.mappings); mappings.is_object())
        add_nodes(graph, sites, texts.post_grad, mappings);
    if (const RecordJson stacks = parsed_json(texts.stacks); stacks.is_object())
        add_stacks(graph, sites, stacks);
    for (CallSite& site : graph.sites)
        std::ranges::sort(site.lines, {},
                          [](const SourceLine& line) { return std::tie(line.file, line.line); });
}

GraphBreak read_graph_break(std::string_view text) {
    GraphBreak found;
    found.place = place_in(without_spaces(line_of(text, "Graph break in user code at ")));
    std::string_view reason = line_of(text, "Graph Break Reason: ");
    // The reason's own text follows behind an empty line if the first one only introduces it.
    if (reason.ends_with(':'))
        if (const std::size_t gap = text.find("\n\n", text.find("Graph Break Reason: "));
            gap != std::string_view::npos)
            reason = text.substr(gap + 2, text.find('\n', gap + 2) - gap - 2);
    found.reason = without_spaces(reason);
    found.explanation = without_spaces(line_of(text, "  Explanation: "));
    const std::size_t trace = text.find("User code traceback:");
    std::string_view before = text.substr(0, trace);
    constexpr std::string_view hint = "  Hint: ";
    for (std::size_t at = before.find(hint); at != std::string_view::npos; at = before.find(hint)) {
        before.remove_prefix(at);
        found.hints.emplace_back(without_spaces(line_of(before, hint)));
        before.remove_prefix(hint.size());
    }
    if (trace != std::string_view::npos) {
        const std::size_t end = text.find("\nTraceback (most recent call last)", trace);
        found.stack = lines_of_traceback(text.substr(trace, end - trace));
    }
    if (!found.stack.empty() && found.place == found.stack.back()) found.place = found.stack.back();
    return found;
}

FailedGuard read_failed_guard(std::string_view text) {
    FailedGuard found;
    const std::string_view first = text.substr(0, text.find('\n'));
    const std::size_t colon = first.find(": ");
    if (colon != std::string_view::npos) found.entry = compile_id_of(first.substr(0, colon));
    std::string_view rest = found.entry.number < 0 ? first : first.substr(colon + 2);
    const std::size_t comment = rest.find("  # ");
    found.guard = without_spaces(rest.substr(0, comment));
    if (comment == std::string_view::npos) return found;
    const std::string_view last = rest.substr(rest.rfind("  # ") + 4);
    if (const std::size_t in = last.find(" in "); in != std::string_view::npos) {
        found.place = place_in(last.substr(0, in));
        found.place.function = without_spaces(last.substr(in + 4));
        if (const std::string_view code = rest.substr(comment + 4); code.size() > last.size())
            found.place.code = without_spaces(code.substr(0, code.rfind("  # ")));
    }
    // The stack below has the whole path of the file.
    const std::vector<SourceLine> stack = lines_of_traceback(text);
    if (!stack.empty() && stack.back().line == found.place.line) found.place = stack.back();
    return found;
}

std::vector<std::string> read_guard_tree(std::string_view text) {
    constexpr std::size_t most = 4096;
    constexpr std::size_t longest = 300;  // bytes of a guard
    std::vector<std::string> guards;
    while (!text.empty() && guards.size() < most) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        const std::size_t branch = line.find("+- ");
        if (branch == std::string_view::npos) continue;
        std::string_view guard = line.substr(branch + 3);
        guard = without_spaces(guard.substr(0, guard.find("  # ")));
        const std::string_view kind = guard.substr(0, guard.find(':'));
        const bool is_guard = kind.size() < guard.size() &&
                              kind.find_first_not_of("ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") ==
                                  std::string_view::npos;
        if (is_guard) guards.push_back(without_address(guard.substr(0, longest)));
    }
    return guards;
}

}  // namespace lanescope
