// Search expressions: any text is parsed, or refused with a position in it; a parsed expression
// finds existing slices, and its negation exactly the others.
#include <cstdint>
#include <string_view>

#include "core/search/argument_search.h"
#include "core/search/matches.h"
#include "tests/fuzz/require.h"
#include "tests/fuzz/small_trace.h"

using namespace lanescope;

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
