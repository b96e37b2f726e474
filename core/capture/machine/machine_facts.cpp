// Collects facts from the system: limits, permissions, the daemon's socket, processes.
#include "core/capture/machine/machine_facts.h"

#include <arpa/inet.h>
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <system_error>

#include "core/capture/kineto/dynolog_client.h"
#include "core/capture/kineto/kineto_message.h"
#include "core/capture/kineto/kineto_socket.h"
#include "core/capture/process/process_facts.h"
#include "core/capture/python/python_memory.h"

namespace lanescope {

namespace {

namespace fs = std::filesystem;

std::string message_of(int number) {
    return std::generic_category().message(number);
}

// Removes and returns the first line of a text.
std::string_view next_line(std::string_view& text) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    return line;
}

template <typename Number>
std::optional<Number> number_in(std::string_view text) {
    while (!text.empty() && (text.front() == ' ' || text.front() == '\t')) text.remove_prefix(1);
    Number number = 0;
    const auto read = std::from_chars(text.data(), text.data() + text.size(), number);
    if (read.ec != std::errc()) return {};
    return number;
}

// The first process that has the socket open, by pid and command.
std::string owner_of(uint64_t inode) {
    const std::string wanted = fmt::format("socket:[{}]", inode);
    for (const int32_t pid : all_processes()) {
        std::error_code problem;
        for (fs::directory_iterator at(fmt::format("/proc/{}/fd", pid), problem), end;
             !problem && at != end; at.increment(problem)) {
            std::error_code gone;
            if (fs::read_symlink(at->path(), gone).string() != wanted) continue;
            const auto facts = facts_of_process(pid);
            return fmt::format("process {}, {}", pid, facts ? facts->command : "which has ended");
        }
    }
    return "";
}

bool answers_at(uint16_t port) {
    const int handle = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (handle < 0) return false;
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    const bool connected =
        connect(handle, reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
    close(handle);
    return connected;
}

// Sends a datagram from this process to itself: its reported sender must be this process.
Probed probe_senders() {
    const std::string name = fmt::format("lanescope_doctor_{}", getpid());
    Result<KinetoSocket> listener = KinetoSocket::bind("", name);
    if (!listener) return {false, listener.error().text};
    const Result<KinetoSocket> voice = KinetoSocket::bind("", name + "_voice");
    if (!voice) return {false, voice.error().text};
    KinetoDatagram to;
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path + 1, name.data(), name.size());
    const std::size_t length = offsetof(sockaddr_un, sun_path) + name.size() + 2;
    to.from.assign(reinterpret_cast<const char*>(&address), length);
    if (!voice->answer(to, "?")) return {false, message_of(errno)};
    constexpr int kTimeLimitMs = 500;
    const auto heard = listener->receive(kTimeLimitMs);
    if (!heard) return {false, "its own test datagram arrived without a sender"};
    if (heard->pid != getpid())
        return {false, fmt::format("it names process {} instead of {}", heard->pid, getpid())};
    return {true, "the kernel names process and user"};
}

void add_pytorch_processes(KinetoFacts& facts) {
    facts.attached = attachable_processes();
    for (const int32_t pid : all_processes()) {
        const bool is_attached = std::ranges::binary_search(facts.attached, pid);
        if (!is_attached && is_alive(pid) && has_mapped(pid, "libtorch_cpu.so"))
            facts.others.push_back(pid);
    }
}

}  // namespace

std::optional<bool> profiling_for_admins_only(std::string_view text) {
    constexpr std::string_view key = "RmProfilingAdminOnly:";
    while (!text.empty()) {
        const std::string_view line = next_line(text);
        if (!line.starts_with(key)) continue;
        const auto value = number_in<int>(line.substr(key.size()));
        return value ? std::optional(*value != 0) : std::nullopt;
    }
    return {};
}

