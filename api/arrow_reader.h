// Reads rows of Arrow streams from any library: integers of any width, and texts.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string_view>

#include "core/base/result.h"

struct ArrowArrayStream;

namespace lanescope {

enum class ArrowType : uint8_t { number, text };

struct WantedColumn {
    std::string_view name;
    ArrowType type = ArrowType::number;
    bool is_required = true;
};

// One row of a batch. `column`: index in the list of wanted columns.
class ArrowRow {
  public:
    virtual ~ArrowRow() = default;
    // Empty: the value is null, or the stream lacks the column.
    virtual std::optional<int64_t> number(std::size_t column) const = 0;
    virtual std::string_view text(std::size_t column) const = 0;  // empty: likewise
};

// Calls visit(row) for each row, and releases the stream. `what`: name of the rows in messages.
// Stops at the first error of `visit`, and returns it.
Result<void> read_arrow(ArrowArrayStream* stream, std::string_view what,
                        std::span<const WantedColumn> wanted,
                        const std::function<Result<void>(const ArrowRow&)>& visit);

}  // namespace lanescope
