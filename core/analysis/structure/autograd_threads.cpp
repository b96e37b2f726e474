#include "core/analysis/structure/autograd_threads.h"

#include <algorithm>

namespace lanescope {

bool is_backward_node(std::string_view name) {
    if (name.starts_with("autograd::engine::")) return true;
    if (name.find(':') != std::string_view::npos) return false;
    while (!name.empty() && name.back() >= '0' && name.back() <= '9') name.remove_suffix(1);
    return name.ends_with("Backward");
}

std::vector<Runs> what_lanes_run(const Trace& trace) {
    std::vector<Runs> runs(trace.lanes.size(), Runs::no_operators);
    const Operators& ops = trace.operators;
    std::vector<bool> backward_name;
    if (ops.forward_thread.empty()) {
        backward_name.resize(trace.strings.size());
        for (StringId id = 0; id < backward_name.size(); ++id)
            backward_name[id] = is_backward_node(trace.strings[id]);
    }
    for (uint32_t row = 0; row < ops.slice.size(); ++row) {
        Runs& of_lane = runs[ops.slice[row].lane];
        const bool backward =
            ops.forward_thread.empty()
                ? backward_name[trace.name_id(ops.slice[row])]
                : ops.forward_thread[row] != kNoValue && ops.forward_thread[row] != 0;
        of_lane = std::max(of_lane, backward ? Runs::backward : Runs::operators);
    }
    return runs;
}

}  // namespace lanescope
