#include "core/view/slice_classes.h"

#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <random>
#include <set>
#include <string>

#include "core/analysis/gpu/step_times.h"
#include "core/analysis/kernels/hotspots.h"
#include "core/analysis/statistics/siblings.h"
#include "core/analysis/structure/steps.h"
#include "core/analysis/work/footprints.h"
#include "core/analysis/work/work_models.h"
#include "core/coloring/color_modes.h"
#include "core/ingest/load.h"
#include "core/trace/join.h"
#include "tests/core/analysis/gpu_trace_maker.h"
#include "tests/core/some_peaks.h"
#include "tests/core/trace_maker.h"

using namespace lanescope;
using lanescope::testing::GpuTraceMaker;
using lanescope::testing::some_peaks;

namespace {

constexpr auto kSample = LANESCOPE_ROOT "/assets/samples/synthetic_step.json.gz";

TracePtr sample() {
    const auto loaded = load_trace(kSample);
    REQUIRE(loaded);
    return *loaded;
}

const SliceClass& class_of(const SliceClasses& classes, const Trace& trace, SliceRef slice) {
    const auto [chunk, i] = trace.lanes[slice.lane].locate(slice.index);
    return classes.classes[classes.slot_of(slice.lane, *chunk, i)];
}

template <typename Visit>
void each_slice(const Trace& trace, const Visit& visit) {
    for (LaneId lane = 0; lane < trace.lanes.size(); ++lane)
        for (uint32_t i = 0; i < trace.lanes[lane].slice_count; ++i) visit(SliceRef{lane, i});
}

SliceRef named(const Trace& trace, std::string_view name) {
    SliceRef found;
    each_slice(trace, [&](SliceRef slice) {
        if (!found && trace.name(slice) == name) found = slice;
    });
    REQUIRE(found);
    return found;
}

}  // namespace

TEST_CASE("colour modes are found by their words, other words are refused") {
    for (const ColorModeName& mode : color_modes()) {
        CHECK(find_color_mode(mode.word) == mode.mode);
        CHECK(color_mode_word(mode.mode) == mode.word);
        CHECK(!mode.about.empty());
    }
    CHECK(color_modes().front().mode == ColorMode::category);
    CHECK(!find_color_mode("rainbow"));
    CHECK(!find_color_mode(""));
}

TEST_CASE("every mode puts every slice into a class, and counts them") {
    const TracePtr trace = sample();
    const TraceContext context(trace);
    for (const ColorModeName& mode : color_modes()) {
        CAPTURE(mode.word);
        const SliceClassesPtr classes = classify_slices(context, mode.mode);
        CHECK(classes->mode == mode.mode);
        REQUIRE(classes->counted);
        REQUIRE(classes->classes.size() <= 256);
        std::map<std::string, uint64_t> counts;
        uint64_t sum = 0;
        each_slice(*trace,
                   [&](SliceRef slice) { ++counts[class_of(*classes, *trace, slice).name]; });
        for (const SliceClass& one : classes->classes) sum += one.count;
        CHECK(sum == trace->slice_count());
        for (const auto& count : counts) {
            uint64_t actual = 0;
            for (const SliceClass& one : classes->classes)
                if (one.name == count.first) actual += one.count;
            CHECK_MESSAGE(actual == count.second, count.first);
        }
        CHECK(classes->bytes() <= trace->slice_count() + 64 * trace->lanes.size());
    }
}

TEST_CASE("category: the classes of events, as in the legend") {
    const TracePtr trace = sample();
    const auto classes = classify_slices(TraceContext(trace), ColorMode::category);
    each_slice(*trace, [&](SliceRef slice) {
        const auto kind = static_cast<std::size_t>(trace->event_class(slice));
        REQUIRE(class_of(*classes, *trace, slice).name == category_classes()[kind].name);
    });
    CHECK(classes->bytes() == 0);
}

TEST_CASE("name: one class for each name, ordered by time; the rest share one") {
    TraceMaker maker;
    maker.process("1", "python");
    std::vector<std::string> names;
    for (int i = 0; i < 300; ++i) names.push_back("name " + std::to_string(i));
    std::vector<TestSlice> row;
    Nanos at = 0;
    for (int i = 0; i < 300; ++i) {
        row.push_back({at, 10 + i, names[static_cast<std::size_t>(i)]});
        at += 1000;
    }
    maker.lane({row});
    const TracePtr trace = maker.finish();
    const auto classes = classify_slices(TraceContext(trace), ColorMode::name);
    REQUIRE(classes->classes.size() == 241);
    CHECK(classes->classes[0].name == "other names");
    CHECK(classes->classes[0].count == 60);
    CHECK(classes->classes[1].name == "name 299");
    CHECK(classes->classes[240].name == "name 60");
    CHECK(class_of(*classes, *trace, named(*trace, "name 60")).name == "name 60");
    CHECK(class_of(*classes, *trace, named(*trace, "name 59")).name == "other names");
}

