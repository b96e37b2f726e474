// Spends its CPU time in two functions, three parts in one and one part in the other, on two
// threads and then in a child: a program whose stacks are sampled. Compiled with frame pointers.
//
// Prints its pid and its child's, then the actual CPU time in each function, which may differ
// because the clock is read rarely: nanoseconds of three_parts and one_part, over all threads.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noipa))

static volatile uint64_t sink;
// Nanoseconds, including the child's: CPU time in each function, then wall-clock time.
static int64_t* spent;

static int64_t time_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

// Works until the thread has used that much more CPU time. Reads the clock rarely.
static inline __attribute__((always_inline)) void work(double seconds, int which) {
    const int64_t begin = time_of(CLOCK_MONOTONIC);
    const int64_t from = time_of(CLOCK_THREAD_CPUTIME_ID);
    int64_t now = from;
    while (now < from + (int64_t)(seconds * 1e9)) {
        for (uint64_t i = 0; i < 200000; ++i) sink = sink * 31 + i;
        now = time_of(CLOCK_THREAD_CPUTIME_ID);
    }
    __atomic_fetch_add(&spent[which], now - from, __ATOMIC_RELAXED);
    __atomic_fetch_add(&spent[2 + which], time_of(CLOCK_MONOTONIC) - begin, __ATOMIC_RELAXED);
}

APART void three_parts(double unit) {
    work(3 * unit, 0);
}
APART void one_part(double unit) {
    work(unit, 1);
}

APART void both_parts(double unit) {
    for (int i = 0; i < 5; ++i) {
        three_parts(unit / 5);
        one_part(unit / 5);
    }
    sink = sink + 1;  // no tail call
}

static void* second_thread(void* unit) {
    pthread_setname_np(pthread_self(), "second");
    both_parts(*(double*)unit);
    return NULL;
}

int main(int count, char** words) {
    double unit = count > 1 ? atof(words[1]) : 0.1;
    spent =
        mmap(NULL, 4 * sizeof *spent, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (spent == MAP_FAILED) return 1;
    pthread_t thread;
    if (pthread_create(&thread, NULL, second_thread, &unit) != 0) return 1;
    both_parts(unit);
    pthread_join(thread, NULL);
    const pid_t child = fork();
    if (child == 0) {
        one_part(unit);
        _exit(0);
    }
    int status = 1;
    waitpid(child, &status, 0);
    printf("%d %d\n%lld %lld\n%lld %lld\n", (int)getpid(), (int)child, (long long)spent[0],
           (long long)spent[1], (long long)spent[2], (long long)spent[3]);
    return status;
}
