// Times of compiled code by call in the generated code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/compile/compiled_programs.h"
#include "core/table/query.h"

namespace lanescope {

// A call in generated code with the work that it ran; a name only, if the place in the code is
// unknown.
struct CompiledWork {
    std::string name;
    uint32_t graph = kNoRow;          // index in CompiledCode::graphs
    const CallSite* site = nullptr;   // null: unknown
    CompileId id;                     // unknown if neither log nor trace states it
    LinkGrade grade = LinkGrade::id;  // weakest link up to the site
    int64_t calls = 0;
    int64_t kernels = 0;  // on GPUs
    Nanos time = 0;       // GPU time; without GPUs, time of the calls
    SliceRef first;       // the longest call or activity
    Nanos longest = -1;

    void add(SliceRef slice, Nanos time_of_slice) {
        time += time_of_slice;
        if (time_of_slice <= longest) return;
        longest = time_of_slice;
        first = slice;
    }
    // The grade of the site's operators and lines: the weaker of the link to the site and the
    // site's own links.
    LinkGrade operators_grade() const {
        return site ? weaker(grade, site->operators_grade) : LinkGrade::guess;
    }
    LinkGrade lines_grade() const {
        return site ? weaker(grade, site->lines_grade) : LinkGrade::guess;
    }
};

// All calls in generated code, in the order of the code, including calls that did not run in the
// query's range; then work without a known place.
std::vector<CompiledWork> compiled_work(const Trace& trace, const CompiledPrograms& programs,
                                        const TableQuery& query);

// Time of all GPU work in the query's range; without GPUs, of all calls in compiled graphs.
Nanos whole_kernel_time(const Trace& trace, const CompiledPrograms& programs,
                        const TableQuery& query);

// "a, b, c".
std::string joined(const std::vector<std::string>& words);
// "train.py:21, train.py:22".
std::string joined_places(const std::vector<SourceLine>& lines);

}  // namespace lanescope