TEST_CASE("deviation: relative to the median of the same name and category") {
    TraceMaker maker;
    maker.process("1", "python");
    std::vector<TestSlice> row;
    Nanos at = 0;
    const auto add = [&](Nanos duration, std::string_view name, std::string_view category) {
        row.push_back({at, duration, name, category});
        at += duration + 10;
    };
    for (const Nanos duration : {100, 100, 40, 70, 90, 104, 120, 190, 200, 100, 100})
        add(duration, "mm", "cpu_op");
    for (int i = 0; i < 5; ++i) add(1000, "mm", "cuda_runtime");  // another kind
    for (int i = 0; i < 4; ++i) add(10, "rare", "cpu_op");
    for (int i = 0; i < 5; ++i) add(0, "nothing", "cpu_op");
    add(1, "nothing", "cpu_op");
    for (int i = 0; i < 5; ++i)
        add(100 + i, i % 2 == 0 ? "ProfilerStep#1" : "ProfilerStep#2", "user_annotation");
    maker.lane({row});
    const TracePtr trace = maker.finish();
    const auto classes = classify_slices(TraceContext(trace), ColorMode::deviation);
    const auto name_at = [&](uint32_t i) { return class_of(*classes, *trace, {0, i}).name; };
    CHECK(name_at(2) == "less than half the median");
    CHECK(name_at(3) == "0.5 to 0.8 of the median");
    CHECK(name_at(4) == "0.8 to 0.95 of the median");
    CHECK(name_at(0) == "within 5 % of the median");
    CHECK(name_at(5) == "within 5 % of the median");
    CHECK(name_at(6) == "1.05 to 1.25 times");
    CHECK(name_at(7) == "1.25 to 2 times");
    CHECK(name_at(8) == "twice the median or more");
    CHECK(name_at(11) == "within 5 % of the median");
    CHECK(name_at(16) == "fewer than five of that name");
    CHECK(name_at(20) == "within 5 % of the median");
    CHECK(name_at(25) == "twice the median or more");
    CHECK(name_at(26) == "within 5 % of the median");  // all steps are of one name
}

TEST_CASE("deviation agrees with the Statistics panel's siblings") {
    const TracePtr trace = sample();
    const auto classes = classify_slices(TraceContext(trace), ColorMode::deviation);
    std::mt19937_64 random(11);
    std::vector<SliceRef> all;
    each_slice(*trace, [&](SliceRef slice) { all.push_back(slice); });
    for (int i = 0; i < 60; ++i) {
        const SliceRef slice = all[random() % all.size()];
        const auto siblings = siblings_of(*trace, {}, sibling_kind(*trace, slice));
        REQUIRE(siblings);
        const std::string& name = class_of(*classes, *trace, slice).name;
        CAPTURE(name);
        CHECK((siblings->durations.size() < 5) == (name == "fewer than five of that name"));
        const auto& sorted = siblings->durations;
        const std::size_t half = sorted.size() / 2;
        const double median = sorted.size() % 2 == 1
                                  ? static_cast<double>(sorted[half])
                                  : static_cast<double>(sorted[half] + sorted[half - 1]) / 2;
        const double ratio = static_cast<double>(trace->duration(slice)) / median;
        if (name == "twice the median or more") CHECK(ratio >= 2);
        if (name == "less than half the median") CHECK(ratio < 0.5);
        if (name == "within 5 % of the median") CHECK(std::abs(ratio - 1) <= 0.05001);
    }
}

TEST_CASE("step: calls by their start, kernels by their launch") {
    GpuTraceMaker maker;
    for (int step = 0; step < 2; ++step) {
        maker.call("ProfilerStep#" + std::to_string(step + 3), step * 100, 90, 0, 1,
                   "user_annotation");
        maker.call("cudaLaunchKernel", step * 100 + 10, 5, step + 1);
        // The first step's kernel runs during the second step.
        maker.work("kernel_" + std::to_string(step), 120 + step * 30, 20, step + 1);
    }
    maker.call("between", 92, 2, 0, 1, "cpu_op").work("orphan", 300, 10, 99);
    const TracePtr trace = maker.load();
    const auto classes = classify_slices(TraceContext(trace), ColorMode::step);
    const auto name_of = [&](std::string_view name) {
        return class_of(*classes, *trace, named(*trace, name)).name;
    };
    CHECK(name_of("ProfilerStep#3") == "ProfilerStep#3");
    CHECK(name_of("cudaLaunchKernel") == "ProfilerStep#3");
    CHECK(name_of("kernel_0") == "ProfilerStep#3");
    CHECK(name_of("kernel_1") == "ProfilerStep#4");
    CHECK(name_of("between") == "in no step");
    CHECK(name_of("orphan") == "in no step");
}

