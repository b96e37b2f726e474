/* The calls by which a program makes the stand-in for CUPTI record GPU activities: see
 * cupti.c. Times are nanoseconds. */
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
    uint64_t duration;      /* 0: the kernel has not ended, and its record has no times */
    int launched_by_driver; /* by cuLaunchKernel instead of cudaLaunchKernel */
} StandinKernel;

/* Each function records a call of the CUDA runtime and the activity that it starts, and returns
   their correlation. */
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
    void (*profiler)(int starts); /* cudaProfilerStart() or cudaProfilerStop() */
    uint64_t (*take_buffers)(
        uint64_t count); /* requests `count` buffers; returns how many it got */
} StandinCuda;

/* The symbol of the function that returns them, of type const StandinCuda* (*)(void). It returns
   null if the headers lack structs of the simulated version. */
#define STANDIN_SYMBOL "standin_cuda"

#endif
