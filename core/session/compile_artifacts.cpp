#include "core/session/compile_artifacts.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string_view>
#include <system_error>
#include <utility>

#include "core/analysis/collectives/distributed_facts.h"
#include "core/base/url.h"
#include "core/compile/log_reader.h"
#include "core/session/inductor_cache.h"
#include "core/source/forward_text.h"
#include "core/source/sniff.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

constexpr int kDeepest = 2;  // levels of folders to search
constexpr std::size_t kMostPlaces = 4096;
constexpr std::size_t kMostEntries = 20'000;  // folder entries to examine

// "dedicated_log_torch_trace_rank_0_abc.log", optionally compressed.
bool is_log_name(std::string_view name) {
    for (const std::string_view ending : {".gz", ".zst"})
        if (name.ends_with(ending)) name.remove_suffix(ending.size());
    return name.starts_with("dedicated_log_torch_trace_") && name.ends_with(".log");
}

class Walk {
  public:
    ArtifactPlaces run(const fs::path& folder) {
        visit(folder, 0);
        std::ranges::sort(places_.logs);
        std::ranges::sort(places_.caches);
        return std::move(places_);
    }

  private:
    void visit(const fs::path& folder, int depth) {
        std::error_code code;
        if (holds_inductor_cache(folder.string())) add(places_.caches, folder);
        for (fs::directory_iterator at(folder, code), end; !code && at != end; at.increment(code)) {
            if (++entries_ > kMostEntries) {
                places_.are_all = false;
                return;
            }
            std::error_code unknown;
            if (at->is_directory(unknown)) {
                if (depth < kDeepest && !at->is_symlink(unknown)) visit(at->path(), depth + 1);
            } else if (at->is_regular_file(unknown) &&
                       is_log_name(at->path().filename().string())) {
                add(places_.logs, at->path());
            }
        }
    }

    void add(std::vector<std::string>& list, const fs::path& path) {
        if (list.size() < kMostPlaces)
            list.push_back(path.string());
        else
            places_.are_all = false;
    }

    ArtifactPlaces places_;
    std::size_t entries_ = 0;
};

std::optional<int64_t> whole_number(std::string_view text) {
    int64_t value = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (code != std::errc() || stop != text.data() + text.size()) return std::nullopt;
    return value;
}

std::set<int64_t> pids_of(const Trace& trace) {
    std::set<int64_t> pids;
    for (const Process& process : trace.processes)
        if (const auto pid = whole_number(trace.strings[process.pid]); pid && *pid > 0)
            pids.insert(*pid);
    return pids;
}

std::optional<int64_t> rank_of(const Trace& trace) {
    const std::optional<DistributedFacts> facts = distributed_facts(trace);
    return facts ? facts->rank : std::nullopt;
}

void warn(Trace& trace, const char* code, std::string text) {
    Warning& warning = trace.warnings.emplace_back();
    warning.code = code;
    warning.count = 1;
    warning.text = std::move(text);
}

// Reads the logs and caches for one trace.
class Collector {
  public:
    Collector(Trace& trace, bool is_given) : trace_(trace), is_given_(is_given) {}

    void add_log(const std::string& path) {
        const Result<CompileLog> log =
            read_compile_log(path, [&](const CompiledCode& begun) { return belongs(path, begun); });
        if (!log) {
            warn(trace_, "compile_artifact_not_read", log.error().text);
            return;
        }
        if (!log->is_wanted) return;
        std::optional<CompiledCode> code = log->code;
        if (code->empty()) {
            if (is_given_) note_empty(path);
            return;
        }
        if (log->is_cut || code->damaged > 0)
            warn(trace_, "compile_artifact_damaged",
                 fmt::format("{}: the log of torch.compile is cut or damaged{}; everything that "
                             "could be read was used",
                             path,
                             code->damaged > 0
                                 ? fmt::format(", first at byte {}", code->first_damaged)
                                 : std::string()));
        trace_.facts.compile_artifacts.push_back(path);
        if (!best_ || code->graphs.size() > best_->graphs.size()) {
            if (best_) ++left_out_;
            best_ = std::move(*code);
        } else {
            ++left_out_;
        }
    }

    void add_cache(const std::string& folder) { caches_.push_back(folder); }

    void note_empty(const std::string& path) {
        warn(trace_, "compile_artifact_empty",
             path + ": holds no log of torch.compile and no cache of compiled graphs");
    }
    void note_limit(const std::string& folder) {
        warn(trace_, "compile_artifacts_left_out",
             fmt::format("{}: has so many files that not all were searched for logs of "
                         "torch.compile; name the right one with --compile-artifacts",
                         folder));
    }

