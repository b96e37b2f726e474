#include "core/sql/completion.h"

#include <sqlite3.h>

#include <algorithm>
#include <cctype>
#include <set>

#include "core/sql/perfetto_modules.h"
#include "core/sql/tokens.h"

namespace lanescope {

namespace {

bool begins_with(std::string_view word, std::string_view part) {
    return word.size() >= part.size() && same_word(word.substr(0, part.size()), part);
}

std::string_view word_before(std::string_view text, std::size_t end) {
    std::size_t begin = end;
    while (begin > 0 && is_word_letter(text[begin - 1])) --begin;
    return text.substr(begin, end - begin);
}

const SqlTableName* table_named(const std::vector<SqlTableName>& tables, std::string_view name) {
    const auto found = std::ranges::find_if(
        tables, [&](const SqlTableName& table) { return same_word(table.name, name); });
    return found == tables.end() ? nullptr : &*found;
}

// The tables whose names are words of the text; all of them if there is none.
std::vector<const SqlTableName*> tables_in(std::string_view text,
                                           const std::vector<SqlTableName>& tables) {
    std::vector<const SqlTableName*> found;
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && is_word_letter(text[end])) ++end;
        const SqlTableName* const table =
            end > at ? table_named(tables, text.substr(at, end - at)) : nullptr;
        if (table) found.push_back(table);
        at = end + 1;
    }
    if (found.empty())
        for (const SqlTableName& table : tables) found.push_back(&table);
    return found;
}

std::string keyword_like(std::string_view keyword, std::string_view written) {
    std::string word(keyword);
    const bool lower =
        !written.empty() && std::islower(static_cast<unsigned char>(written.front())) != 0;
    if (lower)
        for (char& c : word) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return word;
}

void add_keywords(std::string_view part, std::set<std::string>& words) {
    for (int i = 0; i < sqlite3_keyword_count(); ++i) {
        const char* name = nullptr;
        int size = 0;
        if (sqlite3_keyword_name(i, &name, &size)) continue;
        const std::string_view keyword(name, static_cast<std::size_t>(size));
        if (begins_with(keyword, part)) words.insert(keyword_like(keyword, part));
    }
    for (const std::string_view keyword : {"PERFETTO", "MODULE", "INCLUDE", "FUNCTION", "MACRO"})
        if (begins_with(keyword, part)) words.insert(keyword_like(keyword, part));
}

std::string common_beginning(const std::set<std::string>& words) {
    std::string common = *words.begin();
    for (const std::string& word : words) {
        std::size_t same = 0;
        while (same < common.size() && same < word.size() &&
               std::tolower(static_cast<unsigned char>(common[same])) ==
                   std::tolower(static_cast<unsigned char>(word[same])))
            ++same;
        common.resize(same);
    }
    return common;
}

}  // namespace

SqlCompletion complete_sql(std::string_view text, std::size_t caret,
                           const std::vector<SqlTableName>& tables,
                           const std::vector<std::string>& functions) {
    caret = std::min(caret, text.size());
    const std::string_view part = word_before(text, caret);
    SqlCompletion completion;
    completion.begin = caret - part.size();
    std::set<std::string> words;
    const auto add_columns = [&](const SqlTableName& table) {
        for (const std::string& column : table.columns)
            if (begins_with(column, part)) words.insert(column);
    };
    const bool after_dot = completion.begin > 0 && text[completion.begin - 1] == '.';
    const std::string_view owner =
        after_dot ? word_before(text, completion.begin - 1) : std::string_view();
    if (const SqlTableName* const table = after_dot ? table_named(tables, owner) : nullptr) {
        add_columns(*table);
    } else {
        for (const SqlTableName* table_in_text : tables_in(text, tables))
            add_columns(*table_in_text);
        if (!after_dot) {
            for (const SqlTableName& name : tables)
                if (begins_with(name.name, part)) words.insert(name.name);
            for (const std::string& function : functions)
                if (begins_with(function, part)) words.insert(function + "(");
            add_keywords(part, words);
        }
    }
    completion.common = words.empty() ? std::string(part) : common_beginning(words);
    for (const std::string& word : words)
        if (completion.words.size() < kMostSqlWords) completion.words.push_back(word);
    return completion;
}

std::string insertion_of(const SqlCompletion& completion, std::size_t written) {
    if (completion.words.size() == 1) {
        const std::string& word = completion.words.front();
        return word.substr(written) + (word.ends_with('(') ? "" : " ");
    }
    return completion.common.size() > written ? completion.common.substr(written) : std::string();
}

bool is_complete_sql(std::string_view script) {
    const Result<std::vector<SqlToken>> tokens = sql_tokens(script);
    return tokens && !tokens->empty() && script[tokens->back().begin] == ';';
}

}  // namespace lanescope
