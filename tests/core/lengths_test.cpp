// Checks the lengths of files and functions of the programs and libraries.
#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kFileLines = 400;
constexpr std::size_t kFunctionLines = 80;

// The text with blanks in place of comments, literals and directives, so that their braces do not
// count. Line breaks stay.
std::string without_texts(const std::string& code) {
    std::string plain = code;
    const auto blank = [&](std::size_t from, std::size_t to) {
        for (std::size_t i = from; i < std::min(to, plain.size()); ++i)
            if (plain[i] != '\n') plain[i] = ' ';
    };
    for (std::size_t i = 0; i < code.size();) {
        const std::string_view rest = std::string_view(code).substr(i);
        std::size_t end = i + 1;
        const bool line_begins = i == 0 || code[i - 1] == '\n';
        if (rest.starts_with("//") || (line_begins && code[i] == '#')) {
            end = std::min(code.find('\n', i), code.size());
        } else if (rest.starts_with("/*")) {
            end = code.find("*/", i + 2) + 2;
        } else if (rest.starts_with("R\"")) {
            const std::size_t open = code.find('(', i);
            end = code.find(")" + code.substr(i + 2, open - i - 2) + "\"", open);
            end = code.find('"', end) + 1;
        } else if (code[i] == '"' ||
                   (code[i] == '\'' &&
                    (i == 0 || !std::isalnum(static_cast<unsigned char>(code[i - 1]))))) {
            while (end < code.size() && code[end] != code[i]) end += code[end] == '\\' ? 2 : 1;
            ++end;
        } else {
            ++i;
            continue;
        }
        blank(i, end);
        i = end;
    }
    return plain;
}

// Whether the text before an opening brace is the head of something that contains functions.
bool contains_functions(std::string_view head) {
    for (const std::string_view word :
         {"namespace", "class", "struct", "union", "enum", "extern"}) {
        const std::size_t at = head.find(word);
        const bool whole = at != std::string_view::npos &&
                           (at == 0 || !std::isalnum(static_cast<unsigned char>(head[at - 1])));
        // A parameter may be of an enum or struct.
        if (whole && head.find('(') > at) return true;
    }
    return false;
}

struct Function {
    std::size_t line = 0;   // of its first line, from 1
    std::size_t lines = 0;  // from there to its closing brace
};

// The functions of a file, without those inside other functions.
std::vector<Function> functions_of(const std::string& code) {
    const std::string plain = without_texts(code);
    std::vector<Function> functions;
    std::vector<std::optional<std::size_t>> open;  // first line of a function; none: other braces
    bool in_function = false;
    std::size_t line = 1;
    std::string head;                      // since the last statement
    std::optional<std::size_t> head_line;  // of its first word
    for (const char c : plain) {
        if (c == '\n') ++line;
        if (c == '{') {
            const bool begins =
                !in_function && head.find('(') != std::string::npos && !contains_functions(head);
            open.push_back(begins ? head_line : std::nullopt);
            in_function = in_function || begins;
        } else if (c == '}' && !open.empty()) {
            if (open.back()) functions.push_back({*open.back(), line - *open.back() + 1});
            if (open.back()) in_function = false;
            open.pop_back();
        }
        if (c == ';' || c == '{' || c == '}') {
            head.clear();
            head_line.reset();
        } else if (!std::isspace(static_cast<unsigned char>(c)) || head_line) {
            if (!head_line) head_line = line;
            head += c;
        }
    }
    return functions;
}

std::string text_of(const fs::path& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

TEST_CASE("functions are found with their lengths") {
    const std::vector<Function> found = functions_of(R"(#include <vector>
namespace a {
struct S {
    int f(int x) const { return x; }  // }
    void g(
        int x) {
        if (x) { h("}"); }
    }
};
enum class E { one };
const std::vector<int> numbers = {1, 2};
S make(enum E e) {
    const auto inner = [] {
        return '}';
    };
}
}  // namespace a
)");
    REQUIRE(found.size() == 3);
    CHECK(found[0].line == 4);
    CHECK(found[0].lines == 1);
    CHECK(found[1].line == 5);
    CHECK(found[1].lines == 4);
    CHECK(found[2].line == 12);
    CHECK(found[2].lines == 5);
}

TEST_CASE("no file and no function is too long") {
    const fs::path root = LANESCOPE_ROOT;
    std::size_t files = 0;
    std::size_t functions = 0;
    for (const char* top : {"api", "app", "core", "examples", "python", "ui"}) {
        for (const auto& entry : fs::recursive_directory_iterator(root / top)) {
            const fs::path extension = entry.path().extension();
            if (extension != ".h" && extension != ".cpp" && extension != ".c") continue;
            const std::string name = entry.path().lexically_relative(root).string();
            const std::string code = text_of(entry.path());
            const auto lines = static_cast<std::size_t>(std::ranges::count(code, '\n'));
            CHECK_MESSAGE(lines <= kFileLines, name, " has ", lines, " lines");
            ++files;
            for (const Function& function : functions_of(code)) {
                ++functions;
                CHECK_MESSAGE(function.lines <= kFunctionLines, name, ":", function.line,
                              ": a function of ", function.lines, " lines");
            }
        }
    }
    CHECK(files > 100);
    CHECK(functions > 1000);
}
