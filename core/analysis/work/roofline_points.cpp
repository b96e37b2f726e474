#include "core/analysis/work/roofline_points.h"

#include <algorithm>
#include <map>
#include <tuple>

#include "core/analysis/work/work_models.h"

namespace lanescope {

namespace {

class Roofs {
  public:
    explicit Roofs(const WorkModels& models) : models_(models) {
        for (const ModelDevice& device : models.devices)
            points.devices.push_back({device.name, device.peaks ? device.peaks->memory_bytes_s : 0,
                                      device.peaks.has_value(),
                                      device.peaks && device.peaks->memory_uncertain});
    }

    uint32_t find_or_make(int32_t device, DataType type, Pipe pipe) {
        const auto row = static_cast<uint32_t>(device);
        const auto& peaks = models_.devices[row].peaks;
        const auto rate = peaks ? peaks->rate(type, pipe) : std::nullopt;
        if (!rate) return kNoRow;
        const auto found = std::ranges::find_if(points.roofs, [&](const Roof& roof) {
            return roof.device == row && roof.spec == rate->spec;
        });
        const auto at = static_cast<uint32_t>(found - points.roofs.begin());
        if (found == points.roofs.end())
            points.roofs.push_back({row, rate->spec, rate->per_second, rate->uncertain});
        return at;
    }

    // Sorts roofs from the highest; points keep referring to their roofs.
    void sort() {
        std::vector<uint32_t> order(points.roofs.size());
        for (uint32_t i = 0; i < order.size(); ++i) order[i] = i;
        std::ranges::stable_sort(order, std::greater(),
                                 [&](uint32_t i) { return points.roofs[i].flop_per_s; });
        std::vector<uint32_t> place(order.size());
        std::vector<Roof> sorted;
        for (uint32_t i = 0; i < order.size(); ++i) {
            place[order[i]] = i;
            sorted.push_back(points.roofs[order[i]]);
        }
        points.roofs = std::move(sorted);
        for (RooflinePoint& point : points.points)
            if (point.roof != kNoRow) point.roof = place[point.roof];
    }

    RooflinePoints points;

  private:
    const WorkModels& models_;
};

void place(RooflinePoints& points, RooflinePoint point, double flop, double bytes) {
    if (!(flop > 0) || !(bytes > 0) || point.time <= 0) return;
    point.intensity = flop / bytes;
    point.flop_per_s = flop / static_cast<double>(point.time) * 1e9;
    points.points.push_back(point);
}

void add_operators(const TraceContext& context, const TableQuery& query, Roofs& roofs) {
    const WorkModels& models = context.get<WorkModels>();
    for (const ModelRow& row : model_rows(context, query)) {
        const OperatorCall& call = models.calls[row.call];
        const Work& work = call.modelled.work;
        if (row.device < 0 || work.flops.n == kNoValue || call.modelled.cut) continue;
        const auto calls = static_cast<double>(row.calls);
        RooflinePoint point;
        point.name = call.name;
        point.dims = call.dims;
        point.calls = row.calls;
        point.time = row.kernel_time;
        point.roof = roofs.find_or_make(row.device, row.type, row.pipe);
        point.bound = row.bound;
        point.longest = row.longest;
        place(roofs.points, point, calls * static_cast<double>(work.flops.n),
              calls * static_cast<double>((work.bytes_read + work.bytes_written).n));
    }
}

void add_kernels(const TraceContext& context, const TableQuery& query, Roofs& roofs) {
    const Trace& trace = context.trace();
    const WorkModels& models = context.get<WorkModels>();
    struct Sum {
        RooflinePoint point;
        CostSums costs;
        Nanos longest = -1;
    };
    std::map<std::tuple<StringId, uint32_t>, Sum> sums;
    for (uint32_t row = 0; row < models.costs.size(); ++row) {
        const KernelCost& cost = models.costs[row];
        const SliceRef slice = trace.gpu_activities.slice[row];
        if (cost.why != NoModel::none || cost.flop == kNoValue || cost.flop == 0) continue;
        if (!query.has_work(row, trace.start(slice))) continue;
        uint32_t roof = kNoRow;
        if (cost.instance != kNoRow) {
            const ModelledOperator& op = models.instances[cost.instance];
            roof = roofs.find_or_make(op.device, op.type, op.pipe);
        }
        Sum& sum = sums[{trace.name_id(slice), roof}];
        const Nanos time = trace.duration(slice);
        sum.costs.add(cost, time);
        sum.point.name = trace.name_id(slice);
        sum.point.roof = roof;
        sum.point.calls += 1;
        sum.point.time += time;
        if (time > sum.longest) {
            sum.longest = time;
            sum.point.longest = slice;
        }
    }
    for (auto& [key, sum] : sums) {
        sum.point.bound = sum.costs.bound();
        place(roofs.points, sum.point, static_cast<double>(sum.costs.flop.n),
              static_cast<double>(sum.costs.bytes.n));
    }
}

}  // namespace

RooflinePoints roofline_points(const TraceContext& context, const TableQuery& query,
                               RooflineOf kind) {
    const Trace& trace = context.trace();
    Roofs roofs(context.get<WorkModels>());
    if (kind == RooflineOf::operators)
        add_operators(context, query, roofs);
    else
        add_kernels(context, query, roofs);
    for (uint32_t row = 0; row < trace.gpu_activities.slice.size(); ++row)
        if (const SliceRef slice = trace.gpu_activities.slice[row];
            trace.event_class(slice) != EventClass::memory &&
            query.has_work(row, trace.start(slice)))
            roofs.points.all_time += trace.duration(slice);
    roofs.sort();
    std::ranges::stable_sort(roofs.points.points, std::greater(), &RooflinePoint::time);
    return std::move(roofs.points);
}

double roof_at(const RooflinePoints& points, const Roof& roof, double intensity) {
    const double bytes = points.devices[roof.device].bytes_per_s;
    return bytes > 0 ? std::min(roof.flop_per_s, bytes * intensity) : roof.flop_per_s;
}

}  // namespace lanescope
