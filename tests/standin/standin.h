/* What a program can have the stand-in for CUPTI believe that its GPU did: see cupti.c. Times are
 * nanoseconds. */
#ifndef LANESCOPE_TESTS_STANDIN_H
#define LANESCOPE_TESTS_STANDIN_H

#include <stdint.h>

typedef struct {
    const char* name;
    uint32_t grid[3], block[3];
    uint32_t registers, static_shared, dynamic_shared;
    uint32_t stream;
    uint32_t graph; /* 0: none */
    uint64_t graph_node;
    uint64_t duration; /* 0: it has not ended, and gets no times */
    int is_by_driver;
} StandinKernel;

/* Each is a call of the runtime with what it starts; it gives the correlation. */
typedef struct {
    uint32_t (*launch)(const StandinKernel* kernel);
    uint32_t (*copy)(uint8_t kind, uint64_t bytes, uint32_t stream, uint64_t duration);
    uint32_t (*copy_between)(uint32_t from, uint32_t to, uint64_t bytes, uint64_t duration);
    uint32_t (*set)(uint32_t value, uint64_t bytes, uint32_t stream, uint64_t duration);
    uint32_t (*synchronise)(uint32_t stream);
    uint32_t (*allocate)(uint64_t address, uint64_t bytes);
    uint32_t (*release)(uint64_t address);
    void (*overhead)(uint64_t duration);
    void (*device_reset)(void);
    uint64_t (*take_buffers)(uint64_t count); /* asks for so many at once; how many it was given */
} StandinCuda;

/* The symbol by which the library gives them; null where the version that it plays has structs that
   these headers have not. Type: const StandinCuda* (*)(void). */
#define STANDIN_SYMBOL "standin_cuda"

#endif
