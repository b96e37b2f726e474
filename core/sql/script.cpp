#include "core/sql/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "core/registry/tables.h"
#include "core/sql/perfetto_modules.h"
#include "core/sql/tables.h"
#include "core/sql/tokens.h"

namespace lanescope {

namespace {

// Reads the tokens of one statement, and makes SQLite's statement.
class StatementParser {
  public:
    StatementParser(std::string_view script, std::span<const SqlToken> tokens)
        : script_(script), tokens_(tokens) {}

    Result<SqlStatement> parse() {
        if (skip("INCLUDE")) return parse_include();
        if (skip("CREATE")) return parse_create();
        copy_rest(0);
        return finished();
    }

  private:
    std::string_view word(std::size_t i) const {
        return i < tokens_.size()
                   ? script_.substr(tokens_[i].begin, tokens_[i].end - tokens_[i].begin)
                   : std::string_view();
    }
    bool is(std::size_t i, std::string_view text) const { return same_word(word(i), text); }
    bool skip(std::string_view text) {
        if (!is(next_, text)) return false;
        ++next_;
        return true;
    }
    // The next token, which is expected to be a name.
    std::string take_name() {
        const bool is_name =
            next_ < tokens_.size() && (tokens_[next_].kind == SqlTokenKind::word ||
                                       tokens_[next_].kind == SqlTokenKind::quoted);
        return is_name ? std::string(word(next_++)) : std::string();
    }
    std::size_t place(std::size_t i) const {
        return i < tokens_.size() ? tokens_[i].begin : tokens_.back().end;
    }
    Error wrong(std::string text, std::size_t at) const {
        return {ErrorCode::usage, at, std::move(text)};
    }

    void put(std::string_view text) { made_.text += text; }
    void copy(std::size_t begin, std::size_t end) {
        made_.places.emplace_back(made_.text.size(), begin);
        made_.text += script_.substr(begin, end - begin);
    }
    // Copies the tokens from `first` on. `kernels('config'` becomes `kernels_by_config('config'`.
    void copy_rest(std::size_t first) {
        if (first >= tokens_.size()) return;
        std::size_t begin = tokens_[first].begin;
        for (std::size_t i = first; i + 2 < tokens_.size(); ++i) {
            if (tokens_[i + 1].end - tokens_[i + 1].begin != 1 || word(i + 1) != "(" ||
                tokens_[i + 2].kind != SqlTokenKind::text || (i > first && word(i - 1) == "."))
                continue;
            const std::string_view by = word(i + 2).substr(1, word(i + 2).size() - 2);
            const std::string name = form_named(word(i), by);
            if (name.empty()) continue;
            copy(begin, tokens_[i].begin);
            put(name);
            begin = tokens_[i].end;
        }
        copy(begin, tokens_.back().end);
    }
    // The table of a form; empty if there is none.
    static std::string form_named(std::string_view table, std::string_view by) {
        for (const TableMaker& maker : table_makers())
            if (!by.empty() && maker.spec->by == by && same_word(sql_name(maker.spec->name), table))
                return sql_name(maker.spec->name, by);
        return {};
    }

    Result<SqlStatement> finished() { return std::move(made_); }

    static std::string no_module(std::string_view name) {
        std::string names;
        for (const SqlModule& module : sql_modules()) names += fmt::format(" {}", module.name);
        return fmt::format("there is no module {}; there are:{}", name, names);
    }

    Result<SqlStatement> parse_include() {
        if (!skip("PERFETTO") || !skip("MODULE"))
            return wrong("INCLUDE is followed by PERFETTO MODULE and a name", place(next_));
        made_.action = SqlAction::include;
        const std::size_t begin = place(next_);
        made_.places.emplace_back(0, begin);
        while (next_ < tokens_.size()) made_.name += word(next_++);
        // A missing module is reported here, because later statements may use its macros, and the
        // error about an unknown macro would hide the cause.
        if (!find_sql_module(made_.name)) return wrong(no_module(made_.name), begin);
        return finished();
    }

