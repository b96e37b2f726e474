// Turns an expression into bits. Each text is tested once; after that, every slice costs a few
// loads of its name, category or duration.
#include <re2/re2.h>

#include <algorithm>
#include <functional>
#include <span>
#include <thread>

#include "core/base/parallel.h"
#include "core/search/matches.h"

namespace lanescope {

namespace {

constexpr std::size_t kTextsAtOnce = 2048;
constexpr uint32_t kWordsAtOnce = 2048;  // of 64 slices

// One term, prepared for testing slices by number.
struct Test {
    const SearchTerm* term = nullptr;
    std::vector<uint8_t> texts;       // by StringId; empty: the term does not test texts
    std::vector<uint8_t> categories;  // by CategoryId
    std::vector<uint8_t> lanes;       // by LaneId; empty: the term does not test lanes
    std::vector<std::vector<uint64_t>> arguments;  // by lane: slices with a matching argument
};

bool text_holds(const SearchTerm& term, std::string_view text) {
    return term.kind == TermKind::pattern
               ? re2::RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), *term.pattern)
               : holds_text(text, term.text);
}

void test_texts(const Trace& trace, unsigned workers, Test& test) {
    test.texts.resize(trace.strings.size());
    const std::size_t parts = (test.texts.size() + kTextsAtOnce - 1) / kTextsAtOnce;
    parallel_for(workers, parts, [&](std::size_t part) {
        const std::size_t end = std::min(test.texts.size(), (part + 1) * kTextsAtOnce);
        for (std::size_t id = part * kTextsAtOnce; id < end; ++id)
            test.texts[id] = static_cast<uint8_t>(
                text_holds(*test.term, trace.strings[static_cast<StringId>(id)]));
    });
}

void test_categories(const Trace& trace, Test& test) {
    test.categories.resize(trace.categories.size());
    for (std::size_t c = 0; c < trace.categories.size(); ++c)
        test.categories[c] =
            static_cast<uint8_t>(text_holds(*test.term, trace.strings[trace.categories[c].name]));
}

// Sets the bits of a side table's slices whose text in a column matches.
void test_column(const Trace& trace, std::span<const SliceRef> slices,
                 std::span<const StringId> column, Test& test) {
    for (std::size_t row = 0; row < column.size(); ++row) {
        if (!test.texts[column[row]]) continue;
        const SliceRef slice = slices[row];
        auto& bits = test.arguments[slice.lane];
        if (bits.empty()) bits.resize((trace.lanes[slice.lane].slice_count + 63) / 64);
        bits[slice.index / 64] |= uint64_t{1} << (slice.index % 64);
    }
}

void test_arguments(const Trace& trace, Test& test) {
    test.arguments.resize(trace.lanes.size());
    // Id 0, the empty text, means that there is no argument.
    test.texts[0] = 0;
    const Operators& ops = trace.operators;
    for (const Column<StringId>* column :
         {&ops.input_dims, &ops.input_types, &ops.input_strides, &ops.concrete_inputs,
          &ops.call_stack, &ops.module_hierarchy})
        test_column(trace, ops.slice, *column, test);
    const Collectives& collectives = trace.collectives;
    for (const Column<StringId>* column :
         {&collectives.name, &collectives.dtype, &collectives.group_name, &collectives.group_ranks,
          &collectives.group_description, &collectives.in_split, &collectives.out_split})
        test_column(trace, collectives.slice, *column, test);
    test_column(trace, trace.synchronisations.slice, trace.synchronisations.kind, test);
}

bool lane_holds(const Trace& trace, const Lane& lane, const SearchTerm& term) {
    const auto same = [&](StringId text) {
        const std::string_view id = trace.strings[text];
        return id.size() == term.text.size() && holds_text(id, term.text);
    };
    const Process& process = trace.processes[lane.process];
    switch (term.kind) {
        case TermKind::lane:
            return holds_text(trace.strings[lane.name], term.text);
        case TermKind::thread:
            return lane.kind != LaneKind::stream && lane.kind != LaneKind::samples &&
                   lane.kind != LaneKind::replay && same(lane.tid);
        case TermKind::stream:
            return lane.kind == LaneKind::stream && same(lane.tid);
        default:
            return same(process.pid) || same(process.name);
    }
}

Test make_test(const Trace& trace, const SearchTerm& term, unsigned workers) {
    Test test;
    test.term = &term;
    switch (term.kind) {
        case TermKind::text:
        case TermKind::pattern:
            test_texts(trace, workers, test);
            test_categories(trace, test);
            test_arguments(trace, test);
            break;
        case TermKind::name:
            test_texts(trace, workers, test);
            break;
        case TermKind::category:
            test_categories(trace, test);
            break;
        case TermKind::lane:
        case TermKind::thread:
        case TermKind::process:
        case TermKind::stream:
            for (const Lane& lane : trace.lanes)
                test.lanes.push_back(static_cast<uint8_t>(lane_holds(trace, lane, term)));
            break;
        case TermKind::arguments:
        case TermKind::duration:
        case TermKind::event_class:
            break;
    }
    return test;
}

