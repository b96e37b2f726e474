#include "core/overlays/lost_time.h"

#include <algorithm>

#include "core/analysis/work/work_models.h"

namespace lanescope {

namespace {

// Adds `part` of each column's time within [x0, x1).
void spread(std::vector<double>& columns, double x0, double x1, double part) {
    x0 = std::max(x0, 0.0);
    x1 = std::min(x1, static_cast<double>(columns.size()));
    for (auto column = static_cast<std::size_t>(x0); static_cast<double>(column) < x1; ++column) {
        const auto left = static_cast<double>(column);
        columns[column] += (std::min(x1, left + 1) - std::max(x0, left)) * part;
    }
}

}  // namespace

std::vector<float> lost_time(std::span<const std::shared_ptr<const TraceContext>> parts,
                             TimeRange range, uint32_t columns) {
    std::vector<double> sums(columns, 0);
    const double per_nano =
        static_cast<double>(columns) / static_cast<double>(std::max<Nanos>(range.length(), 1));
    std::size_t devices = 0;
    bool known = false;
    for (const auto& context : parts) {
        const Trace& trace = context->trace();
        if (trace.gpu_activities.slice.empty()) continue;
        const WorkModels& models = context->get<WorkModels>();
        devices += models.devices.size();
        for (uint32_t row = 0; row < models.costs.size(); ++row) {
            const SliceRef slice = trace.gpu_activities.slice[row];
            const auto duration = static_cast<double>(trace.duration(slice));
            const double lost = lost_ns(duration, models.costs[row].floor_ns);
            known = known || !std::isnan(lost);
            if (!(lost > 0)) continue;
            const double start = static_cast<double>(trace.start(slice) - range.begin) * per_nano;
            spread(sums, start, start + duration * per_nano, lost / duration);
        }
    }
    if (!known) return {};
    std::vector<float> result(columns);
    for (std::size_t i = 0; i < columns; ++i)
        result[i] = static_cast<float>(
            std::min(1.0, sums[i] / static_cast<double>(std::max<std::size_t>(devices, 1))));
    return result;
}

}  // namespace lanescope
