#include "core/capture/sampling/process_code.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>
#include <utility>

#include "core/capture/process/process_facts.h"
#include "core/capture/process/process_tree.h"

namespace lanescope {

namespace {

// Reads a hexadecimal number and the separator after it.
std::optional<uint64_t> read_hexadecimal(std::string_view& line, char separator) {
    uint64_t number = 0;
    const char* const end = line.data() + line.size();
    const auto [stop, error] = std::from_chars(line.data(), end, number, 16);
    if (error != std::errc() || stop == end || *stop != separator) return std::nullopt;
    line.remove_prefix(static_cast<std::size_t>(stop - line.data()) + 1);
    return number;
}

// BEGIN-END PERMISSIONS OFFSET DEVICE INODE PATH
std::optional<PerfRecord> read_line(std::string_view line, uint32_t pid) {
    const std::optional<uint64_t> begin = read_hexadecimal(line, '-');
    const std::optional<uint64_t> end = begin ? read_hexadecimal(line, ' ') : std::nullopt;
    if (!end || *end <= *begin || line.size() < 5 || line[2] != 'x') return std::nullopt;
    line.remove_prefix(5);
    const std::optional<uint64_t> offset = read_hexadecimal(line, ' ');
    if (!offset) return std::nullopt;
    for (int word = 0; word < 2; ++word)
        line.remove_prefix(std::min(line.size(), line.find(' ') + 1));
    line.remove_prefix(std::min(line.size(), line.find_first_not_of(' ')));
    PerfRecord record;
    record.kind = PerfKind::mapping;
    record.pid = record.tid = pid;
    record.address = *begin;
    record.bytes = *end - *begin;
    record.offset = *offset;
    record.text = line.empty() ? "//anon" : std::string(line);  // as perf calls it
    return record;
}

}  // namespace

std::vector<PerfRecord> parse_maps(std::string_view text, uint32_t pid) {
    std::vector<PerfRecord> records;
    while (!text.empty()) {
        const std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(text.size(), line.size() + 1));
        if (auto record = read_line(line, pid)) records.push_back(std::move(*record));
    }
    return records;
}

std::vector<RunningThread> running_threads(uint32_t pid) {
    std::vector<RunningThread> threads;
    ProcessTree tree(pid);
    for (const uint32_t process : tree.find(0)) {
        std::error_code failed;
        std::filesystem::directory_iterator tasks(fmt::format("/proc/{}/task", process), failed);
        for (; !failed && tasks != std::filesystem::directory_iterator(); tasks.increment(failed)) {
            RunningThread thread;
            thread.pid = process;
            const std::string number = tasks->path().filename().string();
            std::from_chars(number.data(), number.data() + number.size(), thread.tid);
            // PID (NAME) STATE …
            const std::string status = text_of_system_file(tasks->path() / "stat");
            const std::size_t begin = status.find('(');
            const std::size_t end = status.rfind(')');
            if (end == std::string::npos || begin > end || end + 2 >= status.size()) continue;
            thread.name = status.substr(begin + 1, end - begin - 1);
            thread.is_running = status[end + 2] == 'R';
            threads.push_back(std::move(thread));
        }
    }
    return threads;
}

std::vector<PerfRecord> code_of_process(uint32_t pid) {
    return parse_maps(text_of_system_file(fmt::format("/proc/{}/maps", pid)), pid);
}

}  // namespace lanescope
