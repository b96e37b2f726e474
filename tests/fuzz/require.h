// A check of a fuzzer: libFuzzer reports the input of a program that aborts.
#pragma once

#include <cstdio>
#include <cstdlib>

inline void require(bool holds, const char* message) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", message);
    std::abort();
}
