// The trace in which fuzzers search.
#pragma once

#include "tests/core/trace_maker.h"

// Two lanes with nested slices, quotation marks in a name, a slice without a name, and two
// instants.
inline lanescope::TracePtr small_trace() {
    lanescope::TraceMaker maker;
    maker.process("12", "python");
    maker.lane({{{0, 100, "aten::mm", "cpu_op"}, {10, 20, "gemm \"x\"", "kernel"}, {50, 0, "", ""}},
                {{200, 5, "ProfilerStep#1", "user_annotation"}}});
    maker.instants({5, 150});
    return maker.finish();
}
