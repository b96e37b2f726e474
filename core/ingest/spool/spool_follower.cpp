#include "core/ingest/spool/spool_follower.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstring>
#include <optional>

#include "core/ingest/build/live_trace.h"
#include "core/ingest/load.h"
#include "core/ingest/spool/recording_format.h"
#include "core/ingest/spool/spool_decoder.h"

namespace lanescope {

namespace {

constexpr uint64_t kMaxMemory = uint64_t{4} << 30;

// False if the recorder has ended, or runs on another machine.
bool is_running_here(const SpoolHeader& header) {
    char host[sizeof header.host] = {};
    gethostname(host, sizeof host - 1);
    if (std::strncmp(host, header.host, sizeof host - 1) != 0) return false;
    const auto pid = static_cast<pid_t>(header.recorder_pid);
    return pid > 0 && (kill(pid, 0) == 0 || errno == EPERM);
}

}  // namespace

namespace {

// The blocks of a spool file; empty if there is no such file.
std::optional<SpoolBlocks> spool_at(const std::string& path) {
    // A pipe can be read only once.
    struct stat info = {};
    if (stat(path.c_str(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    const Result<std::shared_ptr<InputFile>> file = InputFile::open(path);
    char magic[sizeof kSpoolMagic] = {};
    if (!file) return std::nullopt;
    const Result<std::size_t> got = (*file)->read_at(0, magic, sizeof magic);
    if (!got || !is_spool({magic, *got})) return std::nullopt;
    Result<SpoolBlocks> blocks = SpoolBlocks::open(*file);
    if (!blocks) return std::nullopt;
    return std::move(*blocks);
}

}  // namespace

bool is_spool_file(const std::string& path) {
    return spool_at(path).has_value();
}

bool is_growing_spool(const std::string& path) {
    const std::optional<SpoolBlocks> blocks = spool_at(path);
    return blocks && !blocks->header().complete && is_running_here(blocks->header());
}

struct SpoolFollower::State {
    std::string path;
    std::shared_ptr<InputFile> file;
    struct stat info = {};  // of the file when it was opened, including its size
    std::unique_ptr<SpoolDecoder> decoder;
    std::shared_ptr<const void> source;
    LiveTrace live{{nullptr, [](Trace& trace) { recording_format().describe(trace); }}};
    FollowStatus status;

    Result<void> check_file();
    void note_header();
    void keep_within_bounds();
};

Result<void> SpoolFollower::State::check_file() {
    struct stat now = {};
    if (stat(path.c_str(), &now) != 0)
        return Error{
            ErrorCode::io, Error::no_offset,
            fmt::format("{}: the file no longer exists; the events read so far are shown", path)};
    if (now.st_ino != info.st_ino || now.st_dev != info.st_dev)
        return Error{ErrorCode::io, Error::no_offset,
                     fmt::format("{}: the file was replaced; what was read of the old one is "
                                 "shown, open it again for the new one",
                                 path)};
    if (now.st_size < info.st_size)
        return Error{ErrorCode::damaged, static_cast<uint64_t>(now.st_size),
                     fmt::format("{}: the file was cut to {} bytes while it was followed; what "
                                 "was read of it is shown",
                                 path, now.st_size)};
    info.st_size = now.st_size;
    status.file_bytes = static_cast<uint64_t>(now.st_size);
    return {};
}

void SpoolFollower::State::note_header() {
    const SpoolHeader& header = decoder->header();
    status.command = header.command;
    status.control = static_cast<SpoolControl>(header.control);
    status.complete = header.complete != 0;
    status.recorder_gone = !status.complete && !is_running_here(header);
    status.ring = static_cast<Nanos>(std::min<uint64_t>(header.ring_ns, INT64_MAX));
    status.dropped = decoder->dropped_records();
}

// Drops what the ring does not keep, and what exceeds the memory limit.
void SpoolFollower::State::keep_within_bounds() {
    if (status.ring > 0) live.forget_before(live.last_time() - status.ring);
    for (int tries = 0; tries < 16 && live.bytes() > status.memory_cap; ++tries) {
        status.memory_full = true;
        const Nanos from = live.kept_from();
        live.forget_before(from + std::max<Nanos>((live.last_time() - from) / 8, 1));
    }
    status.memory_bytes = live.bytes();
    status.shown = live.last_time() - live.kept_from();
}

uint64_t SpoolFollower::usual_memory_cap() {
    const long pages = sysconf(_SC_PHYS_PAGES);
    const long page = sysconf(_SC_PAGESIZE);
    if (pages <= 0 || page <= 0) return kMaxMemory / 4;
    return std::min(kMaxMemory, static_cast<uint64_t>(pages) * static_cast<uint64_t>(page) / 4);
}

SpoolFollower::SpoolFollower(std::unique_ptr<State> state) : state_(std::move(state)) {}
SpoolFollower::~SpoolFollower() = default;

Result<std::unique_ptr<SpoolFollower>> SpoolFollower::open(const std::string& path,
                                                           uint64_t memory_cap) {
    auto state = std::make_unique<State>();
    Result<std::shared_ptr<InputFile>> file = InputFile::open(path);
    if (!file) return file.error();
    state->path = path;
    state->file = *file;
    state->status.memory_cap = memory_cap;
    if (stat(path.c_str(), &state->info) != 0)
        return Error{ErrorCode::io, Error::no_offset,
                     fmt::format("{}: its status cannot be read: {}", path, std::strerror(errno))};
    Result<std::unique_ptr<SpoolDecoder>> decoder = SpoolDecoder::open(*file);
    if (!decoder) return decoder.error();
    state->decoder = std::move(*decoder);
    state->source = spool_source(*file);
    state->note_header();
    return std::unique_ptr<SpoolFollower>(new SpoolFollower(std::move(state)));
}

Result<TracePtr> SpoolFollower::step() {
    State& state = *state_;
    if (const Result<void> checked = state.check_file(); !checked) return checked.error();
    SpoolSink sink;
    sink.batch = [&](const Batch& batch) { state.live.append(batch); };
    sink.warn = [&](const std::string& code, uint64_t offset, std::string_view text) {
        state.live.warn(code, offset, text);
    };
    const Result<uint64_t> taken = state.decoder->read_on(sink);
    if (!taken) return taken.error();
    state.note_header();
    if (*taken == 0) return TracePtr();
    state.keep_within_bounds();
    state.live.set_facts(state.decoder->metadata(), state.decoder->devices());
    auto trace = std::make_shared<Trace>(state.live.snapshot(state.decoder->open_ranges()));
    if (trace->lanes.empty()) return TracePtr();
    trace->path = state.path;
    trace->facts.compression = "none";
    trace->source = state.source;
    return TracePtr(std::move(trace));
}

const FollowStatus& SpoolFollower::status() const {
    return state_->status;
}

Result<void> control_spool(const std::string& path, SpoolControl control) {
    const auto failed = [&] {
        return Error{
            ErrorCode::io, Error::no_offset,
            fmt::format("{}: its recording cannot be steered: {}", path, std::strerror(errno))};
    };
    const Result<std::shared_ptr<InputFile>> file = InputFile::open(path);
    if (!file) return file.error();
    const Result<SpoolBlocks> blocks = SpoolBlocks::open(*file);
    if (!blocks) return blocks.error();
    const int fd = ::open(path.c_str(), O_WRONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0) return failed();
    const auto word = static_cast<uint32_t>(control);
    const ssize_t put = pwrite(fd, &word, sizeof word, offsetof(SpoolHeader, control));
    const Error error = failed();
    close(fd);
    if (put != sizeof word) return error;
    return {};
}

}  // namespace lanescope
