#include "app/inject/process.h"

#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>

#include "app/inject/capture_range.h"

namespace lanescope {

SpoolFile spool;
__thread ThreadState* this_thread __attribute__((tls_model("initial-exec"))) = nullptr;

namespace {

// Zero in a forked child.
struct ProcessState {
    uint32_t lock;
    uint32_t number;  // the number of the process in the file; 0: not begun
    uint32_t pid;
    uint64_t next_range;
    uint32_t names_lock;
    uint32_t memory_lock;
    SpoolStream facts;
};

ProcessState* process = nullptr;
pthread_key_t at_thread_end;
uint32_t attach_state = 0;  // 0 not tried, 1 in progress, 2 attached, 3 nothing to record
char* arena = nullptr;
uint32_t arena_left = 0;

void lock(uint32_t& word) {
    while (__atomic_exchange_n(&word, 1, __ATOMIC_ACQUIRE) != 0) sched_yield();
}
void unlock(uint32_t& word) {
    __atomic_store_n(&word, 0, __ATOMIC_RELEASE);
}

uint32_t read_file(const char* path, char* into, uint32_t bytes) {
    const int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) return 0;
    const ssize_t got = read(fd, into, bytes - 1);
    close(fd);
    const uint32_t length = got < 0 ? 0 : static_cast<uint32_t>(got);
    into[length] = '\0';
    return length;
}

// The rank as torchrun, MPI or Slurm set it, plus one; 0: none.
uint32_t rank_and_one() {
    const char* const names[] = {"RANK", "OMPI_COMM_WORLD_RANK", "PMIX_RANK", "PMI_RANK",
                                 "SLURM_PROCID"};
    for (const char* name : names) {
        const char* text = std::getenv(name);
        uint32_t rank = 0;
        uint32_t digits = 0;
        while (text && text[digits] >= '0' && text[digits] <= '9' && digits < 8)
            rank = rank * 10 + static_cast<uint32_t>(text[digits++] - '0');
        if (digits > 0 && text[digits] == '\0') return rank + 1;
    }
    return 0;
}

void write_process_fact() {
    char name[64];
    char command[2048];
    uint32_t name_length = read_file("/proc/self/comm", name, sizeof name);
    if (name_length > 0 && name[name_length - 1] == '\n') name[--name_length] = '\0';
    uint32_t length = read_file("/proc/self/cmdline", command, sizeof command);
    while (length > 0 && command[length - 1] == '\0') --length;
    for (uint32_t i = 0; i < length; ++i)
        if (command[i] == '\0') command[i] = ' ';
    SpoolProcess fact = {};
    fact.ticks = spool_ticks(spool.tick_kind);
    fact.pid = process->pid;
    fact.parent = static_cast<uint32_t>(getppid());
    fact.rank_and_one = rank_and_one();
    write_record(spool, process->facts, fact, kSpoolProcess, sizeof fact,
                 [&](SpoolProcess& record) {
                     record.record.text = spool_text(spool, process->facts, name, name_length);
                     record.command = spool_text(spool, process->facts, command, length);
                 });
}

// Assigns this process's number in the file; the lock must be held.
void begin_process() {
    if (process->number != 0) return;
    process->pid = static_cast<uint32_t>(getpid());
    process->number = __atomic_fetch_add(&spool.header->next_process, 1, __ATOMIC_RELAXED);
    begin_stream(process->facts, kSpoolFacts, process->number, process->pid, process->pid);
    write_process_fact();
}

void write_thread_name(uint32_t tid) {
    char name[17] = {};
    if (prctl(PR_GET_NAME, name) != 0) return;
    SpoolStream* facts = take_facts();
    if (!facts) return;
    SpoolThreadName fact = {};
    fact.tid = tid;
    write_record(spool, *facts, fact, kSpoolThreadName, sizeof fact, [&](SpoolThreadName& record) {
        record.record.text = spool_text(spool, *facts, name, std::strlen(name));
    });
    give_back_facts();
}

void end_thread(void* state) {
    auto* thread = static_cast<ThreadState*>(state);
    const int kept = errno;
    this_thread = nullptr;
    end_capture_of_thread();
    if (thread->events.tid != 0) {
        write_thread_name(thread->events.tid);  // it may have been renamed since its first event
        seal_stream(spool, thread->events);
    }
    munmap(thread, sizeof *thread);
    errno = kept;
}

bool find_spool() {
    const char* path = std::getenv("LANESCOPE_SPOOL");
    if (!path || !attach_spool(spool, path)) return false;
    process = static_cast<ProcessState*>(map_wiped(sizeof(ProcessState)));
    return process && pthread_key_create(&at_thread_end, end_thread) == 0;
}

}  // namespace

