#include "core/compile/program_text.h"

#include <algorithm>
#include <charconv>
#include <optional>
#include <utility>

namespace lanescope {

namespace {

std::string_view trimmed(std::string_view text) {
    const std::size_t first = text.find_first_not_of(" \t\r");
    if (first == std::string_view::npos) return {};
    return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

// Calls `take` with each line of a text.
template <typename Take>
void for_each_line(std::string_view text, const Take& take) {
    while (!text.empty()) {
        const std::size_t end = text.find('\n');
        take(text.substr(0, end));
        if (end == std::string_view::npos) return;
        text.remove_prefix(end + 1);
    }
}

int64_t number_in(std::string_view text) {
    int64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value);
    return value;
}

// "F:L in fn, code: text", behind "# File: ".
std::optional<SourceLine> line_of_comment(std::string_view text) {
    SourceLine line;
    const std::size_t in = text.find(" in ");
    if (in == std::string_view::npos) return std::nullopt;
    const std::string_view place = text.substr(0, in);
    const std::size_t colon = place.rfind(':');
    if (colon == std::string_view::npos) return std::nullopt;
    line.file = place.substr(0, colon);
    line.line = number_in(place.substr(colon + 1));
    std::string_view rest = text.substr(in + 4);
    const std::size_t code = rest.find(", code: ");
    line.function = rest.substr(0, code);
    if (code != std::string_view::npos) line.code = trimmed(rest.substr(code + 8));
    return line;
}

bool is_identifier(std::string_view text) {
    return !text.empty() && std::ranges::all_of(text, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
               c == '_';
    });
}

// The operator that an assigned expression calls: "aten.mm.default" of
// "torch.ops.aten.mm.default(".
std::string operator_of(std::string_view expression) {
    constexpr std::string_view prefix = "torch.ops.";
    if (!expression.starts_with(prefix)) return {};
    expression.remove_prefix(prefix.size());
    const std::size_t end = expression.find('(');
    if (end == std::string_view::npos) return {};
    return std::string(expression.substr(0, end));
}

// The expression that a call in generated code begins with: "extern_kernels.mm" of
// "extern_kernels.mm(a, b)"; an assignment's target is passed over.
std::string_view called(std::string_view line) {
    if (const std::size_t equals = line.find(" = "); equals != std::string_view::npos) {
        const std::string_view target = trimmed(line.substr(0, equals));
        if (is_identifier(target)) line = trimmed(line.substr(equals + 3));
    }
    std::string_view name = line.substr(0, line.find('('));
    // A Triton kernel is started by its method.
    if (name.ends_with(".run")) name.remove_suffix(4);
    return name;
}

bool is_kernel_call(std::string_view name) {
    // Checks and allocations of the wrapper call neither kernels nor operators.
    return name.starts_with("extern_kernels.") || name.starts_with("torch.ops.") ||
           name.starts_with("triton_") || name.starts_with("cpp_fused") ||
           name.starts_with("fallback_") || name.starts_with("aten.") ||
           name.starts_with("mps_lib");
}

std::vector<std::string> listed(std::string_view text) {
    std::vector<std::string> words;
    while (!text.empty()) {
        const std::size_t comma = text.find(',');
        if (const std::string_view word = trimmed(text.substr(0, comma)); !word.empty())
            words.emplace_back(word);
        if (comma == std::string_view::npos) break;
        text.remove_prefix(comma + 1);
    }
    return words;
}

// The elements of the bracketed list behind a word.
std::vector<std::string> list_behind(std::string_view line, std::string_view word) {
    const std::size_t at = line.find(word);
    if (at == std::string_view::npos) return {};
    const std::size_t begin = line.find('[', at);
    const std::size_t end = line.find(']', at);
    if (begin == std::string_view::npos || end == std::string_view::npos || end < begin) return {};
    return listed(line.substr(begin + 1, end - begin - 1));
}

// The facts in the comments above a kernel or a call.
struct Comments {
    std::string kernel_file;
    std::vector<std::string> operators;
    std::vector<std::string> handles;

    void take(std::string_view comment) {
        if (constexpr std::string_view path = "# kernel path: "; comment.starts_with(path)) {
            const std::string_view file = trimmed(comment.substr(path.size()));
            const std::string_view name = file.substr(file.rfind('/') + 1);
            kernel_file = name.substr(0, name.rfind('.'));
        }
        if (auto found = list_behind(comment, "Original ATen:"); !found.empty())
            operators = std::move(found);
        if (constexpr std::string_view word = "# [Provenance debug handles]";
            comment.starts_with(word))
            for (std::string& one : listed(comment.substr(word.size())))
                handles.push_back(std::move(one));
    }
};

class CodeReader {
  public:
    OutputCode run(std::string_view text) {
        for_each_line(text, [&](std::string_view line) {
            ++number_;
            take(line);
        });
        return std::move(code_);
    }

