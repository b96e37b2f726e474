#include "core/replays/replay_lanes.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/base/flat_map.h"
#include "core/trace/nesting.h"

namespace lanescope {

namespace {

// The category with a name and class, which is added if there is none.
CategoryId find_category(Trace& trace, std::string_view name, EventClass event_class) {
    for (std::size_t i = 0; i < trace.categories.size(); ++i)
        if (trace.strings[trace.categories[i].name] == name &&
            trace.categories[i].event_class == event_class)
            return static_cast<CategoryId>(i);
    trace.categories.push_back({trace.strings.intern(name), event_class});
    return static_cast<CategoryId>(trace.categories.size() - 1);
}

// The name and category of captured calls, as ids of the trace that gets the lanes.
class Vocabulary {
  public:
    Vocabulary(Trace& trace, const CapturedGraphs& graphs) : trace_(trace), from_(*graphs.trace) {
        for (const CapturedCall& call : graphs.calls) {
            const auto [chunk, i] = from_.lanes[call.slice.lane].locate(call.slice.index);
            names_.push_back(text(chunk->name[i]));
            categories_.push_back(category(chunk->category[i]));
            operators_.push_back(find_row(from_.operators.slice, call.slice));
            collectives_.push_back(find_row(from_.collectives.slice, call.slice));
        }
        add_traits();
    }

    StringId name(uint32_t call) const { return names_[call]; }
    CategoryId category_of(uint32_t call) const { return categories_[call]; }
    bool has_facts(uint32_t call) const {
        return operators_[call] != kNoRow || collectives_[call] != kNoRow;
    }

    // Adds the facts of a captured call as the last rows of the trace's tables. Ids would link
    // them with events of another time, so the ids and numbers of operators are left out.
    void add_facts(SliceRef slice, uint32_t call) {
        add_row<RareTextFact>(trace_.operators, from_.operators, operators_[call], slice);
        add_row<TextFact, NumberFact>(trace_.collectives, from_.collectives, collectives_[call],
                                      slice);
    }

  private:
    // `Copied`: the kinds of facts that are added; all others are unknown.
    template <typename... Copied, typename Table>
    void add_row(Table& to, const Table& from, uint32_t row, SliceRef slice) {
        if (row == kNoRow) return;
        const std::size_t before = to.rows();
        to.slice.push_back(slice);
        for_each_fact(
            [&](auto kind, auto& column, const auto& captured) {
                using Kind = decltype(kind);
                auto value = Kind::none;
                if constexpr ((std::is_same_v<Kind, Copied> || ...))
                    if (!captured.empty()) value = copied(kind, captured[row]);
                if (column.empty() && value == Kind::none && !Kind::in_every_row) return;
                while (column.size() < before) column.push_back(Kind::none);
                column.push_back(value);
            },
            to, from);
    }

    StringId copied(TextFact, StringId id) { return text(id); }
    StringId copied(RareTextFact, StringId id) { return text(id); }
    static int64_t copied(NumberFact, int64_t number) { return number; }

    StringId text(StringId id) {
        if (id == 0) return 0;
        if (texts_.empty()) texts_.assign(from_.strings.size(), 0);
        if (id >= texts_.size()) return trace_.strings.intern(from_.strings[id]);
        if (texts_[id] == 0) texts_[id] = trace_.strings.intern(from_.strings[id]);
        return texts_[id];
    }

    CategoryId category(CategoryId id) {
        return find_category(trace_, from_.strings[from_.categories[id].name],
                             from_.categories[id].event_class);
    }

    void add_traits() {
        for (auto id = static_cast<StringId>(trace_.name_traits.size()); id < trace_.strings.size();
             ++id)
            trace_.name_traits.push_back(traits_of_name(trace_.strings[id]));
        for (const StringId id : names_)
            trace_.name_traits[id] = traits_of_name(trace_.strings[id]);
    }

    Trace& trace_;
    const Trace& from_;
    std::vector<StringId> names_;
    std::vector<CategoryId> categories_;
    std::vector<StringId> texts_;  // by the text's id in the captured trace; 0: not yet asked
    // By call: rows of its own trace's tables; kNoRow: none.
    std::vector<uint32_t> operators_;
    std::vector<uint32_t> collectives_;
};

// A call, or a layer, above a kernel.
struct Above {
    uint64_t key = 0;  // equal for the same call of a replay
    StringId name = 0;
    CategoryId category = 0;
    uint32_t call = kNoRow;  // in CapturedGraphs::calls; kNoRow: a layer

