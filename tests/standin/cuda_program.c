/* A program that simulates the use of CUDA, for the tests of `lanescope record`. Like CUDA's driver, it first loads the
   library that CUDA_INJECTION64_PATH names. Then it calls the stand-in for CUPTI (cupti.c), which records the activities
   of a simulated GPU. The first argument is the mode. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "standin.h"

static const StandinCuda* cuda;

static void wait_ms(long ms) {
    struct timespec time = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&time, NULL);
}

/* Loads the injected library like cuInit() in NVIDIA's driver, which fails if the library cannot be loaded or refuses. */
static void begin_driver(void) {
    const char* path = getenv("CUDA_INJECTION64_PATH");
    if (!path) return;
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) exit(80);
    int (*initialize)(void) = (int (*)(void))dlsym(library, "InitializeInjection");
    if (!initialize || !initialize()) exit(81);
}

/* Loads the stand-in, which carries out the calls, by the name by which the injected library also finds CUPTI. */
static void begin_runtime(void) {
    void* library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    if (!library) exit(82);
    const StandinCuda* (*get)(void) = (const StandinCuda* (*)(void))dlsym(library, STANDIN_SYMBOL);
    cuda = get ? get() : NULL;
    if (!cuda) exit(77); /* the headers lack the requested version's structs */
}

static void begin(void) {
    begin_driver();
    begin_runtime();
}

static const StandinKernel gemm = {"_Z4gemmIfEvPT_i", {64, 2, 1}, {256, 1, 1}, 96, 1024, 32768, 7, 0, 0, 25000, 0};
static const StandinKernel small = {"small", {1, 1, 1}, {32, 4, 1}, 16, 0, 0, 13, 0, 0, 1500, 1};
static const StandinKernel in_graph = {"in_graph", {8, 8, 8}, {128, 1, 1}, 40, 0, 512, 7, 5, 21474836481u, 4000, 0};

static void work(void) {
    nvtxRangePushA("work");
    cuda->allocate(0x7f0000000000, 1 << 20);
    cuda->copy(1, 4096, 7, 3000);
    cuda->launch(&gemm);
    cuda->launch(&small);
    cuda->launch(&gemm);
    cuda->launch(&in_graph);
    cuda->set(0, 8192, 7, 2000);
    cuda->copy_between(0, 1, 65536, 9000);
    cuda->copy(2, 2048, 7, 2500);
    cuda->synchronise(7);
    cuda->overhead(5000);
    cuda->release(0x7f0000000000);
    nvtxRangePop();
}

static void many(long count) {
    for (long i = 0; i < count; ++i) {
        StandinKernel kernel = small;
        char name[32];
        snprintf(name, sizeof name, "kernel %ld", i % 100);
        kernel.name = strdup(name); /* valid until the program ends, like CUPTI's names */
        cuda->launch(&kernel);
    }
}

static void* thread_body(void* unused) {
    many(500);
    return unused;
}

static void threads(void) {
    pthread_t thread[4];
    for (int i = 0; i < 4; ++i) pthread_create(&thread[i], NULL, thread_body, NULL);
    for (int i = 0; i < 4; ++i) pthread_join(thread[i], NULL);
}

/* Endless launches, counted in a shared file. */
static void endless(const char* path) {
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0) exit(83);
    volatile uint64_t* done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (;;) {
        for (int i = 0; i < 2; ++i) { /* so few that no buffer is full within a second */
            cuda->launch(&small);
            ++done[0];
        }
        wait_ms(1);
    }
}

static int run_child(void (*begin_child)(void), void (*end_child)(int)) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20); /* ends a child that waits forever */
        if (begin_child) {
            begin_child();
            work();
        }
        end_child(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

/* The number of lines that a command prints. %d in the command is replaced by this process's pid. */
static int count_lines(const char* format) {
    char command[128];
    snprintf(command, sizeof command, format, (int)getpid());
    FILE* output = popen(command, "r");
    int lines = 0;
    for (int c; output && (c = fgetc(output)) != EOF;) lines += c == '\n';
    if (output) pclose(output);
    return lines;
}

static void leave(int signal) {
    (void)signal;
    exit(3);
}

/* Work before, between and after two captures; in each capture, too. */
static void profiled(void) {
    for (int i = 0; i < 5; ++i) {
        if (i % 2 == 1) cuda->profiler(1);
        work();
        if (i % 2 == 1) cuda->profiler(0);
    }
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "work";
    if (strcmp(mode, "loaded") == 0) begin_runtime(); /* like Python's packages */
    if (strcmp(mode, "fork_before") == 0 && (run_child(begin, exit) != 0 || run_child(begin, _exit) != 0)) return 85;
    begin();
    if (strcmp(mode, "many") == 0) many(atol(argv[2]));
    else if (strcmp(mode, "threads") == 0) threads();
    else if (strcmp(mode, "endless") == 0) endless(argv[2]);
    else if (strcmp(mode, "profiled") == 0) profiled();
    else if (strcmp(mode, "nothing") != 0) work();

    if (strcmp(mode, "unfinished") == 0) {
        StandinKernel kernel = small;
        kernel.duration = 0;
        cuda->launch(&kernel);
        wait_ms(250);
    }
    if (strcmp(mode, "reset") == 0) {
        cuda->device_reset();
        work();
    }
    if (strcmp(mode, "fork_after") == 0 && (run_child(NULL, exit) != 0 || run_child(NULL, _exit) != 0)) return 86;
    if (strcmp(mode, "exec") == 0) {
        wait_ms(250);
        execl(argv[0], argv[0], "work", (char*)NULL);
    }
    if (strcmp(mode, "_exit") == 0) {
        wait_ms(250);
        _exit(7);
    }
    if (strcmp(mode, "crash") == 0) {
        wait_ms(250);
        abort();
    }
    if (strcmp(mode, "long") == 0) wait_ms(1000);
    if (strcmp(mode, "signal") == 0) {
        signal(SIGALRM, leave);
        alarm(1);
        for (;;) many(10);
    }
    if (strcmp(mode, "buffers") == 0) printf("%d\n", (int)cuda->take_buffers(400));
    if (strcmp(mode, "count_threads") == 0) printf("%d\n", count_lines("ls /proc/%d/task"));
    if (strcmp(mode, "count_files") == 0) printf("%d\n", count_lines("ls -l /proc/%d/fd | grep spool"));
    return 0;
}