// The bits of up to 64 slices [begin, begin + count) of a chunk.
template <typename Holds>
uint64_t bits_of(uint32_t begin, uint32_t count, const Holds& holds) {
    uint64_t bits = 0;
    for (uint32_t i = 0; i < count; ++i) bits |= uint64_t{holds(begin + i)} << i;
    return bits;
}

uint64_t ask(const Trace& trace, const Test& test, const Chunk& chunk, uint32_t begin,
             uint32_t count) {
    const SearchTerm& term = *test.term;
    if (term.kind == TermKind::duration)
        return bits_of(begin, count, [&](uint32_t i) {
            return chunk.duration[i] >= term.min && chunk.duration[i] <= term.max;
        });
    if (term.kind == TermKind::event_class)
        return bits_of(begin, count, [&](uint32_t i) {
            return trace.event_class(chunk.name[i], chunk.category[i]) == term.event_class;
        });
    if (test.texts.empty())
        return bits_of(begin, count,
                       [&](uint32_t i) { return test.categories[chunk.category[i]] != 0; });
    if (test.categories.empty())
        return bits_of(begin, count, [&](uint32_t i) { return test.texts[chunk.name[i]] != 0; });
    return bits_of(begin, count, [&](uint32_t i) {
        return (test.texts[chunk.name[i]] | test.categories[chunk.category[i]]) != 0;
    });
}

class LaneSearch {
  public:
    LaneSearch(const Trace& trace, const std::vector<Test>& tests, std::optional<TimeRange> range)
        : trace_(trace), tests_(tests), range_(range) {}

    // Fills the words [first, last) of the lane.
    void fill(LaneId id, uint32_t first, uint32_t last, std::vector<uint64_t>& bits) const {
        for (uint32_t word = first; word < last; ++word) bits[word] = word_of(id, word);
    }

  private:
    uint64_t word_of(LaneId id, uint32_t word) const {
        const Lane& lane = trace_.lanes[id];
        const uint32_t begin = word * 64;
        const uint32_t count = std::min<uint32_t>(64, lane.slice_count - begin);
        uint64_t found = count == 64 ? ~uint64_t{0} : (uint64_t{1} << count) - 1;
        for (const Test& test : tests_) {
            if (found == 0) break;
            uint64_t holds = 0;
            if (!test.lanes.empty()) {
                holds = test.lanes[id] ? ~uint64_t{0} : 0;
            } else {
                holds = over_chunks(lane, begin, count,
                                    [&](const Chunk& chunk, uint32_t at, uint32_t size) {
                                        return ask(trace_, test, chunk, at, size);
                                    });
                if (!test.arguments.empty() && !test.arguments[id].empty())
                    holds |= test.arguments[id][word];
            }
            found &= test.term->negated ? ~holds : holds;
        }
        if (range_ && found != 0)
            found &= over_chunks(
                lane, begin, count, [&](const Chunk& chunk, uint32_t at, uint32_t size) {
                    return bits_of(at, size,
                                   [&](uint32_t i) { return range_->contains(chunk.start[i]); });
                });
        return found;
    }

    // A word's 64 slices may be in several chunks.
    template <typename Ask>
    static uint64_t over_chunks(const Lane& lane, uint32_t begin, uint32_t count, const Ask& ask) {
        uint64_t bits = 0;
        for (uint32_t done = 0; done < count;) {
            const auto [chunk, at] = lane.locate(begin + done);
            const uint32_t size = std::min(count - done, chunk->size() - at);
            bits |= ask(*chunk, at, size) << done;
            done += size;
        }
        return bits;
    }

    const Trace& trace_;
    const std::vector<Test>& tests_;
    std::optional<TimeRange> range_;
};

}  // namespace

Matches find_matches(TracePtr trace, const SearchExpression& expression,
                     std::optional<TimeRange> range, unsigned workers) {
    if (workers == 0) workers = std::max(1U, std::thread::hardware_concurrency());
    std::vector<Test> tests;
    for (const SearchTerm& term : expression.terms)
        if (term.kind != TermKind::arguments) tests.push_back(make_test(*trace, term, workers));
    struct Part {
        LaneId lane;
        uint32_t first;
    };
    Matches matches;
    matches.lanes.resize(trace->lanes.size());
    std::vector<Part> parts;
    for (LaneId id = 0; id < trace->lanes.size(); ++id) {
        const uint32_t words = (trace->lanes[id].slice_count + 63) / 64;
        matches.lanes[id].bits.resize(words);
        for (uint32_t first = 0; first < words; first += kWordsAtOnce) parts.push_back({id, first});
    }
    const LaneSearch search(*trace, tests, range);
    parallel_for(workers, parts.size(), [&](std::size_t i) {
        auto& bits = matches.lanes[parts[i].lane].bits;
        const auto last = std::min(bits.size(), std::size_t{parts[i].first} + kWordsAtOnce);
        search.fill(parts[i].lane, parts[i].first, static_cast<uint32_t>(last), bits);
    });
    for (LaneMatches& lane : matches.lanes) {
        lane.seal();
        matches.count += lane.count;
    }
    matches.trace = std::move(trace);
    return matches;
}

}  // namespace lanescope
