#include "core/session/inductor_cache.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>
#include <vector>

#include "core/compile/program_text.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostGraphs = 4096;
constexpr uintmax_t kMostBytes = uintmax_t{64} << 20;  // of one file
constexpr std::size_t kKeyLength = 52;                 // "f" or "c" and 51 letters and digits

bool is_key(std::string_view name, char first) {
    return name.size() == kKeyLength && name.front() == first &&
           std::ranges::all_of(
               name, [](char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'); });
}

std::string bytes_of(const fs::path& path) {
    std::error_code code;
    if (const uintmax_t size = fs::file_size(path, code); code || size > kMostBytes) return {};
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

// The stem of the generated code's file: the short text after "cache_key" in a graph's pickle.
std::optional<std::string> code_in_pickle(std::string_view bytes) {
    constexpr std::string_view word = "cache_key";
    for (std::size_t at = bytes.find(word); at != std::string_view::npos;
         at = bytes.find(word, at + 1)) {
        // A memo opcode, then the opcode and length of a short text.
        const std::string_view text = bytes.substr(at + word.size(), 3 + kKeyLength);
        if (text.size() < 3 + kKeyLength || text[0] != '\x94' || text[1] != '\x8c' ||
            text[2] != static_cast<char>(kKeyLength))
            continue;
        if (const std::string_view stem = text.substr(3); is_key(stem, 'c'))
            return std::string(stem);
    }
    return std::nullopt;
}

// Calls `take` for each entry of a folder, sorted by name.
template <typename Take>
void for_each_entry(const fs::path& folder, const Take& take) {
    std::vector<fs::path> entries;
    std::error_code code;
    for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code))
        entries.push_back(at->path());
    std::ranges::sort(entries);
    for (const fs::path& entry : entries) take(entry);
}

}  // namespace

bool holds_inductor_cache(const std::string& folder) {
    std::error_code code;
    return fs::is_directory(fs::path(folder) / "fxgraph", code);
}

bool add_inductor_cache(const std::string& folder, CompiledCode& code) {
    const fs::path root(folder);
    std::set<std::string> known;
    for (const CompiledGraph& graph : code.graphs) known.insert(graph.key);
    std::vector<CompiledGraph> found;
    const auto add = [&](const std::string& key, const fs::path& pickle) {
        if (found.size() >= kMostGraphs || known.contains(key)) return;
        const std::optional<std::string> stem = code_in_pickle(bytes_of(pickle));
        if (!stem) return;
        const fs::path path = root / stem->substr(1, 2) / (*stem + ".py");
        OutputCode output = read_output_code(bytes_of(path));
        if (output.sites.empty()) return;
        known.insert(key);
        CompiledGraph& graph = found.emplace_back();
        graph.key = key;
        graph.code_path = path.string();
        graph.aot_id = std::move(output.aot_id);
        graph.sites = std::move(output.sites);
    };
    for_each_entry(root / "fxgraph", [&](const fs::path& group) {
        for_each_entry(group, [&](const fs::path& entry) {
            const std::string key = entry.filename().string();
            if (is_key(key, 'f'))
                for_each_entry(entry, [&](const fs::path& pickle) { add(key, pickle); });
        });
    });
    if (found.empty()) return false;
    // A cache does not state the compilations of its graphs.
    code.compiles.emplace_back();
    for (CompiledGraph& graph : found) {
        graph.compile = static_cast<uint32_t>(code.compiles.size() - 1);
        code.graphs.push_back(std::move(graph));
    }
    if (code.origin.empty()) code.origin = folder;
    return true;
}

}  // namespace lanescope
