// A table in Arrow's C data interface (https://arrow.apache.org/docs/format/CStreamInterface.html),
// which pandas, Polars, DuckDB and others take without copying.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/base/result.h"
#include "core/table/table.h"

struct ArrowArrayStream;

namespace lanescope {

enum class ArrowTexts : uint8_t {
    plain,       // utf8
    dictionary,  // int32 indices into utf8; each text is stored once
};

struct ArrowLayout {
    ArrowTexts texts = ArrowTexts::dictionary;
    std::size_t batch_rows = 0;  // 0: all rows are one batch
};

// Whole numbers are int64, other numbers float64, lists list<int64>; unknown values are null. Bytes
// that are not UTF-8 are replaced. The metadata of a column has its unit and its definition, that
// of the schema the table's name. `stream` receives a stream that its owner releases; it copies
// what it needs of the table. Errors: no memory, or more than 2 GiB of texts in a batch.
Result<void> make_arrow_stream(const Table& table, const ArrowLayout& layout,
                               ArrowArrayStream* stream);

}  // namespace lanescope