    CompiledCodePtr finish() {
        if (left_out_ > 0)
            warn(trace_, "compile_logs_left_out",
                 fmt::format("{} more logs of torch.compile belong to this process; only {} is "
                             "used, which has most graphs",
                             left_out_, best_->origin));
        for (const std::string& folder : caches_) {
            if (!best_) best_.emplace();
            if (add_inductor_cache(folder, *best_))
                trace_.facts.compile_artifacts.push_back(folder);
        }
        if (!best_ || best_->empty()) return nullptr;
        return std::make_shared<const CompiledCode>(std::move(*best_));
    }

  private:
    // `begun`: data of the log's first records.
    bool belongs(const std::string& path, const CompiledCode& begun) {
        std::string whose;
        if (begun.pid >= 0 && !pids_.empty() && !pids_.contains(begun.pid))
            whose = fmt::format("process {}", begun.pid);
        else if (begun.rank >= 0 && rank_ && *rank_ != begun.rank)
            whose = fmt::format("rank {}", begun.rank);
        // The logs of all ranks may be beside a trace.
        if (!whose.empty() && is_given_)
            warn(trace_, "compile_artifact_of_another_process",
                 fmt::format("{}: is the log of {}, which the trace does not have; ids of "
                             "compilations are only valid in their own process",
                             path, whose));
        return whose.empty();
    }

    Trace& trace_;
    bool is_given_;
    std::set<int64_t> pids_ = pids_of(trace_);
    std::optional<int64_t> rank_ = rank_of(trace_);
    std::optional<CompiledCode> best_;
    std::size_t left_out_ = 0;
    std::vector<std::string> caches_;
};

}  // namespace

bool runs_compiled_code(const Trace& trace) {
    for (StringId id = 0; id < trace.strings.size(); ++id) {
        const std::string_view name = trace.strings[id];
        if (name.starts_with("Torch-Compiled Region") ||
            name.starts_with("## Call CompiledFxGraph") || name.starts_with("triton_"))
            return true;
    }
    return false;
}

ArtifactPlaces find_artifacts(const std::string& folder) {
    return Walk().run(folder);
}

Result<void> check_artifacts(const std::vector<std::string>& given) {
    for (const std::string& path : given) {
        std::error_code code;
        if (!fs::exists(path, code))
            return Error{ErrorCode::io, Error::no_offset,
                         path + ": there is no such file or folder of compile artefacts"};
    }
    return {};
}

CompiledCodePtr compiled_code_for(Trace& trace, const std::vector<std::string>& given) {
    Collector collector(trace, !given.empty());
    const auto add_folder = [&](const std::string& folder) {
        const ArtifactPlaces places = find_artifacts(folder);
        for (const std::string& log : places.logs) collector.add_log(log);
        for (const std::string& cache : places.caches) collector.add_cache(cache);
        if (!places.are_all) collector.note_limit(folder);
        if (!given.empty() && places.logs.empty() && places.caches.empty())
            collector.note_empty(folder);
    };
    if (given.empty()) {
        if (trace.path == "-" || is_url(trace.path) || !runs_compiled_code(trace)) return nullptr;
        const fs::path folder = fs::path(trace.path).parent_path();
        add_folder(folder.empty() ? "." : folder.string());
    }
    for (const std::string& path : given) {
        std::error_code code;
        if (fs::is_directory(path, code))
            add_folder(path);
        else
            collector.add_log(path);
    }
    return collector.finish();
}

Result<CompileLog> read_compile_log(const std::string& path,
                                    const std::function<bool(const CompiledCode&)>& is_wanted) {
    const Result<std::shared_ptr<InputFile>> file = InputFile::open(path);
    if (!file) return file.error();
    char magic[8] = {};
    const Result<std::size_t> first = (*file)->read_at(0, magic, sizeof magic);
    if (!first) return first.error();
    const auto text = read_in_order(*file, sniff_compression({magic, *first}));
    CompileLog log;
    CompileLogReader reader;
    TorchLogSplitter records([&](const TorchRecord& record) { reader.take(record); });
    std::string block(std::size_t{64} << 10, '\0');
    for (bool is_first = true; log.is_wanted; is_first = false) {
        const Result<std::size_t> got = text->read(block.data(), block.size());
        if (!got) return got.error();
        records.add(std::string_view(block).substr(0, *got));
        if (is_first) log.is_wanted = is_wanted(reader.so_far());
        if (*got < block.size()) break;
    }
    records.finish();
    log.is_cut = text->end().truncated;
    log.code = reader.finish();
    // The first records may state neither process nor rank.
    if (log.is_wanted) log.is_wanted = is_wanted(log.code);
    log.code.origin = path;
    return log;
}

}  // namespace lanescope
