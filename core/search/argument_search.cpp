#include "core/search/argument_search.h"

#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <vector>

#include "core/base/json_line.h"
#include "core/ingest/argument_scan.h"
#include "core/ingest/json/text_repair.h"

namespace lanescope {

namespace {

constexpr std::size_t kSlicesAtOnce = std::size_t{1} << 20;
constexpr int kBucketShift = 20;  // positions in the text are counted per megabyte
constexpr std::chrono::milliseconds kReportInterval{200};

struct TextPlace {
    uint64_t source = 0;
    SliceRef slice;
};

// One file of the trace, and its lanes in the trace.
struct SearchedFile {
    std::unique_ptr<ArgumentScan> scan;
    LaneId lane_begin = 0;
    LaneId lane_end = 0;
};

Result<std::vector<SearchedFile>> open_files(const Trace& trace, std::span<const TracePtr> files) {
    std::vector<SearchedFile> opened;
    for (std::size_t i = 0; i < files.size(); ++i) {
        SearchedFile file{open_argument_scan(files[i]), 0, static_cast<LaneId>(trace.lanes.size())};
        if (!file.scan)
            return Error{ErrorCode::unsupported, Error::no_offset,
                         files[i]->path + ": arguments cannot be read back from this file."};
        if (!trace.parts.empty()) {
            file.lane_begin = trace.parts[i].first_lane;
            file.lane_end = file.lane_begin + trace.parts[i].lane_count;
        }
        opened.push_back(std::move(file));
    }
    return opened;
}

// Calls visit(slice, position in the text) for the matches in some lanes.
template <typename Visit>
void each_match(const Matches& matches, LaneId begin, LaneId end, const Visit& visit) {
    for (LaneId id = begin; id < end; ++id) {
        const LaneMatches& lane = matches.lanes[id];
        if (lane.count == 0 || matches.trace->lanes[id].derived) continue;
        for (const auto& chunk : matches.trace->lanes[id].chunks) {
            const uint32_t last = chunk->first + chunk->size();
            for (uint32_t i = lane.next(chunk->first); i < last; i = lane.next(i + 1))
                visit(SliceRef{id, i}, chunk->source[i - chunk->first]);
        }
    }
}

class ArgumentSearch {
  public:
    ArgumentSearch(Matches candidates, const SearchExpression& expression,
                   ArgumentProgress& progress, const std::function<void(Matches)>& on_found)
        : candidates_(std::move(candidates)), progress_(progress), on_found_(on_found) {
        for (const SearchTerm& term : expression.terms)
            if (term.kind == TermKind::arguments) terms_.push_back(&term);
        for (const LaneMatches& lane : candidates_.lanes) bits_.emplace_back(lane.bits.size());
    }

    // Reads positions in order, in batches limited by the memory budget.
    Result<void> read(SearchedFile& file) {
        // Positions in databases are far apart, so only a few of all possible positions are used.
        std::map<std::size_t, std::size_t> in_bucket;
        each_match(candidates_, file.lane_begin, file.lane_end,
                   [&](SliceRef, uint64_t source) { ++in_bucket[source >> kBucketShift]; });
        std::vector<TextPlace> places;
        for (auto at = in_bucket.begin(); at != in_bucket.end() && !progress_.stop;) {
            const std::size_t first = at->first;
            std::size_t last = first;
            for (std::size_t count = 0; at != in_bucket.end(); ++at) {
                count += at->second;
                if (count > kSlicesAtOnce && last > first) break;
                last = at->first + 1;
            }
            collect(file, first, last, places);
            if (const auto done = read(file, places); !done) return done.error();
        }
        bytes_before_ += file.scan->file_bytes();
        if (!progress_.stop) progress_.bytes_done = bytes_before_;
        return {};
    }

    Matches found() const {
        Matches matches;
        matches.trace = candidates_.trace;
        matches.lanes.resize(bits_.size());
        for (std::size_t i = 0; i < bits_.size(); ++i) {
            matches.lanes[i].bits = bits_[i];
            matches.lanes[i].seal();
            matches.count += matches.lanes[i].count;
        }
        return matches;
    }

