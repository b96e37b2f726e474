/* A program with NVTX ranges, for the tests of `lanescope record`. Its first argument is the mode. */
#include <fcntl.h>
#include <nvtx3/nvToolsExt.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static void wait_us(long us) {
    struct timespec time = {us / 1000000, us % 1000000 * 1000};
    nanosleep(&time, NULL);
}

static void nested(void) {
    for (int i = 0; i < 3; ++i) {
        if (nvtxRangePushA("outer") != 0) exit(90);
        for (int k = 0; k < 4; ++k) {
            char name[32];
            snprintf(name, sizeof name, "inner %d", k); /* always the same address, with different texts */
            if (nvtxRangePushA(name) != 1) exit(91);
            wait_us(200);
            if (nvtxRangePop() != 1) exit(92);
        }
        if (nvtxRangePop() != 0) exit(93);
    }
    if (nvtxRangePop() >= 0) exit(94); /* nothing is open */
    nvtxMarkA("marked");
    nvtxRangePushW(L"wide \u00e9\u4e2d");
    nvtxRangePop();
    nvtxRangePushA("back\\slash \"quoted\"");
    nvtxRangePop();
}

static nvtxEventAttributes_t attributes(const char* text) {
    nvtxEventAttributes_t a;
    memset(&a, 0, sizeof a);
    a.version = NVTX_VERSION;
    a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    a.messageType = NVTX_MESSAGE_TYPE_ASCII;
    a.message.ascii = text;
    return a;
}

static void domains(void) {
    nvtxDomainHandle_t domain = nvtxDomainCreateA("lane.scope");
    nvtxDomainNameCategoryA(domain, 7, "loading");
    nvtxStringHandle_t text = nvtxDomainRegisterStringA(domain, "registered");
    nvtxEventAttributes_t a = attributes(NULL);
    a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    a.message.registered = text;
    a.category = 7;
    a.colorType = NVTX_COLOR_ARGB;
    a.color = 0xFF336699;
    a.payloadType = NVTX_PAYLOAD_TYPE_DOUBLE;
    a.payload.dValue = 2.5;
    nvtxDomainRangePushEx(domain, &a);
    nvtxRangePushA("of the default domain");
    nvtxDomainRangePop(domain); /* each domain has a stack of its own */
    nvtxRangePop();
    nvtxEventAttributes_t b = attributes("payload");
    b.payloadType = NVTX_PAYLOAD_TYPE_INT64;
    b.payload.llValue = -12;
    nvtxDomainRangePushEx(domain, &b);
    nvtxDomainRangePop(domain);
    nvtxDomainMarkEx(domain, &b);
    nvtxRangeId_t id = nvtxDomainRangeStartEx(domain, &a);
    wait_us(300);
    nvtxDomainRangeEnd(domain, id);
}

static nvtxRangeId_t handed_over;

static void* thread_body(void* argument) {
    nvtxRangePushA(argument);
    pthread_setname_np(pthread_self(), "worker"); /* the trace uses the last name */
    wait_us(500);
    nvtxRangePop();
    nvtxRangeEnd(handed_over);
    return NULL;
}

static void threads(void) {
    nvtxNameOsThreadA((uint32_t)gettid(), "conductor");
    handed_over = nvtxRangeStartA("handed over");
    for (int i = 0; i < 3; ++i) {
        pthread_t thread;
        pthread_create(&thread, NULL, thread_body, "on a thread");
        pthread_join(thread, NULL);
        handed_over = 0;
    }
    nvtxRangePushA("main");
    nvtxRangePop();
}

/* Forks children in the middle of a range. */
static void forks(void) {
    nvtxStringHandle_t registered = nvtxDomainRegisterStringA(NULL, "registered before");
    nvtxRangePushA("parent");
    for (int i = 0; i < 3; ++i) {
        pid_t child = fork();
        if (child == 0) {
            nvtxRangePushA("child");
            nvtxEventAttributes_t a = attributes(NULL);
            a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
            a.message.registered = registered;
            nvtxRangePushEx(&a);
            nvtxRangePop();
            nvtxRangePop();
            _exit(0);
        }
        waitpid(child, NULL, 0);
    }
    nvtxRangePop();
}

