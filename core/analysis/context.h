// TraceContext: a trace with the results that several analyses share, computed on first use.
#pragma once

#include <memory>
#include <typeindex>

#include "core/models/device_specs.h"
#include "core/trace/trace.h"

namespace lanescope {

// Thread-safe. Copies share the results and keep them alive.
class TraceContext {
  public:
    // `specs`: null for the built-in ones, which are read on first use.
    explicit TraceContext(TracePtr trace, SpecsBookPtr specs = nullptr);

    const Trace& trace() const;
    const SpecsBook& specs() const;  // what its devices could do

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
