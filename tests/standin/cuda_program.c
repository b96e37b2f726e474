/* A program that uses CUDA as far as the tests of `lanescope record` need it: it begins as CUDA's driver does, by loading
   the library that CUDA_INJECTION64_PATH names, and has the stand-in for CUPTI (cupti.c) believe that a GPU works for it.
   The first argument says what it does. */
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

/* As cuInit() in NVIDIA's driver: it fails where the library cannot be loaded or does not want to. */
static void begin_driver(void) {
    const char* path = getenv("CUDA_INJECTION64_PATH");
    if (!path) return;
    void* library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (!library) exit(80);
    int (*initialize)(void) = (int (*)(void))dlsym(library, "InitializeInjection");
    if (!initialize || !initialize()) exit(81);
}

/* The library that carries out calls is the stand-in: under the name by which the injected library finds CUPTI, too. */
static void begin_runtime(void) {
    void* library = dlopen("libcupti.so.13", RTLD_NOW | RTLD_LOCAL);
    if (!library) exit(82);
    const StandinCuda* (*get)(void) = (const StandinCuda* (*)(void))dlsym(library, STANDIN_SYMBOL);
    cuda = get ? get() : NULL;
    if (!cuda) exit(77); /* these headers have not that version's structs */
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
        kernel.name = strdup(name); /* as long as the program lives, as CUPTI's are */
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

/* Launches without end; how many is counted in a shared file. */
static void endless(const char* path) {
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0) exit(83);
    volatile uint64_t* done = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    for (;;) {
        for (int i = 0; i < 2; ++i) { /* so few that no buffer is filled in a second */
            cuda->launch(&small);
            ++done[0];
        }
        wait_ms(1);
    }
}

static int child_of(void (*begins)(void), void (*ends)(int)) {
    const pid_t child = fork();
    if (child == 0) {
        alarm(20); /* it would wait for ever */
        if (begins) {
            begins();
            work();
        }
        ends(0);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

/* How many lines a command prints; %d in it is this process. */
static int lines_of(const char* format) {
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

int main(int argc, char** argv) {
    const char* what = argc > 1 ? argv[1] : "work";
    if (strcmp(what, "loaded") == 0) begin_runtime(); /* as Python's packages do */
    if (strcmp(what, "fork_before") == 0 && (child_of(begin, exit) != 0 || child_of(begin, _exit) != 0)) return 85;
    begin();
    if (strcmp(what, "many") == 0) many(atol(argv[2]));
    else if (strcmp(what, "threads") == 0) threads();
    else if (strcmp(what, "endless") == 0) endless(argv[2]);
    else if (strcmp(what, "nothing") != 0) work();

    if (strcmp(what, "unfinished") == 0) {
        StandinKernel kernel = small;
        kernel.duration = 0;
        cuda->launch(&kernel);
        wait_ms(250);
    }
    if (strcmp(what, "reset") == 0) {
        cuda->device_reset();
        work();
    }
    if (strcmp(what, "fork_after") == 0 && (child_of(NULL, exit) != 0 || child_of(NULL, _exit) != 0)) return 86;
    if (strcmp(what, "exec") == 0) {
        wait_ms(250);
        execl(argv[0], argv[0], "work", (char*)NULL);
    }
    if (strcmp(what, "_exit") == 0) {
        wait_ms(250);
        _exit(7);
    }
    if (strcmp(what, "crash") == 0) {
        wait_ms(250);
        abort();
    }
    if (strcmp(what, "long") == 0) wait_ms(1000);
    if (strcmp(what, "signal") == 0) {
        signal(SIGALRM, leave);
        alarm(1);
        for (;;) many(10);
    }
    if (strcmp(what, "buffers") == 0) printf("%d\n", (int)cuda->take_buffers(400));
    if (strcmp(what, "threads_of") == 0) printf("%d\n", lines_of("ls /proc/%d/task"));
    if (strcmp(what, "files_of") == 0) printf("%d\n", lines_of("ls -l /proc/%d/fd | grep spool"));
    return 0;
}
