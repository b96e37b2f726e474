#include "core/sql/row_places.h"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>
#include <utility>

#include "core/trace/join.h"

namespace lanescope {

namespace {

constexpr Nanos kAroundPoint = 5000;  // ns shown before and after a point in time

class PlacedRows final : public RowSource {
  public:
    PlacedRows(Table table, std::vector<QueriedTrace> traces)
        : table_(std::move(table)),
          traces_(std::move(traces)),
          trace_(column("trace")),
          slice_id_(column("slice_id")),
          id_(column("id")),
          ts_(column("ts")),
          dur_(column("dur")),
          start_(column("start_ns")),
          duration_(column("duration_ns")),
          name_(column("name")) {}

    Cell cell(uint32_t item, std::size_t column) const override {
        return table_.cell(item, column);
    }

    RowTarget place(uint32_t item) const override {
        const QueriedTrace* const trace = trace_of(item);
        if (!trace) return {};
        const std::optional<Nanos> begin = begin_of(item, *trace);
        const std::optional<Nanos> length = number(item, dur_ ? dur_ : duration_);
        const auto agrees = [&](SliceRef slice) {
            const std::optional<std::string_view> name = text(item, name_);
            return (!begin || trace->trace->start(slice) == *begin) &&
                   (!length || trace->trace->duration(slice) == *length) &&
                   (!name || trace->trace->strings[trace->trace->name_id(slice)] == *name);
        };
        if (const auto slice = slice_of(item, slice_id_, *trace); slice && agrees(*slice))
            return {*slice, {}};
        if (begin || text(item, name_))
            if (const auto slice = slice_of(item, id_, *trace); slice && agrees(*slice))
                return {*slice, {}};
        if (!begin || !is_in(file_span(*trace->trace), *begin, length.value_or(0))) return {};
        if (length && *length > 0) return {{}, {*begin, *begin + *length}};
        return {{}, {*begin - kAroundPoint, *begin + kAroundPoint}};
    }

  private:
    using Place = std::optional<std::size_t>;  // number of a column, if the table has it

    // A query can call any number `ts`, so that only times of the trace are places.
    static bool is_in(TimeRange span, Nanos begin, Nanos length) {
        return begin <= span.end && begin >= span.begin && length <= span.length();
    }

    Place column(std::string_view key) const { return find_column(table_.spec(), key); }

    std::optional<int64_t> number(uint32_t item, const Place& column) const {
        if (!column) return std::nullopt;
        const Cell cell = table_.cell(item, *column);
        const auto* const value = std::get_if<int64_t>(&cell);
        return value ? std::optional(*value) : std::nullopt;
    }
    std::optional<std::string_view> text(uint32_t item, const Place& column) const {
        if (!column) return std::nullopt;
        const Cell cell = table_.cell(item, *column);
        const auto* const value = std::get_if<std::string_view>(&cell);
        return value ? std::optional(*value) : std::nullopt;
    }
    const QueriedTrace* trace_of(uint32_t item) const {
        if (traces_.size() == 1) return traces_.data();
        const std::optional<std::string_view> name = text(item, trace_);
        if (!name) return nullptr;
        const auto found = std::ranges::find(traces_, *name, &QueriedTrace::name);
        return found == traces_.end() ? nullptr : &*found;
    }
    std::optional<Nanos> begin_of(uint32_t item, const QueriedTrace& trace) const {
        if (ts_) return number(item, ts_);
        const std::optional<Nanos> start = number(item, start_);
        Nanos begin = 0;
        if (!start || __builtin_add_overflow(trace.trace->origin, *start, &begin))
            return std::nullopt;
        return begin;
    }
    std::optional<SliceRef> slice_of(uint32_t item, const Place& column,
                                     const QueriedTrace& trace) const {
        const std::optional<int64_t> id = number(item, column);
        if (!id || *id < 0 || *id >= int64_t{trace.slices->slice_count()}) return std::nullopt;
        return trace.slices->slice_of(static_cast<uint32_t>(*id));
    }

    Table table_;
    std::vector<QueriedTrace> traces_;
    Place trace_, slice_id_, id_, ts_, dur_, start_, duration_, name_;
};

}  // namespace

Table with_row_places(Table table, std::vector<QueriedTrace> traces) {
    std::vector<uint32_t> items(table.row_count());
    std::iota(items.begin(), items.end(), 0U);
    const TableSpec& spec = table.spec();  // lives as long as the rows
    auto rows = std::make_shared<const PlacedRows>(std::move(table), std::move(traces));
    return Table(spec, std::move(items), std::move(rows));
}

}  // namespace lanescope