TEST_CASE("module: the innermost around a call, or around the launch of GPU work") {
    GpuTraceMaker maker;
    maker.call("nn.Module: Block_0", 0, 100, 0, 1, "python_function")
        .call("nn.Module: Linear_0", 10, 50, 0, 1, "python_function")
        .call("aten::mm", 20, 20, 0, 1, "cpu_op")
        .call("cudaLaunchKernel", 25, 5, 1)
        .call("aten::add", 70, 10, 0, 1, "cpu_op")
        .call("aten::outside", 200, 10, 0, 1, "cpu_op")
        .work("gemm", 130, 20, 1)
        .work("orphan", 160, 20, 77);
    const TracePtr trace = maker.load();
    const auto classes = classify_slices(TraceContext(trace), ColorMode::module);
    const auto name_of = [&](std::string_view name) {
        return class_of(*classes, *trace, named(*trace, name)).name;
    };
    CHECK(name_of("nn.Module: Block_0") == "Block_0");
    CHECK(name_of("aten::mm") == "Linear_0");
    CHECK(name_of("cudaLaunchKernel") == "Linear_0");
    CHECK(name_of("gemm") == "Linear_0");
    CHECK(name_of("aten::add") == "Block_0");
    CHECK(name_of("aten::outside") == "in no module");
    CHECK(name_of("orphan") == "in no module");
}

TEST_CASE("occupancy: as in each kernel's footprint") {
    const TracePtr trace = sample();
    const auto classes = classify_slices(TraceContext(trace), ColorMode::occupancy);
    const GpuActivities& gpu = trace->gpu_activities;
    Footprints footprints(*trace);
    std::size_t known = 0;
    for (uint32_t row = 0; row < gpu.slice.size(); ++row) {
        const SliceClass& one = class_of(*classes, *trace, gpu.slice[row]);
        const Occupancy* const occupancy = footprints.footprint_of(row);
        known += occupancy != nullptr;
        const bool memory =
            trace->event_class(trace->gpu_activities.slice[row]) == EventClass::memory;
        REQUIRE((occupancy == nullptr) ==
                (one.role == ClassRole::unknown || (memory && one.name == "no kernel")));
        if (!occupancy) continue;
        CHECK((occupancy->theoretical >= 1) == (one.name == "100 %"));
        CHECK((occupancy->theoretical < 0.1) == (one.name == "under 10 %"));
    }
    CHECK(known > 10);
    // Lanes without kernels need no memory for it.
    CHECK(classes->bytes() < trace->slice_count());
}

TEST_CASE("hotspot: kernels with one name share a class, by their share of all lost time") {
    const TracePtr trace = sample();
    const TraceContext context(trace, some_peaks());
    const auto classes = classify_slices(context, ColorMode::hotspot);
    const Table table = hotspots_table(context, {});
    const std::size_t lost_column = *find_column(kHotspotsTable, "lost_ns");
    double all = 0;
    const auto lost_of = [&](std::size_t row) {
        const Cell cell = table.cell(row, lost_column);
        const auto* const ns = std::get_if<int64_t>(&cell);
        return ns ? static_cast<double>(*ns) : std::nan("");
    };
    for (std::size_t row = 0; row < table.row_count(); ++row)
        if (!std::isnan(lost_of(row))) all += lost_of(row);
    REQUIRE(all > 0);
    constexpr std::array kBorders = {0.01, 0.03, 0.1, 0.2, 0.4};
    constexpr std::array kBandNames = {"under 1 % of all lost time",
                                       "1 to 3 %",
                                       "3 to 10 %",
                                       "10 to 20 %",
                                       "20 to 40 %",
                                       "40 % and more"};
    std::size_t known = 0;
    std::set<std::string> bands;
    for (std::size_t row = 0; row < table.row_count(); ++row) {
        const std::string& name = class_of(*classes, *trace, table.target(row).slice).name;
        const double part = lost_of(row) / all;
        CAPTURE(part);
        CHECK(std::isnan(part) == (name == "unknown: no model or no peaks"));
        known += !std::isnan(part);
        if (std::isnan(part)) continue;
        const auto distance_to_border = [&](double border) { return std::abs(part - border); };
        const double nearest = std::ranges::min(kBorders, {}, distance_to_border);
        if (distance_to_border(nearest) < 1e-4) continue;  // lost_ns is rounded
        const auto band = std::ranges::upper_bound(kBorders, part) - kBorders.begin();
        CHECK(name == kBandNames[static_cast<std::size_t>(band)]);
        bands.insert(name);
    }
    CHECK(bands.size() > 2);
    CHECK(known > 3);
    CHECK(class_of(*classes, *trace, named(*trace, "cudaLaunchKernel")).name == "no GPU work");
}

