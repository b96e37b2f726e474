#include "core/capture/sampling/jit_symbols.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <iterator>
#include <optional>
#include <utility>

#include "core/capture/process/process_facts.h"

namespace lanescope {

namespace {

// A limit above any real program; code of further processes stays unnamed.
constexpr std::size_t kMaxJitProcesses = 1 << 16;
constexpr std::size_t kMaxSymbols = 1 << 20;
constexpr uint64_t kMaxBytes = uint64_t{64} << 20;  // maximum size of one file
constexpr std::size_t kMaxLine = 16384;             // maximum length of a line
constexpr std::size_t kMaxName = 1000;
constexpr std::size_t kPiece = 1 << 16;

// A file is read again after this much sampled time, if unknown code was sampled.
constexpr Nanos kLookAgain = 20'000'000;
constexpr Nanos kLookSooner = 2'000'000;

// The last number in a line of /proc/PID/status: the pid in the innermost namespace.
uint32_t pid_inside(uint32_t pid) {
    const std::string status = text_of_system_file(fmt::format("/proc/{}/status", pid));
    const std::size_t line = status.find("\nNSpid:");
    if (line == std::string::npos) return pid;
    const std::size_t end = status.find('\n', line + 1);
    const std::size_t last = status.find_last_of(" \t", end);
    uint32_t inside = pid;
    if (last != std::string::npos)
        std::from_chars(status.data() + last + 1, status.data() + std::min(end, status.size()),
                        inside);
    return inside;
}

// Opens a regular file by a trusted user that was written since `since`; -1 otherwise.
int open_map(const std::string& path, uint32_t pid, int64_t since, struct stat& file) {
    const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    if (fd < 0) return -1;
    struct stat process = {};
    const bool is_there = stat(fmt::format("/proc/{}", pid).c_str(), &process) == 0;
    const bool fits = fstat(fd, &file) == 0 && S_ISREG(file.st_mode) && file.st_nlink == 1 &&
                      file.st_mtim.tv_sec >= since &&
                      (file.st_uid == geteuid() || file.st_uid == 0 ||
                       (is_there && file.st_uid == process.st_uid));
    if (fits) return fd;
    close(fd);
    return -1;
}

std::optional<uint64_t> take_number(std::string_view& line) {
    if (line.starts_with("0x")) line.remove_prefix(2);
    uint64_t number = 0;
    const auto [end, problem] = std::from_chars(line.data(), line.data() + line.size(), number, 16);
    if (problem != std::errc()) return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(end - line.data()));
    if (!line.starts_with(' ')) return std::nullopt;
    line.remove_prefix(1);
    return number;
}

// Never cuts within a UTF-8 character.
std::string_view cut_name(std::string_view name) {
    if (name.size() <= kMaxName) return name;
    std::size_t length = kMaxName;
    while (length > kMaxName - 4 && (static_cast<unsigned char>(name[length]) & 0xC0) == 0x80)
        --length;
    return name.substr(0, length);
}

}  // namespace

JitSymbols::JitSymbols(int64_t since) : since_(since) {}
JitSymbols::~JitSymbols() = default;

void JitSymbols::take(const PerfRecord& record) {
    if (record.kind == PerfKind::name && record.by_exec) {
        processes_.erase(record.pid);
        return;
    }
    if (record.kind != PerfKind::fork || record.pid == record.parent) return;
    processes_.erase(record.pid);
    const auto parent = processes_.find(record.parent);
    if (parent != processes_.end() && processes_.size() < kMaxJitProcesses)
        processes_[record.pid].code = parent->second.code;
}

int64_t JitSymbols::find(uint32_t pid, uint64_t address, Nanos time) {
    if (processes_.size() >= kMaxJitProcesses && !processes_.contains(pid)) return -1;
    Process& process = processes_[pid];
    const auto known = [&]() -> int64_t {
        if (!process.code) return -1;
        const auto after = process.code->upper_bound(address);
        if (after == process.code->begin()) return -1;
        const Code& code = std::prev(after)->second;
        return address < code.end ? code.symbol : -1;
    };
    const int64_t symbol = known();
    const Nanos pause = symbol < 0 && process.read > 0 ? kLookSooner : kLookAgain;
    if (process.looked != INT64_MIN && time < process.looked + pause) return symbol;
    process.looked = time;
    look(pid, process);
    return known();
}

// Reads the file in the process's own /tmp, or in ours if the process has ended.
void JitSymbols::look(uint32_t pid, Process& process) {
    struct stat file = {};
    int fd = open_map(fmt::format("/proc/{}/root/tmp/perf-{}.map", pid, pid_inside(pid)), pid,
                      since_, file);
    if (fd < 0) fd = open_map(fmt::format("/tmp/perf-{}.map", pid), pid, since_, file);
    if (fd < 0) return;
    const auto size = std::min(static_cast<uint64_t>(std::max<off_t>(file.st_size, 0)), kMaxBytes);
    if (size < process.read) {  // the file was rewritten
        process.read = 0;
        process.code.reset();
    }
    if (size > process.read) read_on(fd, size, process);
    close(fd);
}

void JitSymbols::read_on(int fd, uint64_t size, Process& process) {
    if (!process.code)
        process.code = std::make_shared<Map>();
    else if (process.code.use_count() > 1)
        process.code = std::make_shared<Map>(*process.code);
    std::string text;
    while (process.read + text.size() < size) {
        const std::size_t had = text.size();
        text.resize(had + std::min<uint64_t>(kPiece, size - process.read - had));
        const ssize_t got =
            pread(fd, text.data() + had, text.size() - had, static_cast<off_t>(process.read + had));
        text.resize(had + static_cast<std::size_t>(std::max<ssize_t>(got, 0)));
        const std::size_t whole = take_lines(text, process);
        process.read += whole;
        text.erase(0, whole);
        if (got <= 0) return;
    }
}

// Returns the number of bytes consumed: complete lines, and lines that are too long.
std::size_t JitSymbols::take_lines(std::string_view text, Process& process) {
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = text.find('\n', at);
        if (end == std::string_view::npos) break;
        if (end > at && !take_line(text.substr(at, end - at), process)) ++bad_lines_;
        at = end + 1;
    }
    if (text.size() - at <= kMaxLine) return at;
    ++bad_lines_;
    return text.size();
}

// Code at the addresses of other code replaces it.
bool JitSymbols::take_line(std::string_view line, Process& process) {
    const std::optional<uint64_t> begin = take_number(line);
    const std::optional<uint64_t> bytes = begin ? take_number(line) : std::nullopt;
    if (!bytes || *bytes == 0 || line.empty()) return false;
    const uint64_t end = *begin + *bytes;
    if (end < *begin || symbols_.size() >= kMaxSymbols) return false;
    Map& code = *process.code;
    auto at = code.lower_bound(*begin);
    if (at != code.begin() && std::prev(at)->second.end > *begin) --at;
    while (at != code.end() && at->first < end) at = code.erase(at);
    code[*begin] = {end, static_cast<int64_t>(symbols_.size())};
    symbols_.push_back({std::string(cut_name(line)), *begin});
    return true;
}

}  // namespace lanescope
