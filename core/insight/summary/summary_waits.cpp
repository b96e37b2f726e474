// The part of core/insight/summary/summary.h about waiting calls.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "core/analysis/gpu/synchronisations.h"
#include "core/insight/summary/summary.h"

namespace lanescope {

SummaryWaits summarise_waits(const TraceContext& context, const TableQuery& query) {
    const Trace& trace = context.trace();
    struct OperatorWaits {
        uint64_t calls = 0;
        Nanos total = 0;
        SliceRef op;
    };
    std::map<std::pair<SyncCause, StringId>, OperatorWaits> by_cause;
    SummaryWaits waits;
    for (const Synchronisation& sync :
         query.range ? synchronisations(context, query) : context.get<AllSynchronisations>().rows) {
        const Nanos time = trace.duration(sync.call);
        if (sync.cause == SyncCause::profiler) {
            waits.of_profiler += time;
            if (!waits.longest_of_profiler || time > trace.duration(waits.longest_of_profiler))
                waits.longest_of_profiler = sync.call;
            continue;
        }
        ++(sync.is_copy ? waits.copies : waits.calls);
        (sync.is_copy ? waits.copies_total : waits.calls_total) += time;
        const StringId op = sync.outer_op ? trace.name_id(sync.outer_op) : StringPool::none;
        OperatorWaits& group = by_cause[{sync.cause, op}];
        group.op = sync.outer_op;
        ++group.calls;
        group.total += time;
    }
    for (const auto& [key, group] : by_cause) {
        if (group.total <= waits.largest) continue;
        waits.cause = key.first;
        waits.op = group.op;
        waits.largest_calls = group.calls;
        waits.largest = group.total;
    }
    return waits;
}

}  // namespace lanescope