TEST_CASE("hotspot: if nothing is slower than its floor, every share of lost time is 0") {
    // Reading and writing 10 MB takes 20 µs at 1000 GB/s; the copy claims 1 µs.
    const TracePtr trace = lanescope::testing::loaded(
        R"([{"ph":"X","cat":"gpu_memcpy","name":"Memcpy DtoD","pid":0,"tid":7,)"
        R"("ts":5,"dur":1,"args":{"device":0,"stream":7,"correlation":1,"bytes":10000000}}])");
    const auto classes = classify_slices(TraceContext(trace, some_peaks()), ColorMode::hotspot);
    CHECK(class_of(*classes, *trace, trace->gpu_activities.slice[0]).name ==
          "under 1 % of all lost time");
}

TEST_CASE("bound: kernels as in the models, steps as in their table") {
    const TracePtr trace = sample();
    const TraceContext context(trace, some_peaks());
    const auto classes = classify_slices(context, ColorMode::bound);
    const WorkModels& models = context.get<WorkModels>();
    const GpuActivities& gpu = trace->gpu_activities;
    std::map<std::string, uint64_t> kernels;
    for (uint32_t row = 0; row < gpu.slice.size(); ++row) {
        const std::string& name = class_of(*classes, *trace, gpu.slice[row]).name;
        const std::string_view bound = work_bound_name(models.costs[row].bound);
        CHECK(name.starts_with(bound));
        ++kernels[name];
    }
    CHECK(kernels.size() > 2);
    for (const StepRow& row : step_times(context, {}).rows) {
        const SliceRef slice = context.get<Steps>().all[row.step].slice;
        CHECK(class_of(*classes, *trace, slice)
                  .name.starts_with("step: " + std::string(step_bound_name(row.bound))));
    }
}

TEST_CASE("in joined files, each has its own lost time and bounds") {
    const auto first = load_trace(kSample);
    REQUIRE(first);
    LoadOptions options;
    options.vocabulary = *first;
    const auto second = load_trace(kSample, options);
    REQUIRE(second);
    const auto joined = join_traces({{*first, 0, "first"}, {*second, 1000, "second"}});
    REQUIRE(joined);
    std::vector<std::shared_ptr<const TraceContext>> parts;
    for (const TracePtr& part : joined->parts)
        parts.push_back(std::make_shared<const TraceContext>(part, some_peaks()));
    const auto alone = classify_slices(TraceContext(*first, some_peaks()), ColorMode::hotspot);
    const auto both = classify_joined(joined->whole, parts, ColorMode::hotspot);
    REQUIRE(both->classes.size() == alone->classes.size());
    for (std::size_t slot = 0; slot < alone->classes.size(); ++slot)
        CHECK(both->classes[slot].count == 2 * alone->classes[slot].count);
}

TEST_CASE("traces without steps, modules or GPUs have one class each") {
    TraceMaker maker;
    maker.process("1", "python");
    maker.lane({{{0, 10, "a"}, {20, 10, "b"}}});
    maker.counter({0, 1}, {1, 2});
    const TraceContext context(maker.finish());
    for (const ColorMode mode : {ColorMode::step, ColorMode::module, ColorMode::occupancy,
                                 ColorMode::hotspot, ColorMode::bound, ColorMode::family}) {
        const auto classes = classify_slices(context, mode);
        CHECK(classes->classes[0].count == 2);
        CHECK(classes->bytes() == 0);
    }
    CHECK(classify_slices(TraceContext(TraceMaker().finish()), ColorMode::deviation)->counted);
}

TEST_CASE("by default, colours are by name if categories do not differ") {
    const auto sample = load_trace(kSample);
    REQUIRE(sample);
    CHECK(fitting_color_mode(**sample) == ColorMode::category);
    CHECK(fitting_color_mode(Trace()) == ColorMode::category);
    // One operator among this many others.
    for (const int others : {18, 19}) {
        TraceMaker maker;
        maker.process("1", "test");
        std::vector<TestSlice> slices = {{0, 5, "aten::mm", "cpu_op"}};
        for (int i = 1; i <= others; ++i) slices.push_back({i * 10, 5, "parse", "compiler"});
        maker.lane({slices});
        CHECK(fitting_color_mode(*maker.finish()) ==
              (others == 18 ? ColorMode::category : ColorMode::name));
    }
}
