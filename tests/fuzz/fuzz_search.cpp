// Search expressions: any text is parsed, or refused with a position in it; a parsed expression
// finds existing slices, and its negation exactly the others.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string_view>

#include "core/search/argument_search.h"
#include "core/search/matches.h"
#include "tests/core/trace_maker.h"

namespace {

using namespace lanescope;

TracePtr small_trace() {
    TraceMaker maker;
    maker.process("12", "python");
    maker.lane({{{0, 100, "aten::mm", "cpu_op"}, {10, 20, "gemm \"x\"", "kernel"}, {50, 0, "", ""}},
                {{200, 5, "ProfilerStep#1", "user_annotation"}}});
    return maker.finish();
}

void require(bool holds, const char* what) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", what);
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    static const TracePtr trace = small_trace();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    auto expression = parse_search(text);
    if (!expression) {
        require(expression.error().byte_offset <= size, "an error's place lies outside the text");
        require(!expression.error().text.empty(), "an error says nothing");
        return 0;
    }
    const Matches found = find_matches(trace, *expression, {}, 1);
    require(found.count <= trace->slice_count(), "more is found than is there");
    require(matches_by_time(found).size() == found.count, "the count is not that of the slices");
    // Terms on arguments that are not stored are ignored here.
    if (expression->terms.size() != 1 || reads_arguments(*expression)) return 0;
    expression->terms[0].negated = !expression->terms[0].negated;
    require(find_matches(trace, *expression, {}, 1).count + found.count == trace->slice_count(),
            "a term and its opposite do not make up all slices");
    return 0;
}
