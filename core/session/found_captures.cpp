#include "core/session/found_captures.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/base/url.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

// Folders used by vLLM (pull request 37524) and SGLang (24370, 28551).
constexpr std::array<std::string_view, 2> kFolders = {"capture_traces", "graph_capture_profile"};
constexpr std::array<std::string_view, 3> kPrefixes = {"graph_capture", "capture_trace",
                                                       "cuda_graph_capture"};
constexpr std::size_t kMostFiles = 32;

struct CaptureFile {
    std::string path;
    std::optional<int64_t> rank;
    std::optional<int64_t> batch;
};

// The number after the last occurrence of the first of these words that a number follows.
std::optional<int64_t> number_after(std::string_view name,
                                    std::initializer_list<std::string_view> words) {
    for (const std::string_view word : words) {
        const std::size_t at = name.rfind(word);
        if (at == std::string_view::npos) continue;
        std::string_view digits = name.substr(at + word.size());
        if (!digits.empty() && (digits.front() == '_' || digits.front() == '-'))
            digits.remove_prefix(1);
        int64_t value = 0;
        const auto [stop, code] =
            std::from_chars(digits.data(), digits.data() + digits.size(), value);
        if (code == std::errc() && value >= 0) return value;
    }
    return std::nullopt;
}

std::optional<int64_t> rank_in(std::string_view name) {
    return number_after(name, {"rank", "TP"});
}

bool is_trace_name(std::string_view name) {
    return name != "execution_details.json" &&
           (name.ends_with(".json") || name.ends_with(".json.gz") || name.ends_with(".json.zst"));
}

template <typename Accepts>
void add_files(std::vector<CaptureFile>& found, const fs::path& folder, const Accepts& accepts) {
    std::error_code code;
    for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
        const std::string name = at->path().filename().string();
        std::error_code unknown;
        if (!is_trace_name(name) || !accepts(name) || !at->is_regular_file(unknown)) continue;
        found.push_back({at->path().string(), rank_in(name), number_after(name, {"bs"})});
    }
}

void keep_rank(std::vector<CaptureFile>& files, std::optional<int64_t> rank) {
    const auto fits = [&](const CaptureFile& file) { return file.rank == rank; };
    if (rank && std::ranges::any_of(files, fits))
        std::erase_if(files, [&](const CaptureFile& file) { return file.rank && !fits(file); });
}

void keep_batches(std::vector<CaptureFile>& files, const std::vector<int64_t>& sizes) {
    std::set<int64_t> captured;
    for (const CaptureFile& file : files)
        if (file.batch) captured.insert(*file.batch);
    std::set<int64_t> wanted;
    for (const int64_t size : sizes)
        if (const auto fits = captured.lower_bound(size); fits != captured.end())
            wanted.insert(*fits);
    if (wanted.empty()) return;
    std::erase_if(files, [&](const CaptureFile& file) {
        return file.batch && !wanted.contains(*file.batch);
    });
}

// The numbers of requests in the trace's steps, from names of vLLM ("…generation_32(…)") and SGLang
// ("bs=32").
std::vector<int64_t> batch_sizes_of(const Trace& trace) {
    std::set<int64_t> sizes;
    std::vector<bool> seen(trace.strings.size());
    for (const Lane& lane : trace.lanes)
        for (const auto& chunk : lane.chunks)
            for (uint32_t i = 0; i < chunk->size(); ++i) {
                const StringId name = chunk->name[i];
                if (seen[name] ||
                    trace.event_class(name, chunk->category[i]) != EventClass::annotation)
                    continue;
                seen[name] = true;
                for (const std::string_view word : {"generation", "bs="})
                    if (const auto size = number_after(trace.strings[name], {word});
                        size && *size > 0)
                        sizes.insert(*size);
            }
    return {sizes.begin(), sizes.end()};
}

}  // namespace

std::vector<std::string> captures_beside(const std::string& trace_path,
                                         const std::vector<int64_t>& batch_sizes) {
    if (trace_path == "-" || is_url(trace_path)) return {};
    const fs::path trace(trace_path);
    const fs::path folder = trace.parent_path();
    const std::string own = trace.filename().string();
    std::vector<CaptureFile> found;
    add_files(found, folder.empty() ? "." : folder, [&](const std::string& name) {
        return name != own && std::ranges::any_of(kPrefixes, [&](std::string_view prefix) {
                   return name.starts_with(prefix);
               });
    });
    for (const std::string_view name : kFolders)
        add_files(found, folder / name, [](const std::string&) { return true; });
    keep_rank(found, rank_in(own));
    keep_batches(found, batch_sizes);
    std::ranges::sort(found, {}, &CaptureFile::path);
    std::vector<std::string> paths;
    for (CaptureFile& file : found) paths.push_back(std::move(file.path));
    return paths;
}

std::vector<TracePtr> load_captures_beside(Trace& trace, const LoadOptions& like) {
    const auto warn = [&](const char* code, std::string text) {
        Warning& warning = trace.warnings.emplace_back();
        warning.code = code;
        warning.count = 1;
        warning.text = std::move(text);
    };
    std::vector<std::string> paths = captures_beside(trace.path, batch_sizes_of(trace));
    if (paths.size() > kMostFiles) {
        warn("graph_captures_left_out",
             fmt::format("{} captures of graphs lie beside the trace; only the first {} by name "
                         "were read. Choose with --graph-capture",
                         paths.size(), kMostFiles));
        paths.resize(kMostFiles);
    }
    LoadOptions options = like;
    std::vector<TracePtr> captures;
    for (const std::string& path : paths) {
        const auto capture = load_graph_captures({path}, options);
        if (!capture && capture.error().code == ErrorCode::cancelled) break;
        if (capture)
            captures.push_back(capture->front());
        else
            warn("graph_capture_not_read",
                 "a capture of graphs beside the trace: " + capture.error().text);
    }
    return captures;
}

}  // namespace lanescope