std::string driver_version(std::string_view text) {
    // "NVRM version: NVIDIA UNIX x86_64 Kernel Module  535.104.05  Sat Aug …": finds the first word
    // that begins with a digit and contains a point.
    const std::string_view line = next_line(text);
    std::size_t at = 0;
    while (at < line.size()) {
        const std::size_t end = std::min(line.find(' ', at), line.size());
        const std::string_view word = line.substr(at, end - at);
        if (!word.empty() && word[0] >= '0' && word[0] <= '9' &&
            word.find('.') != std::string_view::npos)
            return std::string(word);
        at = end + 1;
    }
    return "";
}

uint64_t inode_of_socket(std::string_view text, std::string_view name) {
    // "0000…: 00000002 00000000 00000000 0002 01 12345 @dynolog@"; the trailing zero is shown as @.
    const std::string shown = name.starts_with('/') ? std::string(name) : fmt::format("@{}@", name);
    while (!text.empty()) {
        const std::string_view line = next_line(text);
        const std::size_t at = line.rfind(' ');
        if (at == std::string_view::npos || line.substr(at + 1) != shown) continue;
        const std::string_view before = line.substr(0, at);
        return number_in<uint64_t>(before.substr(before.rfind(' ') + 1)).value_or(0);
    }
    return 0;
}

KinetoFacts kineto_facts(const std::string& socket_folder, uint16_t dynolog_port) {
    KinetoFacts facts;
    facts.place = socket_folder.empty() ? "@dynolog" : socket_folder + "/dynolog";
    {
        const Result<KinetoSocket> socket = KinetoSocket::bind(socket_folder);
        facts.is_free = static_cast<bool>(socket);
        if (!socket) {
            facts.is_taken = socket.error().code == ErrorCode::unsupported;
            if (!facts.is_taken) facts.socket_problem = socket.error().text;
        }
    }
    if (facts.is_taken)
        facts.taken_by = owner_of(inode_of_socket(text_of_system_file("/proc/net/unix"),
                                                  socket_folder.empty() ? "dynolog" : facts.place));
    facts.dynolog_answers = answers_at(dynolog_port);
    facts.senders = probe_senders();
    add_pytorch_processes(facts);
    return facts;
}

FolderFacts folder_facts(const std::string& path) {
    if (path.empty()) return {};
    // A missing folder is created on demand: the nearest existing parent decides.
    std::error_code problem;
    fs::path folder = path;
    while (!fs::exists(folder, problem) && folder.has_relative_path())
        folder = folder.parent_path();
    return {path, fs::is_directory(folder, problem) && access(folder.c_str(), W_OK | X_OK) == 0};
}

RecordingFacts recording_facts(const std::string& library) {
    RecordingFacts facts;
    facts.library = library;
    std::error_code problem;
    facts.folder = folder_facts(fs::current_path(problem).string());
    const char* home = std::getenv("HOME");
    facts.home = folder_facts(home ? home : "");
    facts.ptrace_scope = number_in<int>(text_of_system_file("/proc/sys/kernel/yama/ptrace_scope"));
    facts.reads_children = can_read_children();
    facts.perf_paranoid =
        number_in<int>(text_of_system_file("/proc/sys/kernel/perf_event_paranoid"));
    return facts;
}

void add_limits(StorageFacts& facts) {
    rlimit limit{};
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0) facts.open_files = limit.rlim_cur;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY)
        facts.address_space = limit.rlim_cur;
    facts.map_count =
        number_in<uint64_t>(text_of_system_file("/proc/sys/vm/max_map_count")).value_or(0);
}

bool is_installed(std::string_view program) {
    const char* folders = std::getenv("PATH");
    std::string_view left = folders ? folders : "";
    while (!left.empty()) {
        const std::string_view folder = left.substr(0, left.find(':'));
        left.remove_prefix(std::min(folder.size() + 1, left.size()));
        if (access(fmt::format("{}/{}", folder, program).c_str(), X_OK) == 0) return true;
    }
    return false;
}

}  // namespace lanescope
