#include "core/export/traces/scrub_patterns.h"

#include <re2/re2.h>

#include <algorithm>
#include <array>
#include <cctype>

namespace lanescope {

namespace {

re2::StringPiece piece_of(std::string_view text) {
    return {text.data(), text.size()};
}

std::string_view view_of(const re2::StringPiece& piece) {
    return {piece.data(), piece.size()};
}

// Replaces each match by `replacement(groups)`; groups[0] is the whole match.
template <typename Replacement>
bool replace_matches(std::string& text, const RE2& expression, Replacement replacement) {
    constexpr int kGroups = 3;
    std::array<re2::StringPiece, kGroups> groups;
    const int count = std::min(expression.NumberOfCapturingGroups() + 1, kGroups);
    const std::string plain = text;
    const re2::StringPiece all = piece_of(plain);
    std::string out;
    std::size_t at = 0;
    while (expression.Match(all, at, all.size(), RE2::UNANCHORED, groups.data(), count)) {
        const auto begin = static_cast<std::size_t>(groups[0].data() - plain.data());
        if (groups[0].empty()) break;
        out.append(plain, at, begin - at);
        out += replacement(groups);
        at = begin + groups[0].size();
    }
    if (at == 0) return false;
    out.append(plain, at);
    text = std::move(out);
    return text != plain;
}

bool has_extension(std::string_view file) {
    constexpr std::size_t kLongest = 11;  // "safetensors"
    const std::size_t dot = file.rfind('.');
    return dot != std::string_view::npos && dot > 0 && dot + 1 < file.size() &&
           file.size() - dot - 1 <= kLongest;
}

// The file name of a path, and what follows after a space; directories may contain spaces.
std::string without_folders(std::string_view path) {
    const std::string_view last = last_component(path);
    const std::string_view file = last.substr(0, last.find(' '));
    const std::string_view rest = last.substr(file.size());
    return (has_extension(file) ? std::string(file) : "<path>") + std::string(rest);
}

// Domains that hosts have, and that are no names of modules or members in programs. Behind two
// more parts, a country's domain is one too: "gpu3.lab.de".
bool is_host_name(std::string_view name) {
    constexpr auto certain = std::to_array<std::string_view>(
        {"com", "org", "edu", "gov", "mil", "net", "internal", "intranet", "local", "localdomain",
         "lan", "corp", "arpa"});
    constexpr auto likely = std::to_array<std::string_view>(
        {"ai", "au", "br", "ch", "cloud", "cn", "cz", "de", "dev", "dk", "eu",
         "fi", "fr", "io", "jp", "kr",    "nl", "ru", "sg", "tw",  "uk"});
    std::string domain(name.substr(name.rfind('.') + 1));
    for (char& c : domain) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (std::ranges::find(certain, domain) != certain.end()) return true;
    return std::ranges::count(name, '.') > 1 && std::ranges::find(likely, domain) != likely.end();
}

// The last component. Paths in PyTorch's own package are no secret, and tell its frames from
// others.
std::string file_of(std::string_view path) {
    return std::string(path.starts_with("torch/") ? path : last_component(path));
}

}  // namespace

struct ScrubPatterns::Expressions {
    RE2 url{R"([A-Za-z][A-Za-z0-9+.-]*://[^\s"'<>)\]}]+)"};
    // key=value, key: value; the value of "tokens=128" is a plain one and stays.
    RE2 secret{R"((?i)((?:api[_-]?key|access[_-]?key|token|secret|passw(?:or)?d|passphrase)"
               R"(|credential|authorization|bearer)(?:s|[_-][\w-]+)?["']?\s*[=:]\s*["']?)"
               R"((?:bearer\s+)?)([^\s"',;&)\]}:=<>][^\s"',;&)\]}]*))"};
    RE2 key{R"(\b(?:sk-[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{16,}|gh[pousr]_\w{20,}|AKIA[0-9A-Z]{16})"
            R"(|xox[abps]-[\w-]{10,}|eyJ[\w-]{10,}\.[\w.-]+))"};
    RE2 mail{R"([\w.+-]+@[\w-]+(?:\.[\w-]+)*\.[A-Za-z]{2,}\b)"};
    RE2 address{R"(\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b|\bfe80::[0-9a-fA-F:]+)"
                R"(|\b(?:[0-9a-fA-F]{1,4}:){3,}[0-9a-fA-F:]*[0-9a-fA-F])"
                R"(|\b[0-9a-fA-F]{2,4}(?::[0-9a-fA-F]{1,4})+::[0-9a-fA-F]*)"};
    RE2 dotted{R"(\b[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+)"};
    RE2 frame{R"(^([^;\n]*[/\\][^;\n]*?)(\(\d+\): [^;\n]*)$)"};
    // Folders may contain spaces and parentheses, the last component no parentheses.
    RE2 absolute{R"((^|[\s"'(=,:;<\[{|>@])((?:~|[A-Za-z]:)?[/\\]{1,2}(?:)"
                 R"([^\s/\\:;,"'<>|=\[\]{}][^/\\:;,"'<>|=\[\]{}\n]*[/\\])"
                 R"((?:[^/\\:;,"'<>|=\[\]{}\n]*[/\\])*[^/\\():;,"'<>|=\[\]{}\n]*)"
                 R"(|[^\s/\\():;,"'<>|=\[\]{}][^/\\():;,"'<>|=\[\]{}\n]*)))"};
    // "./runs/1" and "../data" are paths; "aten/mm" and "layer1/conv" are names, unless a known
    // ending tells that they are files.
    RE2 here{R"((^|[\s"'(=,:;<\[{|>@])(\.\.?[/\\](?:[^\s/\\:;,"'<>|=\[\]{}]*[/\\])*)"
             R"([^\s/\\():;,"'<>|=\[\]{}]+))"};
    RE2 relative{
        R"((?:[\w.+@~-]+[/\\])(?:[\w.+@~ -]*[/\\])*[\w.+@-]+\.)"
        R"((?:pyc?|pyx|ipynb|cpp|cc|cxx|cu|cuh|c|h|hpp|so|txt|json|jsonl|csv|ya?ml|bin|pth?)"
        R"(|safetensors|ckpt|parquet|np[yz]|db|sqlite|log|sh|toml|cfg|ini|whl|zip|gz|tar|arrow)"
        R"(|bz2|engine|feather|gguf|h5|hdf5|idx|jpe?g|lmdb|md|mp[34]|onnx|pickle|pkl|png|proto)"
        R"(|tfrecord|tgz|tsv|wav|webp|xml|xz|zst)\b)"};
    RE2 user{R"((?:/home/|/Users/|\\Users\\|/export/home/)([^/\\"'\n]+)[/\\])"};
};

