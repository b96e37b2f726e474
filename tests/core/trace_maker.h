// Makes small traces for tests: lanes from given or random slices.
#pragma once

#include <algorithm>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "core/trace/trace.h"

namespace lanescope {

struct TestSlice {
    Nanos start = 0;
    Nanos duration = 0;
    std::string_view name = "slice";
    std::string_view category = "cpu_op";
};

class TraceMaker {
  public:
    uint32_t process(std::string_view pid, std::string_view name, bool is_gpu = false) {
        Process process;
        process.pid = trace_->strings.intern(pid);
        process.name = trace_->strings.intern(name);
        process.is_gpu = is_gpu;
        process.device = is_gpu ? 0 : -1;
        trace_->processes.push_back(process);
        return static_cast<uint32_t>(trace_->processes.size() - 1);
    }

    // Adds a lane to the last process; `chunks` follow each other in time.
    LaneId lane(const std::vector<std::vector<TestSlice>>& chunks,
                LaneKind kind = LaneKind::thread) {
        Lane& lane = add_lane(kind);
        for (const auto& slices : chunks) {
            auto chunk = std::make_shared<Chunk>(nest(raw(slices)).chunk);
            chunk->first = lane.slice_count;
            lane.slice_count += chunk->size();
            lane.depth_count =
                std::max(lane.depth_count, static_cast<uint32_t>(chunk->rows.size()));
            lane.chunks.push_back(std::move(chunk));
        }
        return static_cast<LaneId>(trace_->lanes.size() - 1);
    }

    LaneId counter(const std::vector<Nanos>& time, const std::vector<double>& value) {
        auto series = std::make_shared<CounterSeries>();
        series->time = Column<Nanos>::copy_of(time);
        series->value = Column<double>::copy_of(value);
        add_lane(LaneKind::counter).counter = std::move(series);
        return static_cast<LaneId>(trace_->lanes.size() - 1);
    }

    LaneId instants(const std::vector<Nanos>& time) {
        auto marks = std::make_shared<Instants>();
        marks->time = Column<Nanos>::copy_of(time);
        marks->name = Column<StringId>::copy_of(
            std::vector<StringId>(time.size(), trace_->strings.intern("mark")));
        marks->category =
            Column<CategoryId>::copy_of(std::vector<CategoryId>(time.size(), category("mark")));
        marks->source = Column<uint64_t>::copy_of(std::vector<uint64_t>(time.size(), 0));
        add_lane(LaneKind::thread).instants = std::move(marks);
        return static_cast<LaneId>(trace_->lanes.size() - 1);
    }

    Trace& trace() { return *trace_; }
    TracePtr finish() {
        for (StringId id = 0; id < trace_->strings.size(); ++id)
            trace_->name_traits.push_back(traits_of_name(trace_->strings[id]));
        return trace_;
    }

  private:
    Lane& add_lane(LaneKind kind) {
        Lane lane;
        lane.kind = kind;
        lane.process = static_cast<uint32_t>(trace_->processes.size() - 1);
        lane.name = trace_->strings.intern("lane " + std::to_string(trace_->lanes.size()));
        trace_->lanes.push_back(std::move(lane));
        return trace_->lanes.back();
    }

    CategoryId category(std::string_view text) {
        const StringId name = trace_->strings.intern(text);
        auto& categories = trace_->categories;
        for (std::size_t i = 0; i < categories.size(); ++i) {
            if (categories[i].name == name) return static_cast<CategoryId>(i);
        }
        categories.push_back({name, classify_category(text)});
        return static_cast<CategoryId>(categories.size() - 1);
    }

    RawSlices raw(const std::vector<TestSlice>& slices) {
        RawSlices columns;
        columns.start = Column<Nanos>(slices.size());
        columns.duration = Column<Nanos>(slices.size());
        columns.name = Column<StringId>(slices.size());
        columns.category = Column<CategoryId>(slices.size());
        columns.source = Column<uint64_t>(slices.size());
        for (std::size_t i = 0; i < slices.size(); ++i) {
            columns.start[i] = slices[i].start;
            columns.duration[i] = slices[i].duration;
            columns.name[i] = trace_->strings.intern(slices[i].name);
            columns.category[i] = category(slices[i].category);
            columns.source[i] = i;
        }
        return columns;
    }

    std::shared_ptr<Trace> trace_ = std::make_shared<Trace>();
};

// The distribution of a random row's slices.
enum class Spread {
    even,      // alike in length and gap
    heavy,     // lengths and gaps over nine orders of magnitude
    bursts,    // thousands close together, then nothing for a long time
    touching,  // no gaps
    instant,   // many of zero length, some at the same time
};
inline constexpr Spread kSpreads[] = {Spread::even, Spread::heavy, Spread::bursts, Spread::touching,
                                      Spread::instant};

// One row: ascending, without overlaps.
inline std::vector<TestSlice> random_row(std::mt19937_64& random, std::size_t count, Spread spread,
                                         Nanos start) {
    static constexpr std::string_view categories[] = {
        "cpu_op", "python_function", "kernel", "cuda_runtime", "gpu_memcpy", "overhead"};
    static constexpr std::string_view names[] = {"aten::mm", "aten::add", "gemm", "copy"};
    std::uniform_real_distribution<double> unit(0, 1);
    const auto up_to = [&](double limit) { return static_cast<Nanos>(unit(random) * limit); };
    std::vector<TestSlice> row;
    for (std::size_t i = 0; i < count; ++i) {
        Nanos gap = 0;
        Nanos duration = 0;
        switch (spread) {
            case Spread::even:
                gap = up_to(100);
                duration = 100 + up_to(200);
                break;
            case Spread::heavy:
                gap = static_cast<Nanos>(std::pow(10, unit(random) * 9) - 1);
                duration = static_cast<Nanos>(std::pow(10, unit(random) * 9) - 1);
                break;
            case Spread::bursts:
                gap = random() % 3000 == 0 ? up_to(1e10) : up_to(20);
                duration = up_to(50);
                break;
            case Spread::touching:
                duration = 1 + up_to(1000);
                break;
            case Spread::instant:
                gap = random() % 4 == 0 ? 0 : up_to(500);
                duration = random() % 2 == 0 ? 0 : up_to(300);
                break;
        }
        // After a slice of zero length, a longer one at the same time would enclose it.
        if (gap == 0 && duration > 0 && !row.empty() && row.back().duration == 0) gap = 1;
        start += gap;
        row.push_back({start, duration, names[random() % 4], categories[random() % 6]});
        start += duration;
    }
    return row;
}

}  // namespace lanescope
