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
#include "core/sql/argument_store.h"
#include "core/sql/flat_arguments.h"
#include "core/sql/slice_rows.h"
#include "core/trace/trace.h"

namespace lanescope {

// The text lives until the query ends.
using SqlValue = std::variant<std::monostate, int64_t, double, std::string_view>;

// An argument that the trace keeps in columns: of which slices, and their values.
struct KeptColumn {
    const Column<SliceRef>* slices = nullptr;
    const Column<int64_t>* values = nullptr;
};

// Used by one thread at a time. The arguments that were read from the file count towards the
// query's limit of memory, and live until the query ends.
class ArgumentValues {
  public:
    // `is_stopped`: whether the running query must end; asked by several threads.
    ArgumentValues(TracePtr trace, const SliceRows& rows, IsStopped is_stopped);
    ~ArgumentValues();
    ArgumentValues(const ArgumentValues&) = delete;
    ArgumentValues& operator=(const ArgumentValues&) = delete;

    // One key of one query; see key().
    class Key;
    // Finds or adds a key such as "args.correlation". Valid until the query ends. Null: the query
    // has too many keys to keep one more; ask for its values by name.
    Key* key(std::string_view name);
    // The value of a row; null if it has no such argument. Reads the file unless the trace keeps
    // the argument: single events at first, then all of them in one pass. Errors: the file has
    // changed, or cannot be read; `cancelled`.
    Result<SqlValue> value(Key& key, uint32_t id);
    Result<ArgumentValue> value(std::string_view name, uint32_t id);
    // All arguments of a row, or at least those in which a key lies. Read from the file as for
    // value().
    Result<std::vector<FlatArgument>> arguments(uint32_t id, std::string_view key = {});
    // Frees the arguments that were read for a query.
    void end_query();

    const IsStopped& is_stopped() const { return is_stopped_; }

  private:
    // The arguments in which one key lies, or all.
    struct Stored {
        uint32_t reads = 0;
        std::optional<ArgumentStore> store;  // once there were many reads
    };

    Result<std::vector<Argument>> read_one(uint32_t id);
    Result<std::vector<Argument>> raw_arguments(uint32_t id, std::string_view key);
    Result<void> read_all(Key& key);
    Result<void> read_part(Key& key, const std::vector<EventPlace>& places, std::size_t begin,
                           std::size_t end);

    TracePtr trace_;
    const SliceRows& rows_;
    IsStopped is_stopped_;
    uint32_t single_reads_;  // of a key, or of all; from then on, one pass reads all
    std::unique_ptr<ArgumentReader> reader_;
    std::map<std::string, std::unique_ptr<Key>, std::less<>> keys_;
    uint32_t keys_read_ = 0;  // of them in passes over the file
    uint32_t reads_of_keys_ = 0;
    std::map<std::string, Stored, std::less<>> stored_;
};

}  // namespace lanescope
