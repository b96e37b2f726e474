#include "core/sql/span_join.h"

#include <algorithm>
#include <tuple>

namespace lanescope {

namespace {

// The spans of one partition by their begins.
struct SortedSpans {
    std::vector<uint32_t> order;
    std::vector<Nanos> latest_end;  // of the spans up to here, in this order

    void set(const SpanTable& table, std::vector<uint32_t> spans) {
        order = std::move(spans);
        std::ranges::stable_sort(order, {}, [&](uint32_t i) { return table.spans[i].range.begin; });
        latest_end.clear();
        Nanos latest = INT64_MIN;
        for (const uint32_t i : order)
            latest_end.push_back(latest = std::max(latest, table.spans[i].range.end));
    }
    // Calls visit(index) for the spans that overlap the range, by their begins.
    template <typename Visit>
    void overlapping(const SpanTable& table, TimeRange range, const Visit& visit) const {
        const auto first = std::ranges::upper_bound(latest_end, range.begin) - latest_end.begin();
        for (auto i = static_cast<std::size_t>(first); i < order.size(); ++i) {
            const TimeRange other = table.spans[order[i]].range;
            if (other.begin >= range.end) break;
            if (other.overlaps(range)) visit(order[i]);
        }
    }
};

std::vector<int64_t> partitions_of(const SpanTable& left, const SpanTable& right) {
    std::vector<int64_t> partitions;
    for (const SpanTable* const table : {&left, &right})
        if (table->partitioned)
            for (const PartitionedSpan& span : table->spans) partitions.push_back(span.partition);
    if (!left.partitioned && !right.partitioned) partitions.push_back(0);
    std::ranges::sort(partitions);
    partitions.erase(std::unique(partitions.begin(), partitions.end()), partitions.end());
    return partitions;
}

// The indices of a table's spans by partition; of one without partitions, all.
class Parts {
  public:
    explicit Parts(const SpanTable& table) : table_(table), order_(table.spans.size()) {
        for (uint32_t i = 0; i < order_.size(); ++i) order_[i] = i;
        if (table.partitioned)
            std::ranges::stable_sort(order_, {}, [&](uint32_t i) { return partition(i); });
    }
    std::vector<uint32_t> of(int64_t wanted) const {
        if (!table_.partitioned) return order_;
        const auto begin = std::partition_point(order_.begin(), order_.end(),
                                                [&](uint32_t i) { return partition(i) < wanted; });
        const auto end = std::partition_point(begin, order_.end(),
                                              [&](uint32_t i) { return partition(i) <= wanted; });
        return {begin, end};
    }

  private:
    int64_t partition(uint32_t i) const { return table_.spans[i].partition; }

    const SpanTable& table_;
    std::vector<uint32_t> order_;
};

// Adds the parts of `span` at which none of `others` is.
template <typename Add>
void add_alone(const SpanTable& table, const SortedSpans& others, TimeRange span, const Add& add) {
    Nanos free = span.begin;
    others.overlapping(table, span, [&](uint32_t i) {
        const TimeRange other = table.spans[i].range;
        if (other.begin > free) add({free, other.begin});
        free = std::max(free, other.end);
    });
    if (free < span.end) add({free, span.end});
}

}  // namespace

std::optional<std::vector<JoinedSpan>> join_spans(const SpanTable& left, const SpanTable& right,
                                                  SpanJoinKind kind, std::size_t limit) {
    std::vector<JoinedSpan> joined;
    const Parts left_parts(left);
    const Parts right_parts(right);
    SortedSpans lefts;
    SortedSpans rights;
    for (const int64_t partition : partitions_of(left, right)) {
        const std::size_t first = joined.size();
        lefts.set(left, left_parts.of(partition));
        rights.set(right, right_parts.of(partition));
        for (const uint32_t a : lefts.order) {
            const TimeRange span = left.spans[a].range;
            rights.overlapping(right, span, [&](uint32_t b) {
                const TimeRange other = right.spans[b].range;
                joined.push_back(
                    {{std::max(span.begin, other.begin), std::min(span.end, other.end)},
                     partition,
                     a,
                     b});
            });
            if (kind != SpanJoinKind::inner)
                add_alone(right, rights, span, [&](TimeRange range) {
                    joined.push_back({range, partition, a, JoinedSpan::none});
                });
            if (joined.size() > limit) return std::nullopt;
        }
        if (kind == SpanJoinKind::outer)
            for (const uint32_t b : rights.order)
                add_alone(left, lefts, right.spans[b].range, [&](TimeRange range) {
                    joined.push_back({range, partition, JoinedSpan::none, b});
                });
        if (joined.size() > limit) return std::nullopt;
        std::sort(joined.begin() + static_cast<std::ptrdiff_t>(first), joined.end(),
                  [](const JoinedSpan& a, const JoinedSpan& b) {
                      return std::tuple(a.range.begin, a.range.end, a.left, a.right) <
                             std::tuple(b.range.begin, b.range.end, b.left, b.right);
                  });
    }
    return joined;
}

}  // namespace lanescope