/* Endless ranges on three threads. Each thread counts its finished ranges in a shared file. */
struct endless {
    volatile uint64_t* done;
};

static void* endless_body(void* argument) {
    volatile uint64_t* done = argument;
    nvtxRangePushA("run");
    for (;;) {
        for (int i = 0; i < 100; ++i) {
            nvtxRangePushA("pair");
            nvtxRangePop();
            ++*done;
        }
        wait_us(20);
    }
    return NULL;
}

static void* register_texts(void* unused) {
    char name[32];
    for (int i = 0;; ++i) {
        snprintf(name, sizeof name, "text %d", i % 100);
        nvtxDomainRegisterStringA(NULL, name);
        nvtxDomainCreateA(name);
    }
    return unused;
}

/* Forks children while other threads register texts. */
static void busy_forks(void) {
    nvtxMarkA("begun"); /* a child forked while NVTX initializes would wait forever */
    pthread_t thread;
    for (int i = 0; i < 3; ++i) pthread_create(&thread, NULL, register_texts, NULL);
    for (int i = 0; i < 300; ++i) {
        pid_t child = fork();
        if (child == 0) {
            alarm(20); /* ends a child that waits forever */
            nvtxDomainHandle_t domain = nvtxDomainCreateA("of a child");
            nvtxEventAttributes_t a = attributes(NULL);
            a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
            a.message.registered = nvtxDomainRegisterStringA(domain, "kept by a child");
            nvtxDomainRangePushEx(domain, &a);
            nvtxDomainRangePop(domain);
            _exit(0);
        }
        int status = 0;
        waitpid(child, &status, 0);
        if (status != 0) exit(96);
    }
    _exit(0);
}

static void endless(const char* path) {
    int fd = open(path, O_RDWR | O_CREAT, 0600);
    if (fd < 0 || ftruncate(fd, 4096) != 0) exit(95);
    uint64_t* shared = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    pthread_t thread;
    for (int i = 1; i < 3; ++i) pthread_create(&thread, NULL, endless_body, &shared[i]);
    endless_body(&shared[0]);
}

/* 40,000 ranges in a little over four seconds. */
static void calm(void) {
    for (int i = 0; i < 4000; ++i) {
        for (int k = 0; k < 10; ++k) {
            nvtxRangePushA("pair");
            nvtxRangePop();
        }
        wait_us(1000);
    }
}

/* Ranges of a small simulated training: steps on one thread, and the loading of batches on another. */
static volatile int training_over;

static void* load_batches(void* unused) {
    nvtxNameOsThreadA((uint32_t)gettid(), "data loader");
    while (!training_over) {
        nvtxRangePushA("load batch");
        nvtxRangePushA("decode");
        wait_us(2600);
        nvtxRangePop();
        nvtxRangePushA("augment");
        wait_us(1400);
        nvtxRangePop();
        nvtxRangePop();
        wait_us(1800);
    }
    return unused;
}

static void train_step(int step) {
    static const char* const parts[] = {"forward", "loss", "backward", "optimizer"};
    static const long lengths[] = {1600, 200, 2900, 700};
    char name[32];
    snprintf(name, sizeof name, "step %d", step % 100);
    nvtxRangePushA(name);
    for (int part = 0; part < 4; ++part) {
        nvtxRangePushA(parts[part]);
        if (part == 0 || part == 2) {
            for (int layer = 0; layer < 4; ++layer) {
                snprintf(name, sizeof name, "layer %d", part == 0 ? layer : 3 - layer);
                nvtxRangePushA(name);
                wait_us(lengths[part] / 4);
                nvtxRangePop();
            }
        } else {
            wait_us(lengths[part]);
        }
        nvtxRangePop();
    }
    nvtxRangePop();
}