ScrubPatterns::ScrubPatterns() : expressions_(std::make_unique<const Expressions>()) {}
ScrubPatterns::~ScrubPatterns() = default;

std::string ScrubPatterns::without_paths(std::string_view plain, ScrubCounts& counts) const {
    std::string text(plain);
    const auto url = [](const auto&) { return std::string("<url>"); };
    if (replace_matches(text, expressions_->url, url)) ++counts["URL"];
    // A frame's path may contain anything: it ends at the line number.
    bool has_path = replace_matches(text, expressions_->frame, [](const auto& groups) {
        return file_of(view_of(groups[1])) + std::string(view_of(groups[2]));
    });
    for (const RE2* const path : {&expressions_->absolute, &expressions_->here})
        has_path |= replace_matches(text, *path, [](const auto& groups) {
            return std::string(view_of(groups[1])) + without_folders(view_of(groups[2]));
        });
    has_path |= replace_matches(text, expressions_->relative,
                                [](const auto& groups) { return file_of(view_of(groups[0])); });
    if (has_path) ++counts["path"];
    return text;
}

std::string ScrubPatterns::without_secrets(std::string_view plain, ScrubCounts& counts) const {
    const Expressions& find = *expressions_;
    std::string text(plain);
    const auto count = [&](bool replaced, const char* kind) {
        if (replaced) ++counts[kind];
    };
    const auto by = [](std::string word) {
        return [word = std::move(word)](const auto&) { return word; };
    };
    const auto value = [](const auto& groups) {
        // "tokens=128" is a number of tokens; other numbers under these names are secrets.
        const bool counts_tokens =
            view_of(groups[1]).starts_with("token") || view_of(groups[1]).starts_with("Token");
        if (counts_tokens && is_plain_value(view_of(groups[2])))
            return std::string(view_of(groups[0]));
        return std::string(view_of(groups[1])) + "<secret>";
    };
    count(replace_matches(text, find.secret, value), "secret");
    count(replace_matches(text, find.key, by("<secret>")), "secret");
    count(replace_matches(text, find.mail, by("<user>")), "mail address");
    count(replace_matches(text, find.address, by("<address>")), "network address");
    count(replace_matches(text, find.dotted,
                          [](const auto& groups) {
                              const std::string_view name = view_of(groups[0]);
                              return is_host_name(name) ? "<host>" : std::string(name);
                          }),
          "host name");
    return text;
}

std::vector<std::string> ScrubPatterns::users_in(std::string_view text) const {
    std::vector<std::string> users;
    re2::StringPiece rest = piece_of(text);
    std::string user;
    while (RE2::FindAndConsume(&rest, expressions_->user, &user)) users.push_back(user);
    return users;
}

bool is_plain_value(std::string_view text) {
    static const RE2 value(
        R"((?:[-+.,:;\[\](){}\s]|0x[0-9a-fA-F]+|\d+(?:e[-+]?\d+)?|nan|inf|True|False|true|false)"
        R"(|None|null|NULL|bytes)*)");
    return RE2::FullMatch(piece_of(text), value);
}

std::string_view last_component(std::string_view path) {
    const std::size_t separator = path.find_last_of("/\\");
    return separator == std::string_view::npos ? path : path.substr(separator + 1);
}

}  // namespace lanescope
