#include "core/capture/spool/spool_recording.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <filesystem>

#include "core/capture/process/clock.h"
#include "core/capture/process/process_facts.h"
#include "core/capture/spool/spool_lock.h"

namespace lanescope {

namespace {

__extension__ typedef unsigned __int128 Wide128;

constexpr int32_t kUnknownStatus = -1;
constexpr int kCreate = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC;

// The time stamp counter, if it runs at a constant rate.
uint32_t best_ticks() {
#if defined(__x86_64__)
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    constexpr unsigned invariant = 1u << 8;
    if (__get_cpuid(0x80000007, &a, &b, &c, &d) && (d & invariant)) return kSpoolTsc;
    return kSpoolMonotonic;
#elif defined(__aarch64__)
    return kSpoolVirtualCount;
#else
    return kSpoolMonotonic;
#endif
}

struct Instant {
    uint64_t ticks;
    int64_t monotonic;
};

// Both clocks at one instant: the shortest of several attempts counts.
Instant read_instant(uint32_t tick_kind) {
    Instant best = {};
    uint64_t shortest = UINT64_MAX;
    for (int tries = 0; tries < 20; ++tries) {
        const uint64_t before = spool_ticks(tick_kind);
        const int64_t monotonic = time_of_clock(CLOCK_MONOTONIC);
        const uint64_t took = spool_ticks(tick_kind) - before;
        if (took >= shortest) continue;
        shortest = took;
        best = {before + took / 2, monotonic};
    }
    return best;
}

uint64_t tick_between(const Instant& from, const Instant& to) {
    if (to.ticks <= from.ticks || to.monotonic <= from.monotonic) return 0;
    const auto ns = static_cast<Wide128>(to.monotonic - from.monotonic);
    return static_cast<uint64_t>((ns << 32) / (to.ticks - from.ticks));
}

template <std::size_t n>
void copy_text(char (&into)[n], std::string_view text) {
    const std::size_t length = std::min(text.size(), n - 1);
    std::memcpy(into, text.data(), length);
}

Error cannot(const std::string& path, const char* what) {
    return {ErrorCode::io, Error::no_offset,
            fmt::format("{}: {}: {}", path, what, std::strerror(errno))};
}

Error held(const std::string& path) {
    return {ErrorCode::io, Error::no_offset, path + " is being written by another recorder"};
}

SpoolHeader make_header(const SpoolOptions& options) {
    constexpr useconds_t measured_us = 20'000;
    SpoolHeader header = {};
    std::memcpy(header.magic, kSpoolMagic, sizeof kSpoolMagic);
    header.version = kSpoolVersion;
    header.byte_order = kSpoolByteOrder;
    header.header_bytes = kSpoolPage;
    header.tick_kind = best_ticks();
    const Instant first = read_instant(header.tick_kind);
    header.unix_ns =
        time_of_clock(CLOCK_REALTIME) - (time_of_clock(CLOCK_MONOTONIC) - first.monotonic);
    usleep(measured_us);
    header.ticks = first.ticks;
    header.monotonic_ns = first.monotonic;
    header.tick_ns = tick_between(first, read_instant(header.tick_kind));
    if (header.tick_kind == kSpoolMonotonic || header.tick_ns == 0)
        header.tick_ns = uint64_t{1} << 32;
    header.limit_bytes = options.limit_bytes;
    header.ring_ns = static_cast<uint64_t>(std::max<Nanos>(options.ring, 0));
    header.recorder_pid = static_cast<uint32_t>(getpid());
    header.next_process = 1;
    header.end = kSpoolPage;
    header.control = kSpoolPaused;
    char host[sizeof header.host] = {};
    gethostname(host, sizeof host - 1);
    copy_text(header.host, host);
    copy_text(header.command, options.command);
    return header;
}

// The next page after `at` that may hold a block: dropped blocks are holes in the file.
uint64_t after_gap(int fd, uint64_t at) {
    const off_t data = lseek(fd, static_cast<off_t>(at + kSpoolPage), SEEK_DATA);
    const uint64_t found = data < 0 ? 0 : static_cast<uint64_t>(data) / kSpoolPage * kSpoolPage;
    return std::max(at + kSpoolPage, found);
}

bool is_gone(uint32_t pid) {
    return kill(static_cast<pid_t>(pid), 0) != 0 && errno == ESRCH;
}

}  // namespace

Result<void> remove_earlier_recording(const std::string& path) {
    int failed = 0;
    const ExistingState state = remove_spool(path, failed);
    if (state == ExistingState::held) return held(path);
    if (state == ExistingState::other)
        return Error{ErrorCode::usage, Error::no_offset,
                     fmt::format("{} already exists and is not a recording, so it is not replaced: "
                                 "choose another name for the trace.",
                                 path)};
    errno = failed;
    if (failed != 0) return cannot(path, "cannot be replaced");
    return {};
}

Result<std::unique_ptr<SpoolRecording>> SpoolRecording::begin(const std::string& path, int fd,
                                                              const SpoolHeader& header) {
    std::unique_ptr<SpoolRecording> recording(new SpoolRecording);
    std::error_code failed;
    const std::string whole = std::filesystem::absolute(path, failed).string();
    recording->path_ = path;
    recording->fd_ = fd;
    // Another recorder may have taken the file for an abandoned one before it was locked.
    if (lock_spool(fd) == LockState::held || !is_file_at(fd, path)) return held(path);
    // The header comes first: a file with contents is recognised as a recording.
    if (pwrite(fd, &header, sizeof header, 0) != sizeof header || ftruncate(fd, kSpoolPage) != 0) {
        const Error error = cannot(path, "cannot be written");
        unlink(path.c_str());
        return error;
    }
    if (!attach_spool(recording->file_, whole.c_str())) {
        const Error error = cannot(path, "cannot be mapped");
        unlink(path.c_str());
        return error;
    }
    const auto pid = static_cast<uint32_t>(getpid());
    for (auto* stream : {&recording->facts_, &recording->samples_}) {
        *stream = std::make_unique<SpoolStream>();
        begin_stream(**stream, stream == &recording->facts_ ? kSpoolFacts : kSpoolEvents, 0, pid,
                     pid);
    }
    return recording;
}

Result<std::unique_ptr<SpoolRecording>> SpoolRecording::create(const std::string& path,
                                                               const SpoolOptions& options) {
    constexpr int max_tries = 20;
    const SpoolHeader header = make_header(options);
    for (int tries = 0; tries < max_tries; ++tries) {
        const int fd = open(path.c_str(), kCreate, 0600);
        if (fd >= 0) return begin(path, fd, header);
        if (errno != EEXIST) return cannot(path, "cannot be created");
        if (!options.replaces) {
            const ExistingState state = existing_spool(path);
            if (state == ExistingState::held) return held(path);
            if (state == ExistingState::recording)
                return Error{ErrorCode::usage, Error::no_offset,
                             fmt::format("{} already exists: replace it with --force, or choose "
                                         "another name for the trace, such as one with %n, the "
                                         "smallest free number.",
                                         path)};
        }
        if (auto removed = remove_earlier_recording(path); !removed) return removed.error();
    }
    return held(path);
}

Result<std::unique_ptr<SpoolRecording>> SpoolRecording::create_numbered(
    const std::function<std::string(uint32_t number)>& name, const SpoolOptions& options) {
    constexpr uint32_t max_number = 1'000'000;
    const SpoolHeader header = make_header(options);
    for (uint32_t number = 1; number < max_number; ++number) {
        const std::string path = name(number);
        const int fd = open(path.c_str(), kCreate, 0600);
        if (fd >= 0) return begin(path, fd, header);
        if (errno != EEXIST) return cannot(path, "cannot be created");
    }
    return Error{ErrorCode::io, Error::no_offset, name(1) + ": all numbers are taken"};
}

SpoolRecording::~SpoolRecording() {
    if (file_.header) {
        stop();
        seal_stream(file_, *facts_);
        seal_stream(file_, *samples_);
        munmap(file_.header, kSpoolPage);
    }
    if (fd_ >= 0) close(fd_);
}

void SpoolRecording::add_counter(std::string_view name, std::string_view unit, double value,
                                 uint32_t pid, uint32_t device) {
    SpoolCounter counter = {};
    counter.ticks = spool_ticks(file_.tick_kind);
    counter.value = value;
    counter.pid = pid;
    counter.device = device;
    write_record(file_, *samples_, counter, kSpoolCounter, sizeof counter,
                 [&](SpoolCounter& record) {
                     record.record.text = spool_text(file_, *samples_, name.data(), name.size());
                     record.unit = spool_text(file_, *samples_, unit.data(), unit.size());
                 });
}

void SpoolRecording::add_process(uint32_t pid, std::string_view name, std::string_view command) {
    SpoolProcess process = {};
    process.ticks = spool_ticks(file_.tick_kind);
    process.pid = pid;
    process.parent = header().recorder_pid;
    write_record(file_, *facts_, process, kSpoolProcess, sizeof process, [&](SpoolProcess& record) {
        record.record.text = spool_text(file_, *facts_, name.data(), name.size());
        record.command = spool_text(file_, *facts_, command.data(), command.size());
    });
}

void SpoolRecording::add_process_end(uint32_t pid, int32_t status) {
    SpoolProcessEnd end = {};
    end.ticks = spool_ticks(file_.tick_kind);
    end.pid = pid;
    end.status = status;
    write_record(file_, *facts_, end, kSpoolProcessEnd);
}

void SpoolRecording::note_ended_writers() {
    for (uint64_t at = writers_to_; at < bytes(); writers_to_ = at) {
        SpoolBlock head = {};
        if (pread(fd_, &head, sizeof head, static_cast<off_t>(at)) != sizeof head) break;
        const bool is_block = head.magic == kSpoolBlockMagic && head.bytes >= kSpoolPage;
        const uint64_t next = is_block ? at + head.bytes : after_gap(fd_, at);
        if (!is_block && next >= bytes()) break;  // claimed a moment ago
        if (is_block && head.process != 0) {
            writers_.insert(head.pid);
            all_writers_.insert(head.pid);
        }
        at = next;
    }
    std::erase_if(writers_, [&](uint32_t pid) {
        if (is_alive(static_cast<int32_t>(pid))) return false;
        add_process_end(pid, kUnknownStatus);
        stacks_.erase(pid);
        return true;
    });
    note_executed();
}

// A program that a writer executes may not write itself. Its stack is at another address.
void SpoolRecording::note_executed() {
    for (const uint32_t pid : writers_) {
        const uint64_t seen = spool_ticks(file_.tick_kind);
        const uint64_t stack = stack_of_process(static_cast<int32_t>(pid));
        if (stack == 0) continue;
        SeenStack& last = stacks_[pid];
        if (last.address != 0 && last.address != stack) {
            SpoolProcessEnd end = {};
            end.ticks = seen;
            end.pid = pid;
            end.status = kUnknownStatus;
            end.was_running = last.seen;
            write_record(file_, *facts_, end, kSpoolProcessEnd);
        }
        last = {stack, seen};
    }
}

void SpoolRecording::add_message(SpoolSeverity severity, std::string_view text) {
    SpoolMessage message = {};
    message.severity = severity;
    write_record(file_, *facts_, message, kSpoolMessage, sizeof message, [&](SpoolMessage& record) {
        record.record.text = spool_text(file_, *facts_, text.data(), text.size());
    });
}

void SpoolRecording::give_up_old() {
    const uint64_t ring = header().ring_ns;
    if (ring == 0) return;
    const uint64_t now = spool_ticks(file_.tick_kind);
    const auto kept = static_cast<uint64_t>((static_cast<Wide128>(ring) << 32) / header().tick_ns);
    const uint64_t oldest = now > kept ? now - kept : 0;
    bool all_gone = true;
    for (uint64_t at = visited_to_; at < bytes();) {
        SpoolBlock head = {};
        if (pread(fd_, &head, sizeof head, static_cast<off_t>(at)) != sizeof head) return;
        const bool is_block = head.magic == kSpoolBlockMagic && head.bytes >= kSpoolPage;
        // The block was dropped before, or was claimed a moment ago.
        const uint64_t next = is_block ? at + head.bytes : after_gap(fd_, at);
        if (is_block && head.kind == kSpoolEvents) {
            const bool is_old = head.state == kSpoolSealed && head.last_ticks < oldest;
            if (is_old)
                fallocate(fd_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE, static_cast<off_t>(at),
                          static_cast<off_t>(head.bytes));
            all_gone &= is_old;
        }
        at = next;
        if (all_gone) visited_to_ = at;
    }
}

// Measures again over the whole recording, which is longer than a wait at the start could be.
void SpoolRecording::measure_tick() {
    SpoolHeader& head = header();
    if (head.tick_kind == kSpoolMonotonic) return;
    constexpr int64_t min_interval = 1'000'000'000;
    const Instant now = read_instant(head.tick_kind);
    if (now.monotonic - head.monotonic_ns < min_interval) return;
    const uint64_t tick = tick_between({head.ticks, head.monotonic_ns}, now);
    if (tick != 0) spool_store(head.tick_ns, tick);
}

// Reads the records of one block of facts.
void SpoolRecording::collect_warnings(const std::string& records) {
    std::map<uint32_t, std::string> texts;
    for (std::size_t at = 0; records.size() - at >= sizeof(SpoolRecord);) {
        SpoolRecord head = {};
        std::memcpy(&head, records.data() + at, sizeof head);
        if (head.bytes < sizeof head || head.bytes > records.size() - at) return;
        if (head.kind == kSpoolText && head.bytes >= sizeof(SpoolText)) {
            SpoolText text = {};
            std::memcpy(&text, records.data() + at, sizeof text);
            const std::size_t available = head.bytes - sizeof text;
            texts[head.text] =
                records.substr(at + sizeof text, std::min<std::size_t>(text.length, available));
        }
        if (head.kind == kSpoolMessage && head.bytes >= sizeof(SpoolMessage)) {
            SpoolMessage message = {};
            std::memcpy(&message, records.data() + at, sizeof message);
            if (message.severity == kSpoolWarning) ++warnings_[texts[head.text]];
        }
        at += head.bytes;
    }
}

void SpoolRecording::finish() {
    stop();
    seal_stream(file_, *facts_);
    seal_stream(file_, *samples_);
    measure_tick();
    std::string records;
    for (uint64_t at = kSpoolPage; at < bytes();) {
        SpoolBlock head = {};
        if (pread(fd_, &head, sizeof head, static_cast<off_t>(at)) != sizeof head) break;
        const bool is_block = head.magic == kSpoolBlockMagic && head.bytes >= kSpoolPage &&
                              head.used <= head.bytes - sizeof head;
        const bool is_done = head.state == kSpoolSealed || is_gone(head.pid);
        if (is_block && is_done && head.checksum == 0) {
            records.resize(head.used);
            if (pread(fd_, records.data(), head.used, static_cast<off_t>(at + sizeof head)) !=
                static_cast<ssize_t>(head.used))
                break;
            if (head.kind == kSpoolFacts) collect_warnings(records);
            head.checksum = spool_checksum(head, records.data(), head.used);
            if (head.state == kSpoolOpen) head.last_ticks = spool_ticks(file_.tick_kind);
            head.state = kSpoolSealed;
            if (pwrite(fd_, &head, sizeof head, static_cast<off_t>(at)) != sizeof head) break;
        }
        at = is_block ? at + head.bytes : after_gap(fd_, at);
    }
    spool_store<uint32_t>(header().complete, 1);
}

}  // namespace lanescope
