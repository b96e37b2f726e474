// Spends its CPU time in two functions, three parts in one and one in the other, on two threads and
// then in a child: what stacks are sampled of. Compiled with frame pointers.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define APART __attribute__((noinline, noipa))

static volatile uint64_t sink;

static double cpu_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

// Works until the thread has used so much more CPU time. The clock is asked seldom.
#define WORK(seconds)                                                  \
    const double until = cpu_seconds() + (seconds);                    \
    while (cpu_seconds() < until)                                      \
        for (uint64_t i = 0; i < 200000; ++i) sink = sink * 31 + i;

APART void three_parts(double unit) { WORK(3 * unit) }
APART void one_part(double unit) { WORK(unit) }

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
    printf("%d %d\n", (int)getpid(), (int)child);
    return status;
}
