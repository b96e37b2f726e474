#include "core/report/timeline_extract.h"

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>
#include <vector>

#include "core/analysis/structure/call_tree.h"
#include "core/analysis/structure/lane_view.h"
#include "core/base/flat_map.h"
#include "core/export/pictures/svg_text.h"
#include "core/export/words/terminal_text.h"
#include "core/report/page_text.h"
#include "core/trace/short_name.h"
#include "core/view/first_arrangement.h"

namespace lanescope {

namespace {

using Json = nlohmann::ordered_json;

constexpr Nanos kSecond = 1'000'000'000;

void put_number(std::string& out, uint64_t value) {
    for (; value > 127; value >>= 7U) out += static_cast<char>((value & 127U) | 128U);
    out += static_cast<char>(value);
}

struct RowSlice {
    Nanos begin = 0;
    Nanos end = 0;
    uint32_t label = 0;
    uint32_t index = SliceRef::no_index;  // in its lane; none: several slices
};

// Names with their class, numbered in order of appearance.
class Labels {
  public:
    explicit Labels(const Trace& trace) : trace_(trace) {}

    uint32_t of(StringId name, EventClass kind) {
        return number(uint64_t{name} << 8U | static_cast<uint8_t>(kind), trace_.strings[name],
                      kind);
    }
    uint32_t of_short(EventClass kind) {
        return number(~uint64_t{0} << 8U | static_cast<uint8_t>(kind), "short slices", kind);
    }
    const Json& list() const { return list_; }

  private:
    uint32_t number(uint64_t key, std::string_view name, EventClass kind) {
        const auto [value, added] = numbers_.try_emplace(key, static_cast<uint32_t>(list_.size()));
        if (!added) return value;
        Json label = {printable(name), static_cast<int>(kind)};
        const std::string shown = printable(short_name(name, kind));
        if (shown != label[0]) label.push_back(shown);
        list_.push_back(std::move(label));
        return value;
    }

    const Trace& trace_;
    FlatMap<uint32_t> numbers_;
    Json list_ = Json::array();
};

class ExtractBuilder {
  public:
    ExtractBuilder(const Trace& trace, TimeRange whole, Nanos shortest)
        : trace_(trace), labels_(trace) {
        extract_.whole = whole;
        extract_.shortest = shortest;
    }

    TimelineExtract take() {
        numbers_of_.resize(trace_.lanes.size());
        // The lanes with which the window opens: GPUs first, lanes without much work last.
        const LaneArrangement lanes = first_arrangement(trace_);
        const std::vector<LaneGroup> groups = lane_groups(trace_, lanes);
        const auto add_all = [&](bool gpus, bool quiet) {
            for (const LaneGroup& group : groups)
                for (const LaneId id : group.lanes)
                    if (group.is_gpu == gpus && lanes.quiet.contains(id) == quiet &&
                        !lanes.hidden.contains(id))
                        add_lane(lanes, group, id);
        };
        add_all(true, false);
        add_all(false, false);
        add_all(true, true);
        add_all(false, true);
        const uint64_t links = add_links();
        Json head;
        head["span"] = trace_.end - trace_.origin;
        head["links"] = links;
        head["classes"] = classes();
        head["labels"] = labels_.list();
        head["lanes"] = std::move(lanes_);
        const std::string text = head.dump(-1, ' ', false, Json::error_handler_t::replace);
        const auto length = static_cast<uint32_t>(text.size());
        for (unsigned byte = 0; byte < 4; ++byte)
            extract_.bytes += static_cast<char>(length >> (8 * byte) & 255U);
        extract_.bytes += text + numbers_;
        extract_.slices = count_;
        return std::move(extract_);
    }