void* map_wiped(std::size_t bytes) {
    void* at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (at == MAP_FAILED) return nullptr;
    if (madvise(at, bytes, MADV_WIPEONFORK) == 0) return at;
    munmap(at, bytes);
    return nullptr;
}

bool attach_process() {
    const int kept = errno;
    uint32_t expected = 0;
    if (__atomic_compare_exchange_n(&attach_state, &expected, 1, false, __ATOMIC_ACQ_REL,
                                    __ATOMIC_ACQUIRE))
        __atomic_store_n(&attach_state, find_spool() ? 2 : 3, __ATOMIC_RELEASE);
    while (__atomic_load_n(&attach_state, __ATOMIC_ACQUIRE) == 1) sched_yield();
    errno = kept;
    return __atomic_load_n(&attach_state, __ATOMIC_ACQUIRE) == 2;
}

ThreadState* begin_thread() {
    if (__atomic_load_n(&attach_state, __ATOMIC_ACQUIRE) != 2) return nullptr;
    const int kept = errno;
    ThreadState* thread = this_thread;
    if (!thread) {
        thread = static_cast<ThreadState*>(map_wiped(sizeof(ThreadState)));
        if (!thread) {
            __atomic_fetch_add(&spool.header->dropped_records, 1, __ATOMIC_RELAXED);
            errno = kept;
            return nullptr;
        }
        pthread_setspecific(at_thread_end, thread);
        this_thread = thread;
    }
    const auto tid = static_cast<uint32_t>(syscall(SYS_gettid));
    write_thread_name(tid);
    begin_stream(thread->events, kSpoolEvents, process->number, process->pid, tid);
    errno = kept;
    return thread;
}

void begin_process_events(SpoolStream& stream) {
    if (!take_facts()) return;
    give_back_facts();
    begin_stream(stream, kSpoolEvents, process->number, process->pid, process->pid);
}

uint64_t next_range_id() {
    return __atomic_add_fetch(&process->next_range, 1, __ATOMIC_RELAXED);
}

SpoolStream* take_facts() {
    if (!process) return nullptr;
    const int kept = errno;
    lock(process->lock);
    begin_process();
    errno = kept;
    return &process->facts;
}

void give_back_facts() {
    unlock(process->lock);
}

void lock_names() {
    lock(process->names_lock);
}
void unlock_names() {
    unlock(process->names_lock);
}

void* keep_memory(uint32_t bytes) {
    constexpr uint32_t chunk = 64u << 10;
    bytes = (bytes + 15) / 16 * 16;
    lock(process->memory_lock);
    if (bytes > arena_left) {
        const uint32_t length = bytes > chunk ? (bytes + 4095) / 4096 * 4096 : chunk;
        void* at =
            mmap(nullptr, length, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        __atomic_store_n(&arena_left, 0, __ATOMIC_RELEASE);
        __atomic_store_n(&arena, at == MAP_FAILED ? nullptr : static_cast<char*>(at),
                         __ATOMIC_RELEASE);
        __atomic_store_n(&arena_left, at == MAP_FAILED ? 0 : length, __ATOMIC_RELEASE);
    }
    void* given = bytes <= arena_left ? arena : nullptr;
    if (given) {
        // The order matters: another thread may fork in between.
        __atomic_store_n(&arena_left, arena_left - bytes, __ATOMIC_RELEASE);
        __atomic_store_n(&arena, arena + bytes, __ATOMIC_RELEASE);
    }
    unlock(process->memory_lock);
    return given;
}

const char* keep_text(const char* text) {
    const std::size_t whole = std::strlen(text);
    const uint32_t length = cut_spool_text(text, whole);
    if (length < whole) count_cut_text(spool);
    auto* kept = static_cast<char*>(keep_memory(length + 1));
    if (!kept) return nullptr;
    std::memcpy(kept, text, length);
    kept[length] = '\0';
    return kept;
}

}  // namespace lanescope