  private:
    void collect(const SearchedFile& file, std::size_t first, std::size_t last,
                 std::vector<TextPlace>& places) const {
        places.clear();
        each_match(candidates_, file.lane_begin, file.lane_end,
                   [&](SliceRef slice, uint64_t source) {
                       const std::size_t bucket = source >> kBucketShift;
                       if (bucket >= first && bucket < last) places.push_back({source, slice});
                   });
        std::ranges::sort(places, {}, &TextPlace::source);
    }

    Result<void> read(SearchedFile& file, const std::vector<TextPlace>& places) {
        for (std::size_t i = 0; i < places.size() && !progress_.stop; ++i) {
            const auto arguments = file.scan->read(places[i].source);
            if (!arguments) return arguments.error();
            const SliceRef slice = places[i].slice;
            if (holds(*arguments))
                bits_[slice.lane][slice.index / 64] |= uint64_t{1} << (slice.index % 64);
            if (i % 1024 == 0) report_matches(file);
        }
        return {};
    }

    void report_matches(const SearchedFile& file) {
        progress_.bytes_done = bytes_before_ + file.scan->file_bytes_done();
        const auto now = std::chrono::steady_clock::now();
        if (!on_found_ || now < next_report_) return;
        on_found_(found());
        next_report_ = std::chrono::steady_clock::now() + kReportInterval;
    }

    bool holds(std::span<const RawArgument> arguments) {
        return std::ranges::all_of(terms_, [&](const SearchTerm* term) {
            const bool found = std::ranges::any_of(
                arguments, [&](const RawArgument& one) { return holds(*term, one); });
            return found != term->negated;
        });
    }

    bool holds(const SearchTerm& term, const RawArgument& argument) {
        const auto plain = [](std::string_view raw) {
            return raw.find('\\') == std::string_view::npos;
        };
        if (has_line_breaks(argument.value))
            return holds(term, repair_text(argument.name),
                         repair_text(json_on_one_line(argument.value)));
        if (!plain(argument.name) || !plain(argument.value))
            return holds(term, repair_text(argument.name), repair_text(argument.value));
        return holds(term, argument.name, argument.value);
    }

    bool holds(const SearchTerm& term, std::string_view name, std::string_view value) {
        if (holds_text(value, term.text) || holds_text(name, term.text)) return true;
        if (term.text.find('=') == std::string::npos) return false;
        both_.assign(name);
        both_ += '=';
        both_ += value;
        return holds_text(both_, term.text);
    }

    Matches candidates_;  // the slices that match all other terms
    std::vector<const SearchTerm*> terms_;
    std::vector<std::vector<uint64_t>> bits_;  // by lane: the matches found so far
    ArgumentProgress& progress_;
    const std::function<void(Matches)>& on_found_;
    uint64_t bytes_before_ = 0;  // bytes of files that are done
    std::chrono::steady_clock::time_point next_report_ =
        std::chrono::steady_clock::now() + kReportInterval;
    std::string both_;
};

}  // namespace

double ArgumentProgress::part() const {
    const uint64_t total = bytes_total;
    return total == 0 ? 0
                      : std::min(1.0, static_cast<double>(bytes_done) / static_cast<double>(total));
}

bool reads_arguments(const SearchExpression& expression) {
    return std::ranges::any_of(
        expression.terms, [](const SearchTerm& term) { return term.kind == TermKind::arguments; });
}

Result<Matches> search_arguments(const TracePtr& trace, std::span<const TracePtr> files,
                                 const SearchExpression& expression, std::optional<TimeRange> range,
                                 ArgumentProgress& progress,
                                 const std::function<void(Matches)>& on_found) {
    Result<std::vector<SearchedFile>> opened = open_files(*trace, files);
    if (!opened) return opened.error();
    uint64_t total = 0;
    for (const SearchedFile& file : *opened) total += file.scan->file_bytes();
    progress.bytes_total = total;
    ArgumentSearch search(find_matches(trace, expression, range), expression, progress, on_found);
    for (SearchedFile& file : *opened) {
        if (progress.stop) break;
        if (const auto read = search.read(file); !read) return read.error();
    }
    return search.found();
}

}  // namespace lanescope