    friend bool operator==(const Above& a, const Above& b) { return a.key == b.key; }
};

// The slices of one lane, made from the kernels of its stream in order of time.
class LaneMaker {
  public:
    LaneMaker(std::vector<Vocabulary>& words, FlatMap<bool>& with_facts)
        : words_(words), with_facts_(with_facts) {}

    // `path`: what is above the kernel, the outermost first.
    void add(const ReplayedKernel& kernel, const std::vector<Above>& path, TimeRange range) {
        std::size_t shared = 0;
        if (kernel.replay == replay_ && kernel.captured.graphs == graphs_)
            while (shared < path.size() && shared < open_.size() &&
                   open_[shared].above == path[shared])
                ++shared;
        close(shared, range.begin);
        replay_ = kernel.replay;
        graphs_ = kernel.captured.graphs;
        for (Open& open : open_) open.end = std::max(open.end, range.end);
        while (open_.size() < path.size()) open_slice(path[open_.size()], range);
        if (path.back().call != kNoRow) innermost_.push_back({kernel.row, open_.back().slice});
    }

    // Ends all slices: nothing is above the next kernel.
    void interrupt(Nanos before) { close(0, before); }

    // Lays the slices out, and adds the lane and its facts to the trace.
    void finish(Trace& trace, LaneId stream) {
        close(0, INT64_MAX);
        if (raw_.size() == 0) return;
        const auto id = static_cast<LaneId>(trace.lanes.size());
        NestingResult nested = nest(std::move(raw_));
        Lane lane;
        lane.kind = LaneKind::replay;
        lane.derived = true;
        lane.process = trace.lanes[stream].process;
        lane.tid = trace.lanes[stream].tid;
        lane.name = trace.strings.intern(kReplayLaneName);
        lane.sort_index = trace.lanes[stream].sort_index;
        lane.slice_count = nested.chunk.size();
        lane.depth_count = static_cast<uint32_t>(nested.chunk.rows.size());
        lane.chunks.push_back(std::make_shared<const Chunk>(std::move(nested.chunk)));
        trace.lanes.push_back(std::move(lane));
        std::vector<uint32_t> facts_at(nested.place.size(), kNoRow);  // by slice: of facts_
        for (uint32_t i = 0; i < facts_.size(); ++i) facts_at[nested.place[facts_[i].slice]] = i;
        for (uint32_t slice = 0; slice < facts_at.size(); ++slice)
            if (facts_at[slice] != kNoRow)
                words_[facts_[facts_at[slice]].graphs].add_facts({id, slice},
                                                                 facts_[facts_at[slice]].call);
        Column<int64_t>& captured = trace.gpu_activities.captured_call;
        if (captured.empty() && !innermost_.empty())
            captured = Column<int64_t>::filled(trace.gpu_activities.rows(), kNoValue);
        for (const Innermost& kernel : innermost_)
            captured[kernel.row] = nested.place[kernel.slice];
    }

  private:
    struct Open {
        Above above;
        uint32_t slice = 0;  // in raw_
        Nanos end = 0;       // of its last kernel
    };
    struct Innermost {
        uint32_t row = 0;    // of Trace::gpu_activities
        uint32_t slice = 0;  // in raw_
    };
    struct Facts {
        uint32_t slice = 0;  // in raw_
        uint32_t graphs = 0;
        uint32_t call = kNoRow;
    };

    void open_slice(const Above& above, TimeRange range) {
        open_.push_back({above, raw_.size(), range.end});
        if (above.call != kNoRow && words_[graphs_].has_facts(above.call) &&
            with_facts_.try_emplace((uint64_t{replay_} << 32U) + above.key, true).second)
            facts_.push_back({raw_.size(), graphs_, above.call});
        raw_.start.push_back(range.begin);
        raw_.duration.push_back(range.length());
        raw_.name.push_back(above.name);
        raw_.category.push_back(above.category);
        raw_.source.push_back(kDerivedSource + raw_.source.size());
    }

    // Closes the slices from a depth on. Kernels of one stream can overlap; the slices above them
    // do not.
    void close(std::size_t depth, Nanos before) {
        while (open_.size() > depth) {
            const Open& open = open_.back();
            raw_.duration[open.slice] = std::min(open.end, before) - raw_.start[open.slice];
            open_.pop_back();
        }
    }