  private:
    static Json classes() {
        Json list = Json::array();
        for (int i = 0; i < kEventClassCount; ++i) {
            const auto kind = static_cast<EventClass>(i);
            list.push_back({{"name", event_class_name(kind)},
                            {"dark", svg_color(slice_fill(Theme::dark, kind))},
                            {"light", svg_color(slice_fill(Theme::light, kind))},
                            {"darkText", svg_color(slice_text(Theme::dark, kind))},
                            {"lightText", svg_color(slice_text(Theme::light, kind))}});
        }
        return list;
    }

    // The window, too, leaves Python frames out of lanes that have other calls.
    bool hides_python(LaneId id, const LaneView& lane) const {
        bool python = false;
        bool others = false;
        for (uint32_t i = 0; i < lane.size(); ++i) {
            const EventClass kind = trace_.event_class({id, i});
            python |= kind == EventClass::python;
            others |= kind == EventClass::op || kind == EventClass::runtime;
            if (python && others) return true;
        }
        return false;
    }

    bool is_left_out(Nanos begin, Nanos end) const {
        return end - begin < extract_.shortest &&
               (extract_.whole.length() <= 0 || end <= extract_.whole.begin ||
                begin >= extract_.whole.end);
    }

    // The rows of a lane. A slice is below the nearest call around it that is shown; one that
    // overlaps its neighbour without being inside it goes to the next free row.
    std::vector<std::vector<RowSlice>> rows_of(LaneId id) {
        const LaneView lane(trace_.lanes[id]);
        const bool no_python = hides_python(id, lane);
        std::vector<uint32_t> order(lane.size());
        for (uint32_t i = 0; i < lane.size(); ++i) order[i] = i;
        std::ranges::stable_sort(order, [&](uint32_t a, uint32_t b) {
            return lane.start(a) != lane.start(b) ? lane.start(a) < lane.start(b)
                                                  : lane.duration(a) > lane.duration(b);
        });
        std::vector<std::vector<RowSlice>> rows;
        std::vector<Nanos> open;  // ends of the calls around, outermost first
        for (const uint32_t i : order) {
            const EventClass kind = trace_.event_class({id, i});
            if (no_python && kind == EventClass::python) continue;
            const RowSlice slice{lane.start(i), lane.end(i), 0, i};
            while (!open.empty() && open.back() <= slice.begin) open.pop_back();
            std::size_t row = open.size();
            open.push_back(slice.end);
            while (row < rows.size() && !rows[row].empty() && rows[row].back().end > slice.begin)
                ++row;
            if (row >= rows.size()) rows.resize(row + 1);
            add_slice(rows[row], slice, lane.name(i), kind);
        }
        return rows;
    }

    void add_slice(std::vector<RowSlice>& row, const RowSlice& slice, StringId name,
                   EventClass kind) {
        if (!is_left_out(slice.begin, slice.end)) {
            row.push_back(slice);
            row.back().label = labels_.of(name, kind);
            return;
        }
        ++extract_.left_out;
        const bool joins = !row.empty() && row.back().index == SliceRef::no_index &&
                           slice.begin - row.back().end < extract_.shortest;
        if (joins)
            row.back().end = slice.end;
        else
            row.push_back({slice.begin, slice.end, labels_.of_short(kind), SliceRef::no_index});
    }

    void add_lane(const LaneArrangement& lanes, const LaneGroup& group, LaneId id) {
        if (trace_.lanes[id].slice_count == 0) return;
        const auto rows = rows_of(id);
        Json counts = Json::array();
        numbers_of_[id].assign(trace_.lanes[id].slice_count, kNoRow);
        for (const std::vector<RowSlice>& row : rows) {
            counts.push_back(row.size());
            Nanos last = trace_.origin;
            for (const RowSlice& slice : row) {
                put_number(numbers_, static_cast<uint64_t>(slice.begin - last));
                put_number(numbers_, static_cast<uint64_t>(slice.end - slice.begin));
                put_number(numbers_, slice.label);
                last = slice.end;
                if (slice.index != SliceRef::no_index) numbers_of_[id][slice.index] = count_;
                ++count_;
            }
        }
        lanes_.push_back({{"id", id},
                          {"name", printable(lane_title(trace_, lanes, id))},
                          {"group", printable(group.name)},
                          {"counts", std::move(counts)}});
    }

