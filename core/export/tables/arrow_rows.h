// ArrowRows: the arrays of a stream, which several readers share.
#pragma once

#include <cstdint>
#include <memory>

#include "core/base/result.h"

struct ArrowArrayStream;

namespace lanescope {

// Thread-safe.
class ArrowRows {
  public:
    // Takes all arrays of a stream that make_arrow_stream() made, and releases it. Errors: no
    // memory.
    static Result<std::shared_ptr<const ArrowRows>> keep(ArrowArrayStream* stream);

    virtual ~ArrowRows() = default;
    virtual int64_t row_count() const = 0;
    // A stream whose arrays use the memory of these and keep it alive. Errors: no memory.
    virtual Result<void> share(ArrowArrayStream* stream) const = 0;

  protected:
    ArrowRows() = default;
};

}  // namespace lanescope
