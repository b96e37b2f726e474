// Reads the arguments of events from the rows of a database.
#pragma once

#include <memory>

#include "core/ingest/argument_scan.h"
#include "core/ingest/sqlite_file/sqlite_file.h"

namespace lanescope {

// Reads the arguments of rows of one database, which is opened at the first read.
class RowArguments {
  public:
    explicit RowArguments(std::shared_ptr<InputFile> input) : input_(std::move(input)) {}
    virtual ~RowArguments() = default;
    RowArguments(const RowArguments&) = delete;
    RowArguments& operator=(const RowArguments&) = delete;

    // `is_single`: a user looks at this event, so the read may take longer. Errors: the file has
    // changed or cannot be read.
    Result<std::vector<Argument>> read(uint64_t source, bool is_single);
    uint64_t bytes_read() const { return file_ ? file_->bytes_read() : 0; }
    uint64_t size() const { return input_->size(); }

  protected:
    const SqliteFile& file() const { return *file_; }

  private:
    // `row`: number of the row, which may not exist.
    virtual std::vector<Argument> arguments_of(const SqliteTable& table, int64_t row,
                                               bool is_single) = 0;

    std::shared_ptr<InputFile> input_;
    std::unique_ptr<SqliteFile> file_;
};

std::unique_ptr<ArgumentReader> reader_of_rows(std::unique_ptr<RowArguments> rows);
std::unique_ptr<ArgumentScan> scan_of_rows(std::unique_ptr<RowArguments> rows);

}  // namespace lanescope
