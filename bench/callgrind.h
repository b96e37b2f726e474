// Requests to valgrind's callgrind. They do nothing outside callgrind, or if the benchmark was
// built without valgrind's headers (LANESCOPE_VALGRIND).
#pragma once

#if LANESCOPE_HAVE_VALGRIND
#include <valgrind/callgrind.h>
#else
#include <cstdio>
#endif

namespace lanescope::bench {

// Whether this benchmark can make requests to callgrind; prints what to do if it cannot.
inline bool callgrind_is_built_in() {
#if LANESCOPE_HAVE_VALGRIND
    return true;
#else
    std::fputs(
        "Built without valgrind's headers, so instructions cannot be counted: install the package "
        "valgrind "
        "and build again with -DLANESCOPE_VALGRIND=ON\n",
        stderr);
    return false;
#endif
}

inline void callgrind_start() {
#if LANESCOPE_HAVE_VALGRIND
    CALLGRIND_START_INSTRUMENTATION;
#endif
}

inline void callgrind_stop() {
#if LANESCOPE_HAVE_VALGRIND
    CALLGRIND_STOP_INSTRUMENTATION;
#endif
}

// Sets all counts to zero.
inline void callgrind_zero() {
#if LANESCOPE_HAVE_VALGRIND
    CALLGRIND_ZERO_STATS;
#endif
}

// Writes the counts to a file labelled `name`.
inline void callgrind_dump([[maybe_unused]] const char* name) {
#if LANESCOPE_HAVE_VALGRIND
    CALLGRIND_DUMP_STATS_AT(name);
#endif
}

}  // namespace lanescope::bench
