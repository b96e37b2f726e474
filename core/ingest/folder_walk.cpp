#include "core/ingest/folder_walk.h"

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <optional>
#include <set>
#include <utility>

#include "core/base/printable.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepestFolder = 8;

// The first of several folders, and how many there are.
struct SkippedFolders {
    std::string first;
    std::size_t count = 0;

    void add(const fs::path& path) {
        if (count++ == 0) first = printable(path.string());
    }
    void note(std::string_view why, std::vector<std::string>& notes) const {
        if (count == 0) return;
        std::string text = fmt::format("{} {}", first, why);
        if (count > 1)
            text += fmt::format(", nor {} other folder{}", count - 1, count > 2 ? "s" : "");
        notes.push_back(std::move(text));
    }
};

struct FoundFile {
    std::string path;
    bool is_link = false;
    std::pair<dev_t, ino_t> file;
};

std::optional<FoundFile> found_file(const fs::directory_entry& entry) {
    struct stat info = {};
    const std::string path = entry.path().string();
    if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    std::error_code unknown;
    return FoundFile{path, entry.is_symlink(unknown), {info.st_dev, info.st_ino}};
}

// Names of different files, sorted.
std::vector<std::string> without_links(std::vector<FoundFile> files) {
    std::ranges::sort(files, [](const FoundFile& a, const FoundFile& b) {
        return std::pair(a.is_link, std::string_view(a.path)) <
               std::pair(b.is_link, std::string_view(b.path));
    });
    std::set<std::pair<dev_t, ino_t>> known;
    std::vector<std::string> paths;
    for (FoundFile& found : files)
        if (known.insert(found.file).second) paths.push_back(std::move(found.path));
    std::ranges::sort(paths);
    return paths;
}

}  // namespace

Result<FolderFiles> files_below(const std::string& folder, std::size_t most,
                                const std::atomic<bool>* cancel) {
    std::error_code problem;
    fs::recursive_directory_iterator at(folder, fs::directory_options::skip_permission_denied,
                                        problem);
    if (!problem && access(folder.c_str(), R_OK | X_OK) != 0)
        problem = std::error_code(errno, std::generic_category());
    if (problem)
        return Error{ErrorCode::io, Error::no_offset,
                     fmt::format("{}: cannot read the folder: {}", folder, problem.message())};
    std::vector<FoundFile> files;
    FolderFiles found;
    SkippedFolders too_deep;
    SkippedFolders closed;
    for (; !problem && at != fs::end(at); at.increment(problem)) {
        if (cancel && cancel->load())
            return Error{ErrorCode::cancelled, Error::no_offset,
                         folder + ": loading was cancelled"};
        std::error_code unknown;
        if (at->path().filename().string().starts_with('.')) {
            at.disable_recursion_pending();
            continue;
        }
        if (at->is_directory(unknown)) {
            if (at->is_symlink(unknown)) continue;
            const bool is_deep = at.depth() >= kDeepestFolder;
            if (is_deep) too_deep.add(at->path());
            if (is_deep) at.disable_recursion_pending();
            if (!is_deep && access(at->path().c_str(), R_OK | X_OK) != 0) closed.add(at->path());
            continue;
        }
        std::optional<FoundFile> file = found_file(*at);
        if (!file) continue;
        if (files.size() >= most) {
            found.notes.push_back(fmt::format("only the first {} files were looked at", most));
            break;
        }
        files.push_back(std::move(*file));
    }
    if (problem)
        found.notes.push_back(fmt::format("not all folders were searched: {}", problem.message()));
    too_deep.note(fmt::format("is more than {} folders deep and was not searched", kDeepestFolder),
                  found.notes);
    closed.note("cannot be read: no permission", found.notes);
    found.paths = without_links(std::move(files));
    return found;
}

}  // namespace lanescope