    Result<SqlStatement> parse_create() {
        made_.replaces = skip("OR") && skip("REPLACE");
        const bool perfetto = skip("PERFETTO");
        if (!perfetto && !made_.replaces && (is(next_, "TABLE") || is(next_, "VIEW"))) {
            put("CREATE TEMP ");
            copy_rest(next_);
            return finished();
        }
        if (!perfetto && is(next_, "VIRTUAL")) return parse_virtual();
        if (skip("TABLE")) return parse_stored("TABLE");
        if (skip("VIEW")) return parse_stored("VIEW");
        if (perfetto && skip("FUNCTION")) return parse_function();
        if (perfetto && skip("MACRO")) return parse_macro();
        if (perfetto && skip("INDEX")) {
            put("CREATE INDEX ");
            copy_rest(next_);
            return finished();
        }
        if (perfetto)
            return wrong(
                fmt::format(
                    "CREATE PERFETTO {} is not provided: TABLE, VIEW, FUNCTION, MACRO and INDEX "
                    "are",
                    word(next_)),
                place(next_));
        copy_rest(0);
        return finished();
    }

    // CREATE VIRTUAL TABLE name USING …
    Result<SqlStatement> parse_virtual() {
        ++next_;
        if (!skip("TABLE")) return wrong("CREATE VIRTUAL is followed by TABLE", place(next_));
        const bool if_missing = is(next_, "IF");  // NOT EXISTS
        if (if_missing) next_ += 3;
        put(if_missing ? "CREATE VIRTUAL TABLE IF NOT EXISTS temp." : "CREATE VIRTUAL TABLE temp.");
        copy_rest(next_);
        return finished();
    }

    // Columns of a view or table, or arguments of a function: the names of "(name TYPE, …)".
    bool parse_names(std::vector<std::string>& names) {
        if (!skip("(")) return false;
        int depth = 1;
        bool is_name = true;
        for (; next_ < tokens_.size(); ++next_) {
            const std::string_view text = word(next_);
            if (text == "(") ++depth;
            if (text == ")" && --depth == 0) {
                ++next_;
                return true;
            }
            if (is_name) names.emplace_back(text);
            is_name = depth == 1 && text == ",";
        }
        return false;
    }

    // CREATE PERFETTO TABLE|VIEW name [(name TYPE, …)] AS SELECT …
    Result<SqlStatement> parse_stored(std::string_view kind) {
        const bool if_missing = is(next_, "IF");  // NOT EXISTS
        if (if_missing) next_ += 3;
        const std::size_t name_place = next_;
        const std::string name = take_name();
        if (name.empty()) return wrong("a name is missing", place(name_place));
        std::vector<std::string> columns;
        if (is(next_, "(") && !parse_names(columns))
            return wrong("the list of columns has no end", place(name_place));
        if (made_.replaces) made_.drops = fmt::format("DROP {} IF EXISTS temp.{}", kind, name);
        put(fmt::format("CREATE TEMP {} {}", kind, if_missing ? "IF NOT EXISTS " : ""));
        copy(place(name_place), place(name_place) + name.size());
        if (kind == "VIEW" && !columns.empty()) put(fmt::format("({})", fmt::join(columns, ", ")));
        put(" ");
        copy_rest(next_);
        return finished();
    }

    // CREATE PERFETTO FUNCTION name(name TYPE, …) RETURNS TYPE|TABLE(name TYPE, …) AS SELECT …
    Result<SqlStatement> parse_function() {
        made_.action = SqlAction::function;
        const std::size_t begin = place(next_);
        made_.name = take_name();
        if (made_.name.empty()) return wrong("the function has no name", begin);
        if (!parse_names(made_.arguments))
            return wrong("the function's arguments are missing", place(next_));
        if (!skip("RETURNS")) return wrong("RETURNS is missing", place(next_));
        if (skip("TABLE")) {
            if (!parse_names(made_.columns) || made_.columns.empty())
                return wrong("the columns of the function's table are missing", place(next_));
        } else {
            while (next_ < tokens_.size() && !is(next_, "AS")) ++next_;
        }
        if (!skip("AS") || next_ >= tokens_.size())
            return wrong("AS and a SELECT are missing", place(next_));
        copy_rest(next_);
        return finished();
    }

