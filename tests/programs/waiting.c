// Works and waits in turn on its main thread, while another thread waits for a pipe until the end:
// a program whose waits are recorded. Prints the nanoseconds that the main thread slept, and how
// often.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noipa))

static volatile uint64_t sink;
static int ends[2];

static int64_t now_of(clockid_t clock) {
    struct timespec now;
    clock_gettime(clock, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

APART void work_hard(int64_t nanoseconds) {
    const int64_t end = now_of(CLOCK_THREAD_CPUTIME_ID) + nanoseconds;
    while (now_of(CLOCK_THREAD_CPUTIME_ID) < end)
        for (uint64_t i = 0; i < 20000; ++i) sink = sink * 31 + i;
}

APART int64_t sleep_a_while(void) {
    const struct timespec time = {0, 20000000};
    const int64_t begin = now_of(CLOCK_MONOTONIC);
    nanosleep(&time, NULL);
    return now_of(CLOCK_MONOTONIC) - begin;
}

APART int wait_for_pipe(void) {
    char byte = 0;
    const ssize_t got = read(ends[0], &byte, 1);
    sink = sink + (uint64_t)got;
    return byte;
}

static void* reading(void* argument) {
    (void)argument;
    pthread_setname_np(pthread_self(), "reader");
    wait_for_pipe();
    return NULL;
}

int main(int count, char** words) {
    const double seconds = count > 1 ? atof(words[1]) : 0.3;
    pthread_t thread;
    if (pipe(ends) != 0 || pthread_create(&thread, NULL, reading, NULL) != 0) return 1;
    int64_t slept = 0;
    int times = 0;
    const int64_t end = now_of(CLOCK_MONOTONIC) + (int64_t)(seconds * 1e9);
    for (; now_of(CLOCK_MONOTONIC) < end; ++times) {
        work_hard(5000000);
        slept += sleep_a_while();
    }
    if (write(ends[1], "x", 1) != 1) return 1;
    pthread_join(thread, NULL);
    printf("%lld %d\n", (long long)slept, times);
    return 0;
}
