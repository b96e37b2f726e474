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

void require(bool holds, const char* message) {
    if (holds) return;
    std::fprintf(stderr, "%s\n", message);
    std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    static const TracePtr trace = small_trace();
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    auto expression = parse_search(text);
    if (!expression) {
        require(expression.error().byte_offset <= size, "an error's position is outside the text");
        require(!expression.error().text.empty(), "an error has no text");
        return 0;
    }
    const Matches matches = find_matches(trace, *expression, {}, 1);
    require(matches.count <= trace->slice_count(), "more matches than slices");
    require(matches_by_time(matches).size() == matches.count,
            "the count differs from the list of matches");
    // Terms on arguments that are not stored are ignored here.
    if (expression->terms.size() != 1 || reads_arguments(*expression)) return 0;
    expression->terms[0].negated = !expression->terms[0].negated;
    require(find_matches(trace, *expression, {}, 1).count + matches.count == trace->slice_count(),
            "a term and its negation do not match all slices together");
    return 0;
}
