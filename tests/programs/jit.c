// Generates two functions while it runs, like a JIT, writes their names to /tmp/perf-PID.map, and
// spends its CPU time in them: three parts in one and one part in the other, then one part of the
// first in a child, which has no such file of its own.
// Usage: jit SECONDS [late]
// With "late", it writes the names at the end.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Code with a frame pointer and a loop that counts its argument down to 0.
#if defined(__x86_64__)
static const unsigned char code[] = {0x55, 0x48, 0x89, 0xe5, 0x48, 0xff,
                                     0xcf, 0x75, 0xfb, 0x5d, 0xc3};
#elif defined(__aarch64__)
static const uint32_t code[] = {0xa9bf7bfd, 0x910003fd, 0xf1000400,
                                0x54ffffe1, 0xa8c17bfd, 0xd65f03c0};
#else
static const unsigned char code[1];
#endif

typedef void (*Function)(uint64_t count);

static void work(Function function, double seconds) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    const double until = (double)now.tv_sec + (double)now.tv_nsec / 1e9 + seconds;
    while ((double)now.tv_sec + (double)now.tv_nsec / 1e9 < until) {
        function(200000);
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    }
}

static void write_names(const char* first, const char* second) {
    char path[64];
    snprintf(path, sizeof path, "/tmp/perf-%d.map", (int)getpid());
    FILE* file = fopen(path, "a");
    if (!file) exit(1);
    fprintf(file, "%" PRIxPTR " %zx py::first:/jit.py\n", (uintptr_t)first, sizeof code);
    fprintf(file, "%" PRIxPTR " %zx second\n", (uintptr_t)second, sizeof code);
    fclose(file);
}

int main(int count, char** words) {
    if (sizeof code == 1) return 77;
    const double unit = count > 1 ? atof(words[1]) : 0.1;
    const int is_late = count > 2 && strcmp(words[2], "late") == 0;
    char* const memory =
        mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) return 1;
    char* const second = memory + 2048;
    memcpy(memory, code, sizeof code);
    memcpy(second, code, sizeof code);
    if (mprotect(memory, 4096, PROT_READ | PROT_EXEC) != 0) return 1;
    __builtin___clear_cache(memory, memory + 4096);
    if (!is_late) write_names(memory, second);
    work((Function)(uintptr_t)memory, 3 * unit);
    work((Function)(uintptr_t)second, unit);
    const pid_t child = fork();
    if (child == 0) {
        work((Function)(uintptr_t)memory, unit);
        _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    if (is_late) write_names(memory, second);
    printf("%d\n", (int)getpid());
    return status;
}