  private:
    void take(std::string_view line) {
        const std::string_view text = trimmed(line);
        // The source of a kernel stands in a text of the wrapper.
        constexpr std::string_view quotes = "'''";
        const std::size_t quote = text.find(quotes);
        const bool changes = quote != std::string_view::npos &&
                             text.find(quotes, quote + quotes.size()) == std::string_view::npos;
        if (std::exchange(in_text_, in_text_ != changes)) return;
        if (text.starts_with('#')) {
            if (constexpr std::string_view aot = "# AOT ID: ["; text.starts_with(aot)) {
                std::string_view id = text.substr(aot.size());
                if (id.starts_with('\'')) id.remove_prefix(1);
                code_.aot_id = id.substr(0, id.find_first_of("']"));
            }
            comments_.take(text);
            return;
        }
        if (is_call_function(text)) {
            in_call_ = true;
            indent_ = line.find_first_not_of(' ');
        } else if (in_call_ && !text.empty() && line.find_first_not_of(' ') <= indent_) {
            in_call_ = false;
        }
        if (in_call_)
            take_call(text);
        else
            take_definition(text);
    }

    static bool is_call_function(std::string_view text) {
        return text.starts_with("def call(") || text.starts_with("def partition_");
    }

    // "triton_poi_fused_add_0 = async_compile.triton('triton_poi_fused_add_0', '''"
    void take_definition(std::string_view text) {
        const std::size_t equals = text.find(" = async_compile.");
        if (equals == std::string_view::npos) return;
        definitions_[std::string(text.substr(0, equals))] = std::move(comments_);
        comments_ = {};
    }

    void take_call(std::string_view text) {
        const std::string_view name = called(text);
        if (!is_kernel_call(name)) return;
        CallSite site;
        site.name = name;
        site.code_line = number_;
        const auto definition = definitions_.find(name);
        const Comments* const own =
            definition == definitions_.end() ? nullptr : &definition->second;
        if (own) site.kernel_file = own->kernel_file;
        site.operators = own && !own->operators.empty() ? own->operators : comments_.operators;
        site.operators_grade = LinkGrade::name;
        site.handles = std::move(comments_.handles);
        if (site.operators.empty() && name.starts_with("torch.ops."))
            site.operators = {std::string(name.substr(10))};
        std::ranges::sort(site.operators);
        code_.sites.push_back(std::move(site));
        comments_ = {};
    }

    OutputCode code_;
    Comments comments_;
    std::map<std::string, Comments, std::less<>> definitions_;  // by kernel
    int64_t number_ = 0;                                        // line number
    bool in_text_ = false;
    bool in_call_ = false;
    std::size_t indent_ = 0;
};

}  // namespace

std::map<std::string, FxNode, std::less<>> nodes_of_graph(std::string_view text) {
    std::map<std::string, FxNode, std::less<>> nodes;
    SourceLine last;
    bool is_of_others = false;
    for_each_line(text, [&](std::string_view whole) {
        const std::string_view line = trimmed(whole);
        const std::size_t file = line.find("File: ");
        if (line.starts_with('#') && file != std::string_view::npos) {
            is_of_others = false;
            if (auto found = line_of_comment(line.substr(file + 6))) last = std::move(*found);
            return;
        }
        if (line.starts_with("# No stacktrace found")) is_of_others = true;
        if (line.empty() || line.starts_with('#')) return;
        const std::size_t equals = line.find(" = ");
        if (equals == std::string_view::npos) return;
        const std::string_view target = line.substr(0, equals);
        const std::string_view name = trimmed(target.substr(0, target.find(':')));
        if (!is_identifier(name)) return;
        nodes.insert_or_assign(
            std::string(name),
            FxNode{operator_of(trimmed(line.substr(equals + 3))), last, is_of_others});
    });
    return nodes;
}

std::vector<SourceLine> lines_of_traceback(std::string_view text) {
    std::vector<SourceLine> lines;
    for_each_line(text, [&](std::string_view whole) {
        const std::string_view line = trimmed(whole);
        if (constexpr std::string_view file = "File \""; line.starts_with(file)) {
            const std::size_t quote = line.find('"', file.size());
            const std::size_t number = line.find(", line ", file.size());
            if (quote == std::string_view::npos || number == std::string_view::npos) return;
            SourceLine& found = lines.emplace_back();
            found.file = line.substr(file.size(), quote - file.size());
            found.line = number_in(line.substr(number + 7));
            if (const std::size_t in = line.find(", in ", number); in != std::string_view::npos)
                found.function = line.substr(in + 5);
            return;
        }
        if (!lines.empty() && lines.back().code.empty() && !line.empty()) lines.back().code = line;
    });
    return lines;
}

OutputCode read_output_code(std::string_view text) {
    return CodeReader().run(text);
}

}  // namespace lanescope
