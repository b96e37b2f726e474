// TraceContext: a trace with the results that several analyses share, computed on first use.
#pragma once

#include <memory>
#include <typeindex>

#include "core/analysis/evidence.h"
#include "core/trace/trace.h"

namespace lanescope {

// Thread-safe. Copies share the results and keep them alive. Results depend on the evidence, so a
// context with other evidence computes its own.
class TraceContext {
  public:
    explicit TraceContext(TracePtr trace, Evidence evidence = {});

    const Trace& trace() const;
    const Evidence& evidence() const;

    // T::compute(*this), which may get other results, but neither directly nor indirectly its own.
    // The lookup takes a lock: loops fetch the reference once.
    template <typename T>
    const T& get() const {
        return *static_cast<const T*>(result(typeid(T), [](const TraceContext& context) {
            return std::shared_ptr<const void>(new const T(T::compute(context)));
        }));
    }

  private:
    using Compute = std::shared_ptr<const void> (*)(const TraceContext& context);
    struct Results;

    const void* result(std::type_index type, Compute compute) const;

    std::shared_ptr<Results> results_;
};

}  // namespace lanescope