    std::vector<Vocabulary>& words_;
    FlatMap<bool>& with_facts_;  // replays and calls that have facts already
    RawSlices raw_;
    std::vector<Open> open_;
    std::vector<Facts> facts_;
    std::vector<Innermost> innermost_;
    uint32_t replay_ = kNoRow;
    uint32_t graphs_ = kNoRow;
};

// Finds the slices above a kernel: its captured calls or, without any, its layer.
class Paths {
  public:
    Paths(Trace& trace, std::span<const CapturedGraphs> captures)
        : trace_(trace), captures_(captures) {
        words_.reserve(captures.size());
        uint64_t calls = 0;
        for (const CapturedGraphs& graphs : captures) {
            words_.emplace_back(trace, graphs);
            first_call_.push_back(calls);
            calls += graphs.calls.size();
        }
    }

    std::vector<Vocabulary>& words() { return words_; }

    // Valid until the next call. Kernels of one operator follow each other, so their path is kept.
    const std::vector<Above>& above(const ReplayedKernel& kernel) {
        const uint32_t from = kernel.captured.graphs;
        if (from == kNoRow) {
            path_.clear();
            last_ = {};
            if (kernel.layer > 0) path_.push_back(layer(kernel));
            return path_;
        }
        const CapturedGraphs& graphs = captures_[from];
        const Innermost innermost = {from, graphs.launches[kernel.captured.launch].call};
        if (innermost == last_) return path_;
        last_ = innermost;
        path_.clear();
        const Vocabulary& words = words_[from];
        for (uint32_t call = innermost.call; call != kNoRow; call = graphs.calls[call].parent)
            path_.push_back(
                {first_call_[from] + call, words.name(call), words.category_of(call), call});
        std::ranges::reverse(path_);
        return path_;
    }

  private:
    Above layer(const ReplayedKernel& kernel) {
        if (!category_) category_ = find_category(trace_, "repeated_layer", EventClass::other);
        const std::string name = fmt::format("layer {} of {}", kernel.layer, kernel.layers);
        return {kernel.layer, trace_.strings.intern(name), *category_, kNoRow};
    }

    Trace& trace_;
    std::span<const CapturedGraphs> captures_;
    std::vector<Vocabulary> words_;
    std::vector<uint64_t> first_call_;  // by capture: the number of its first call among all
    struct Innermost {
        uint32_t graphs = kNoRow;
        uint32_t call = kNoRow;
        friend bool operator==(const Innermost&, const Innermost&) = default;
    };
    std::optional<CategoryId> category_;  // of layers
    std::vector<Above> path_;
    Innermost last_;  // whose path it is; none: a layer
};

}  // namespace

void add_replay_lanes(Trace& trace, const ReplayedKernels& replayed,
                      std::span<const CapturedGraphs> captures) {
    if (std::ranges::all_of(replayed.kernels, [](const ReplayedKernel& kernel) {
            return kernel.captured.graphs == kNoRow && kernel.layer == 0;
        }))
        return;
    Paths paths(trace, captures);
    std::vector<std::vector<const ReplayedKernel*>> by_lane(trace.lanes.size());
    const auto slice_of = [&](const ReplayedKernel* kernel) {
        return trace.gpu_activities.slice[kernel->row];
    };
    for (const ReplayedKernel& kernel : replayed.kernels)
        by_lane[slice_of(&kernel).lane].push_back(&kernel);
    FlatMap<bool> with_facts;
    for (LaneId stream = 0; stream < by_lane.size(); ++stream) {
        const auto start_of = [&](const ReplayedKernel* kernel) {
            return trace.start(slice_of(kernel));
        };
        if (!std::ranges::is_sorted(by_lane[stream], {}, start_of))
            std::ranges::stable_sort(by_lane[stream], {}, start_of);
        LaneMaker lane(paths.words(), with_facts);
        for (const ReplayedKernel* kernel : by_lane[stream]) {
            const SliceRef slice = slice_of(kernel);
            const std::vector<Above>& path = paths.above(*kernel);
            if (path.empty())
                lane.interrupt(trace.start(slice));
            else
                lane.add(*kernel, path, {trace.start(slice), trace.slice_end(slice)});
        }
        lane.finish(trace, stream);
    }
}

}  // namespace lanescope