static void training(long seconds) {
    pthread_t loader;
    nvtxNameOsThreadA((uint32_t)gettid(), "trainer");
    pthread_create(&loader, NULL, load_batches, NULL);
    time_t const end = time(NULL) + seconds;
    for (int epoch = 0, step = 0; time(NULL) < end; ++epoch) {
        char name[32];
        snprintf(name, sizeof name, "epoch %d", epoch);
        nvtxRangePushA(name);
        for (int i = 0; i < 100 && time(NULL) < end; ++i) train_step(step++);
        nvtxRangePop();
        nvtxMarkA("checkpoint");
    }
    training_over = 1;
    pthread_join(loader, NULL);
}

static void* quiet_thread(void* unused) {
    nvtxRangePushA("early");
    nvtxRangePop();
    wait_us(60000000);
    return unused;
}

int main(int argc, char** argv) {
    const char* mode = argc > 1 ? argv[1] : "nested";
    if (strcmp(mode, "nested") == 0) nested();
    if (strcmp(mode, "domains") == 0) domains();
    if (strcmp(mode, "threads") == 0) threads();
    if (strcmp(mode, "forks") == 0) forks();
    if (strcmp(mode, "busy_forks") == 0) busy_forks();
    if (strcmp(mode, "endless") == 0) endless(argv[2]);
    if (strcmp(mode, "calm") == 0) calm();
    if (strcmp(mode, "exec") == 0) {
        nvtxRangePushA("before exec");
        execl(argv[0], argv[0], "nested", (char*)NULL);
    }
    if (strcmp(mode, "_exit") == 0) {
        nested();
        _exit(7);
    }
    if (strcmp(mode, "crash") == 0) {
        nested();
        nvtxRangePushA("crashing");
        nvtxMarkA("last words");
        abort();
    }
    if (strcmp(mode, "many") == 0) {
        for (int i = 0; i < 300000; ++i) {
            char name[32];
            snprintf(name, sizeof name, "step %d", i % 3000);
            nvtxRangePushA(name);
            nvtxRangePop();
        }
    }
    if (strcmp(mode, "closed") == 0) { /* as daemons do */
        nvtxRangePushA("first");
        nvtxRangePop();
        for (int fd = 3; fd < 256; ++fd) close(fd);
        for (int i = 0; i < 100000; ++i) {
            nvtxRangePushA("later");
            nvtxRangePop();
        }
    }
    if (strcmp(mode, "training") == 0) {
        training(argc > 2 ? atol(argv[2]) : 2);
        return 0;
    }
    if (strcmp(mode, "train") == 0) { /* an open range of some milliseconds, and how the process ends */
        const char* end = argc > 3 ? argv[3] : "exit";
        nvtxRangePushA("train");
        nvtxRangeStartA("train by id");
        wait_us(atol(argv[2]) * 1000);
        if (strcmp(end, "exec") == 0) execl(argv[0], argv[0], "nested", (char*)NULL);
        if (strcmp(end, "exec_silent") == 0) execlp("sleep", "sleep", "1", (char*)NULL);
        if (strcmp(end, "exec_open") == 0) execl(argv[0], argv[0], "train", "1000", (char*)NULL);
        if (strcmp(end, "abort") == 0) abort();
        if (strcmp(end, "kill") == 0) raise(SIGKILL);
        return 0;
    }
    if (strcmp(mode, "quiet") == 0) { /* 40 ranges in four seconds; a thread has ranges at the begin */
        pthread_t thread;
        pthread_create(&thread, NULL, quiet_thread, NULL);
        for (int i = 0; i < 40; ++i) {
            nvtxRangePushA("seldom");
            nvtxRangePop();
            nvtxMarkA("mark");
            wait_us(100000);
        }
    }
    if (strcmp(mode, "long_names") == 0) {
        size_t const length = 40000;
        char* name = calloc(1, length + 1);
        memset(name, 'x', length);
        nvtxRangePushA(name);
        nvtxRangePop();
        name[32000] = '\0'; /* as long as possible */
        nvtxRangePushA(name);
        nvtxRangePop();
        free(name);
    }
    if (strcmp(mode, "wait") == 0) {
        nvtxRangePushA("waiting");
        wait_us(60000000);
    }
    return argc > 2 && strcmp(mode, "endless") != 0 ? atoi(argv[2]) : 0;
}
