#include "core/sql/macros.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace lanescope {

namespace {

constexpr int kMostNestedMacros = 32;
constexpr std::size_t kMostExpandedTokens = 100'000;
// The most macro calls plus tokens of their bodies. A call counts although it expands to nothing.
constexpr std::size_t kMostMacroWork = 10 * kMostExpandedTokens;

struct MacroPiece {
    std::string_view text;
    std::size_t place = 0;     // in the script
    bool after_blank = false;  // is apart from the piece before
    bool is_word = false;
};
using MacroPieces = std::vector<MacroPiece>;

MacroPieces pieces_of(std::string_view text, std::span<const SqlToken> tokens) {
    MacroPieces pieces;
    pieces.reserve(tokens.size());
    std::size_t end = 0;
    for (const SqlToken& token : tokens) {
        pieces.push_back({text.substr(token.begin, token.end - token.begin), token.begin,
                          token.begin > end, token.kind == SqlTokenKind::word});
        end = token.end;
    }
    return pieces;
}

class MacroExpander {
  public:
    explicit MacroExpander(const SqlMacros& macros) : macros_(macros) {}

    Result<void> expand(const MacroPieces& pieces, int depth, MacroPieces& out) {
        bool apart = false;  // behind a macro
        for (std::size_t i = 0; i < pieces.size();) {
            if (!is_call(pieces, i)) {
                out.push_back(pieces[i++]);
                out.back().after_blank = out.back().after_blank || std::exchange(apart, false);
                if (++count_ > kMostExpandedTokens)
                    return wrong("macros make this statement too long", pieces[i - 1].place);
                continue;
            }
            if (depth == kMostNestedMacros)
                return wrong(
                    fmt::format("the macro {} is used inside itself too often", pieces[i].text),
                    pieces[i].place);
            if (Result<void> done = expand_call(pieces, i, depth, out); !done) return done;
            apart = true;
        }
        return {};
    }

    static bool is_call(const MacroPieces& pieces, std::size_t i) {
        return i + 2 < pieces.size() && pieces[i].is_word && pieces[i + 1].text == "!" &&
               pieces[i + 2].text == "(";
    }

  private:
    static Error wrong(std::string text, std::size_t place) {
        return {ErrorCode::usage, place, std::move(text)};
    }

    // The arguments of the call whose "(" is at `i`, which is moved behind its end.
    static Result<std::vector<MacroPieces>> arguments_at(const MacroPieces& pieces,
                                                         std::size_t& i) {
        const std::size_t begin = i++;
        std::vector<MacroPieces> arguments(1);
        for (int depth = 1; i < pieces.size(); ++i) {
            const std::string_view text = pieces[i].text;
            if (text == "(") ++depth;
            if (text == ")" && --depth == 0) {
                ++i;
                if (arguments.size() == 1 && arguments[0].empty()) arguments.clear();
                return arguments;
            }
            if (text == "," && depth == 1)
                arguments.emplace_back();
            else
                arguments.back().push_back(pieces[i]);
        }
        return wrong("the arguments of the macro have no end", pieces[begin].place);
    }

    Result<void> expand_call(const MacroPieces& pieces, std::size_t& i, int depth,
                             MacroPieces& out) {
        const MacroPiece call = pieces[i];
        const auto found = macros_.find(macro_key(call.text));
        if (found == macros_.end())
            return wrong(fmt::format("there is no macro {}", call.text), call.place);
        const SqlMacro& macro = found->second;
        i += 2;
        const auto arguments = arguments_at(pieces, i);
        if (!arguments) return arguments.error();
        if (arguments->size() != macro.arguments.size())
            return wrong(
                fmt::format("the macro {} takes {} arguments", call.text, macro.arguments.size()),
                call.place);
        const Result<std::vector<SqlToken>> tokens = sql_tokens(macro.body);
        if (!tokens) return wrong(tokens.error().text, call.place);
        work_ += 1 + tokens->size();
        if (work_ > kMostMacroWork) return wrong("macros make this statement too long", call.place);
        MacroPieces body;
        bool apart = true;  // the next piece must not join the one before
        for (MacroPiece piece : pieces_of(macro.body, *tokens)) {
            piece.place = call.place;
            if (!piece.text.starts_with('$')) {
                piece.after_blank = piece.after_blank || apart;
                apart = false;
                body.push_back(piece);
                continue;
            }
            const auto argument =
                std::ranges::find(macro.arguments, std::string(piece.text.substr(1)));
            if (argument == macro.arguments.end())
                return wrong(fmt::format("the macro {} has no argument {}", call.text, piece.text),
                             call.place);
            const MacroPieces& given =
                (*arguments)[static_cast<std::size_t>(argument - macro.arguments.begin())];
            const std::size_t first = body.size();
            body.insert(body.end(), given.begin(), given.end());
            if (first < body.size()) body[first].after_blank = true;
            apart = true;
            if (body.size() > kMostExpandedTokens)
                return wrong("macros make this statement too long", call.place);
        }
        work_ += body.size();
        return expand(body, depth + 1, out);
    }

    const SqlMacros& macros_;
    std::size_t count_ = 0;  // of tokens in the statement
    std::size_t work_ = 0;
};

}  // namespace

std::string macro_key(std::string_view name) {
    std::string key(name);
    std::ranges::transform(key, key.begin(),
                           [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    return key;
}

std::size_t ExpandedSql::place_of(std::size_t offset) const {
    const auto after =
        std::upper_bound(places.begin(), places.end(), offset,
                         [](std::size_t at, const auto& place) { return at < place.first; });
    return after == places.begin() ? 0 : std::prev(after)->second;
}

bool uses_macros(std::string_view script, std::span<const SqlToken> tokens) {
    const MacroPieces pieces = pieces_of(script, tokens);
    for (std::size_t i = 0; i < pieces.size(); ++i)
        if (MacroExpander::is_call(pieces, i)) return true;
    return false;
}

Result<ExpandedSql> expand_macros(std::string_view script, std::span<const SqlToken> tokens,
                                  const SqlMacros& macros) {
    MacroPieces pieces;
    if (const auto done = MacroExpander(macros).expand(pieces_of(script, tokens), 0, pieces); !done)
        return done.error();
    ExpandedSql expanded;
    for (const MacroPiece& piece : pieces) {
        if (piece.after_blank && !expanded.text.empty()) expanded.text += ' ';
        expanded.places.emplace_back(expanded.text.size(), piece.place);
        expanded.text += piece.text;
    }
    return expanded;
}

}  // namespace lanescope
