#include "app/commands/own_file.h"

#include <algorithm>
#include <memory>
#include <string_view>
#include <vector>

#include "core/export/tables/table_writer.h"
#include "core/export/words/written_by.h"
#include "core/registry/tables.h"
#include "core/source/forward_text.h"
#include "core/source/sniff.h"
#include "core/spool/spool_format.h"
#include "core/table/grouped.h"

namespace lanescope {

namespace {

constexpr std::size_t kHead = std::size_t{64} << 10;
// Marks of pictures and JSON are near the beginning; the rest of a profile may contain any text.
constexpr std::size_t kMarked = 1024;
constexpr std::size_t kSniffed = 16;
constexpr std::string_view kArrowMagic = "ARROW1";
constexpr std::size_t kFewestColumns = 3;  // of a table that may lack some of its columns

std::string head_of(const std::string& path) {
    const auto file = InputFile::open(path);
    if (!file) return {};
    char first[kSniffed] = {};
    const Result<std::size_t> got = (*file)->read_at(0, first, sizeof first);
    if (!got) return {};
    ForwardText text(*file, sniff_compression({first, *got}));
    const Result<std::string_view> head = text.read(0, kHead);
    return head ? std::string(head->substr(0, kHead)) : std::string();
}

std::vector<std::string_view> split_at(std::string_view line, std::string_view between) {
    std::vector<std::string_view> words;
    while (!line.empty()) {
        const std::size_t end = line.find(between);
        std::string_view word = line.substr(0, end);
        line.remove_prefix(end == std::string_view::npos ? line.size() : end + between.size());
        while (word.starts_with(' ')) word.remove_prefix(1);
        while (word.ends_with(' ')) word.remove_suffix(1);
        if (!word.empty()) words.push_back(word);
    }
    return words;
}

// Whether all words are heads of the table's columns. A grouped table adds `rows` and `group`.
template <typename HeadOf>
bool is_head(const TableSpec& table, const std::vector<std::string_view>& words, HeadOf head_of) {
    return std::ranges::all_of(words, [&](std::string_view word) {
        return word == kRowsKey || word == kGroupKey ||
               std::ranges::any_of(table.columns, [&](const ColumnSpec& column) {
                   return head_of(column) == word;
               });
    });
}

template <typename HeadOf>
bool is_head_of_some_table(const std::vector<std::string_view>& words, HeadOf head_of,
                           bool may_lack_columns = false) {
    return words.size() >= kFewestColumns &&
           std::ranges::any_of(all_tables(), [&](const TableSpec* table) {
               const bool enough = may_lack_columns || 2 * words.size() >= table->columns.size();
               return enough && is_head(*table, words, head_of);
           });
}

std::string_view key_of(const ColumnSpec& column) {
    return column.key;
}

// The keys of the first row, as write_table() formats it.
std::vector<std::string_view> keys_of_row(std::string_view row) {
    std::vector<std::string_view> keys;
    int depth = 0;
    for (std::size_t at = 0; at < row.size(); ++at) {
        const char c = row[at];
        depth += c == '{' || c == '[' ? 1 : 0;
        depth -= c == '}' || c == ']' ? 1 : 0;
        if (c != '"') continue;
        const std::size_t begin = at + 1;
        for (++at; at < row.size() && row[at] != '"'; ++at) at += row[at] == '\\' ? 1 : 0;
        if (depth == 1 && row.substr(std::min(at, row.size())).starts_with("\":"))
            keys.push_back(row.substr(begin, at - begin));
    }
    return keys;
}

bool is_own_table(std::string_view head) {
    const std::string_view line = head.substr(0, head.find('\n'));
    if (head == "[\n]\n") return true;
    if (line == "[") {
        const std::string_view rest = head.substr(2);
        return rest.starts_with(" {\"") &&
               is_head_of_some_table(keys_of_row(rest.substr(0, rest.find('\n'))), key_of);
    }
    const auto title = [](const ColumnSpec& column) { return head_for_people(column); };
    return is_head_of_some_table(split_at(line, ","), key_of) ||
           (line.starts_with("| ") && is_head_of_some_table(split_at(line, "|"), title)) ||
           is_head_of_some_table(split_at(line, "  "), title, true);
}

}  // namespace

bool is_own_file(const std::string& path) {
    const std::string head = head_of(path);
    const std::string_view text = head;
    const std::string_view marked = text.substr(0, kMarked);
    const auto contains = [&](std::string_view mark) {
        return marked.find(mark) != std::string_view::npos;
    };
    if (text.starts_with("\x89PNG")) return contains(kPngMark);
    if (text.starts_with({kSpoolMagic, sizeof kSpoolMagic})) return true;
    constexpr std::size_t kFirstPacket = 32;
    if (text.starts_with("\n"))
        return text.substr(0, kFirstPacket).find(kPerfettoMark) != std::string_view::npos;
    if (text.starts_with("<svg") || text.starts_with("<!DOCTYPE html"))
        return contains(kGeneratorMark);
    if (text.starts_with(kMarkdownMark)) return true;
    if (text.starts_with(kArrowMagic)) return contains(kWrittenByKey) && contains(kWrittenBy);
    if (text.starts_with("{")) return contains(kJsonMark) || contains(kSpeedscopeMark);
    if (text.starts_with("[\n{\"depth\":0,\"name\":")) return true;  // a flame graph
    return is_own_table(text);
}

}  // namespace lanescope