    uint32_t number_of(SliceRef slice) const {
        return numbers_of_[slice.lane].empty() ? kNoRow : numbers_of_[slice.lane][slice.index];
    }

    uint64_t add_links() {
        std::vector<std::pair<uint32_t, uint32_t>> links;
        for (const Link& link : trace_.links) {
            const uint32_t from = number_of(link.from);
            const uint32_t to = number_of(link.to);
            if (from != kNoRow && to != kNoRow) links.emplace_back(from, to);
        }
        std::ranges::sort(links);
        uint32_t last = 0;
        for (const auto& [from, to] : links) {
            put_number(numbers_, from - last);
            put_number(numbers_, to);
            last = from;
        }
        return links.size();
    }

    const Trace& trace_;
    Labels labels_;
    TimelineExtract extract_;
    Json lanes_ = Json::array();
    std::string numbers_;
    std::vector<std::vector<uint32_t>> numbers_of_;  // by lane and index
    uint32_t count_ = 0;
};

}  // namespace

TimelineExtract timeline_extract(const Trace& trace, TimeRange whole, Nanos shortest) {
    return ExtractBuilder(trace, whole, shortest).take();
}

TimeRange densest_second(const Trace& trace) {
    constexpr Nanos part = kSecond / 10;
    const auto parts = static_cast<std::size_t>((trace.end - trace.origin) / part + 1);
    // A trace of years has no second that is worth a list of that length.
    if (parts > 10'000'000) return {trace.origin, trace.origin + kSecond};
    std::vector<uint64_t> counts(parts + 10);
    for (LaneId id = 0; id < trace.lanes.size(); ++id) {
        const LaneView lane(trace.lanes[id]);
        for (uint32_t i = 0; i < lane.size(); ++i) {
            const auto at = static_cast<std::size_t>((lane.start(i) - trace.origin) / part);
            ++counts[std::min(at, parts - 1)];
        }
    }
    uint64_t sum = 0;
    for (std::size_t i = 0; i < 10; ++i) sum += counts[i];
    uint64_t most = sum;
    std::size_t best = 0;
    for (std::size_t i = 1; i < parts; ++i) {
        sum += counts[i + 9];
        sum -= counts[i - 1];
        if (sum > most) {
            most = sum;
            best = i;
        }
    }
    const Nanos begin = trace.origin + static_cast<Nanos>(best) * part;
    return {begin, begin + kSecond};
}

PackedExtract packed_extract(const Trace& trace, TimeRange whole, std::size_t max_bytes) {
    const auto pack = [&](TimeRange kept, Nanos shortest) {
        PackedExtract packed{timeline_extract(trace, kept, shortest), {}};
        packed.text = base64(gzipped(packed.extract.bytes));
        return packed;
    };
    PackedExtract best = pack(whole, 0);
    if (best.text.size() <= max_bytes) return best;
    std::vector<Nanos> limits = {1'000};
    while (limits.back() <= trace.end - trace.origin) limits.push_back(limits.back() * 4);
    // The slices in `whole` alone may be too many. Then the second attempt leaves out its short
    // slices too.
    for (const TimeRange kept : {whole, TimeRange{}}) {
        best = pack(kept, limits.back());
        if (best.text.size() > max_bytes) continue;
        // The higher the limit, the fewer slices remain.
        for (std::size_t low = 0, high = limits.size() - 1; low < high;) {
            const std::size_t middle = (low + high) / 2;
            PackedExtract packed = pack(kept, limits[middle]);
            if (packed.text.size() <= max_bytes) {
                best = std::move(packed);
                high = middle;
            } else {
                low = middle + 1;
            }
        }
        return best;
    }
    return best;
}

}  // namespace lanescope
