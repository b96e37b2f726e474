#include "core/analysis/context.h"

#include <map>
#include <mutex>
#include <utility>

namespace lanescope {

struct TraceContext::Results {
    struct Result {
        std::once_flag once;
        std::shared_ptr<const void> value;
    };

    Results(TracePtr of_trace, SpecsBookPtr of_specs)
        : trace(std::move(of_trace)), specs(std::move(of_specs)) {}

    Result& result_for(std::type_index type) {
        const std::scoped_lock lock(mutex);
        return by_type[type];
    }

    const TracePtr trace;
    const SpecsBookPtr specs;
    std::mutex mutex;  // protects the map; its elements stay in place
    std::map<std::type_index, Result> by_type;
};

TraceContext::TraceContext(TracePtr trace, SpecsBookPtr specs)
    : results_(std::make_shared<Results>(std::move(trace), std::move(specs))) {}

const Trace& TraceContext::trace() const {
    return *results_->trace;
}

const SpecsBook& TraceContext::specs() const {
    return results_->specs ? *results_->specs : *built_in_specs();
}

// The lock is not held while a result is computed, so that it can get others.
const void* TraceContext::result(std::type_index type, Compute compute) const {
    Results::Result& result = results_->result_for(type);
    std::call_once(result.once, [&] { result.value = compute(*this); });
    return result.value.get();
}

}  // namespace lanescope