    // CREATE PERFETTO MACRO name(name Type, …) RETURNS Type AS any tokens
    Result<SqlStatement> parse_macro() {
        made_.action = SqlAction::macro;
        const std::size_t begin = place(next_);
        made_.name = take_name();
        if (made_.name.empty()) return wrong("the macro has no name", begin);
        made_.places.emplace_back(0, begin);
        if (!parse_names(made_.arguments))
            return wrong("the macro's arguments are missing", place(next_));
        if (!skip("RETURNS")) return wrong("RETURNS is missing", place(next_));
        ++next_;  // the type
        if (!skip("AS") || next_ >= tokens_.size())
            return wrong("AS and what the macro stands for are missing", place(next_));
        put(script_.substr(tokens_[next_].begin, tokens_.back().end - tokens_[next_].begin));
        return finished();
    }

    std::string_view script_;
    std::span<const SqlToken> tokens_;
    std::size_t next_ = 0;
    SqlStatement made_;
};

// Places in `places` are in the expanded text; makes them places in the script.
void find_places(const ExpandedSql& expanded, SqlStatement& statement) {
    std::vector<std::pair<std::size_t, std::size_t>> places;
    for (std::size_t i = 0; i < statement.places.size(); ++i) {
        const auto [first, second] = statement.places[i];
        const std::size_t end =
            i + 1 < statement.places.size() ? statement.places[i + 1].first : statement.text.size();
        places.emplace_back(first, expanded.place_of(second));
        for (const auto& [at, place] : expanded.places)
            if (at > second && at - second < end - first)
                places.emplace_back(first + (at - second), place);
    }
    statement.places = std::move(places);
}

Result<SqlStatement> parse_statement(std::string_view script, std::span<const SqlToken> tokens,
                                     const SqlMacros& macros) {
    const auto is = [&](std::size_t i, std::string_view text) {
        return i < tokens.size() &&
               same_word(script.substr(tokens[i].begin, tokens[i].end - tokens[i].begin), text);
    };
    const std::size_t kind = is(1, "OR") ? 3 : 1;  // CREATE OR REPLACE
    const bool defines = is(0, "CREATE") && is(kind, "PERFETTO") && is(kind + 1, "MACRO");
    if (defines || !uses_macros(script, tokens)) return StatementParser(script, tokens).parse();
    const Result<ExpandedSql> expanded = expand_macros(script, tokens, macros);
    if (!expanded) return expanded.error();
    const Result<std::vector<SqlToken>> made = sql_tokens(expanded->text);
    if (!made) return Error{made.error().code, tokens.front().begin, made.error().text};
    if (made->empty()) return SqlStatement();
    Result<SqlStatement> statement = StatementParser(expanded->text, *made).parse();
    if (!statement)
        return Error{statement.error().code,
                     expanded->place_of(static_cast<std::size_t>(statement.error().byte_offset)),
                     statement.error().text};
    find_places(*expanded, *statement);
    return statement;
}

}  // namespace

std::size_t SqlStatement::place_of(std::size_t offset) const {
    if (places.empty()) return 0;
    auto after =
        std::upper_bound(places.begin(), places.end(), offset,
                         [](std::size_t at, const auto& place) { return at < place.first; });
    if (after == places.begin()) return places.front().second;
    --after;
    const std::size_t inside = offset - after->first;
    return after->second + inside;
}

Result<std::vector<SqlStatement>> parse_script(std::string_view script, SqlMacros macros) {
    const Result<std::vector<SqlToken>> tokens = sql_tokens(script);
    if (!tokens) return tokens.error();
    std::vector<SqlStatement> statements;
    for (std::size_t begin = 0; begin < tokens->size();) {
        std::size_t end = begin;
        while (end < tokens->size() && script[(*tokens)[end].begin] != ';') ++end;
        if (end > begin) {
            Result<SqlStatement> statement =
                parse_statement(script, std::span(*tokens).subspan(begin, end - begin), macros);
            if (!statement) return statement.error();
            if (statement->action == SqlAction::macro)
                macros.insert_or_assign(macro_key(statement->name),
                                        SqlMacro{statement->arguments, statement->text});
            statements.push_back(std::move(*statement));
        }
        begin = end + 1;
    }
    return statements;
}

}  // namespace lanescope
