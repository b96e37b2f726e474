// ArgumentValues: single arguments of slices by key, for extract_arg() and the table args.
#pragma once

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "core/base/result.h"
#include "core/base/string_pool.h"
#include "core/sql/flat_arguments.h"
#include "core/sql/slice_rows.h"
#include "core/trace/trace.h"

namespace lanescope {

// The text lives until the next query.
using SqlValue = std::variant<std::monostate, int64_t, double, std::string_view>;

// An argument that the trace keeps in columns: of which slices, and their values.
struct KeptColumn {
    const Column<SliceRef>* slices = nullptr;
    const Column<int64_t>* values = nullptr;
};

// Used by one thread at a time.
class ArgumentValues {
  public:
    ArgumentValues(TracePtr trace, const SliceRows& rows);
    ~ArgumentValues();
    ArgumentValues(const ArgumentValues&) = delete;
    ArgumentValues& operator=(const ArgumentValues&) = delete;

    // One key of one query; see key().
    class Key;
    // Finds or adds a key such as "args.correlation". Valid until the next query.
    Key& key(std::string_view name);
    // The value of a row; null if it has no such argument. Reads the file unless the trace keeps
    // the argument: single events at first, then all of them in one pass. Errors: the file has
    // changed, or cannot be read.
    Result<SqlValue> value(Key& key, uint32_t id);
    // All arguments of a row, read from the file.
    Result<std::vector<FlatArgument>> all(uint32_t id);
    // Forgets what was read for the query before.
    void begin_query();

  private:
    Result<void> read_all(Key& key);
    Result<void> read_part(Key& key, const std::vector<std::pair<uint64_t, uint32_t>>& places,
                           std::size_t begin, std::size_t end);

    TracePtr trace_;
    const SliceRows& rows_;
    std::unique_ptr<ArgumentReader> reader_;
    std::map<std::string, std::unique_ptr<Key>, std::less<>> keys_;
};

}  // namespace lanescope
