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

    Results(TracePtr of_trace, Evidence beside_it)
        : trace(std::move(of_trace)), evidence(std::move(beside_it)) {}

    Result& result_for(std::type_index type) {
        const std::scoped_lock lock(mutex);
        return by_type[type];
    }

    const TracePtr trace;
    const Evidence evidence;
    std::mutex mutex;  // protects the map; its elements stay in place
    std::map<std::type_index, Result> by_type;
};

TraceContext::TraceContext(TracePtr trace, Evidence evidence)
    : results_(std::make_shared<Results>(std::move(trace), std::move(evidence))) {}

const Trace& TraceContext::trace() const {
    return *results_->trace;
}

const Evidence& TraceContext::evidence() const {
    return results_->evidence;
}

// The lock is not held while a result is computed, so that it can get others.
const void* TraceContext::result(std::type_index type, Compute compute) const {
    Results::Result& result = results_->result_for(type);
    std::call_once(result.once, [&] { result.value = compute(*this); });
    return result.value.get();
}

}  // namespace lanescope
