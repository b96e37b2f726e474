// The time of compiled code by call in the generated code.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/compile/compiled_programs.h"
#include "core/table/query.h"

namespace lanescope {

// A call in generated code with what ran of it; or, if its place in the code is not known, a name.
struct CompiledWork {
    std::string name;
    uint32_t graph = kNoRow;          // place in CompiledCode::graphs
    const CallSite* site = nullptr;   // null: not known
    CompileId id;                     // unknown: neither log nor trace tells
    LinkGrade grade = LinkGrade::id;  // of the weakest link up to the site
    int64_t calls = 0;
    int64_t kernels = 0;  // on GPUs
    Nanos time = 0;       // of GPUs; of the calls if there are none
    SliceRef first;       // the longest call, or activity
    Nanos longest = -1;

    void add(SliceRef slice, Nanos time_of_slice) {
        time += time_of_slice;
        if (time_of_slice <= longest) return;
        longest = time_of_slice;
        first = slice;
    }
    // How sure the site's operators and lines are: the weaker of the link to the site and of the
    // site's own links.
    LinkGrade operators_grade() const {
        return site ? weaker(grade, site->operators_grade) : LinkGrade::guess;
    }
    LinkGrade lines_grade() const {
        return site ? weaker(grade, site->lines_grade) : LinkGrade::guess;
    }
};

// Every call in generated code, also those that did not run in the query's range, in the order of
// the code; then what ran without a known place.
std::vector<CompiledWork> compiled_work(const Trace& trace, const CompiledPrograms& programs,
                                        const TableQuery& query);

// The time of all GPU work of the query; without GPUs, of all calls in compiled graphs.
Nanos whole_kernel_time(const Trace& trace, const CompiledPrograms& programs,
                        const TableQuery& query);

// "a, b, c".
std::string joined(const std::vector<std::string>& words);
// "train.py:21, train.py:22".
std::string joined_places(const std::vector<SourceLine>& lines);

}  // namespace lanescope
