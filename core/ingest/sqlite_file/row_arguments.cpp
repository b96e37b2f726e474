#include "core/ingest/sqlite_file/row_arguments.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/ingest/sqlite_file/sqlite_trace.h"

namespace lanescope {

namespace {

class ReaderOfRows final : public ArgumentReader {
  public:
    explicit ReaderOfRows(std::unique_ptr<RowArguments> rows) : rows_(std::move(rows)) {}
    Result<std::vector<Argument>> read(uint64_t source) override {
        return rows_->read(source, true);
    }

  private:
    std::unique_ptr<RowArguments> rows_;
};

class ScanOfRows final : public ArgumentScan {
  public:
    explicit ScanOfRows(std::unique_ptr<RowArguments> rows) : rows_(std::move(rows)) {}

    Result<std::span<const RawArgument>> read(uint64_t source) override {
        Result<std::vector<Argument>> read = rows_->read(source, false);
        if (!read) return read.error();
        list_ = std::move(*read);
        raw_.clear();
        for (const Argument& argument : list_)
            raw_.push_back({argument.name, argument.value, argument.is_string, false});
        return std::span<const RawArgument>(raw_);
    }
    uint64_t file_bytes_done() const override {
        return std::min(rows_->bytes_read(), rows_->size());
    }
    uint64_t file_bytes() const override { return rows_->size(); }

  private:
    std::unique_ptr<RowArguments> rows_;
    std::vector<Argument> list_;
    std::vector<RawArgument> raw_;
};

}  // namespace

Result<std::vector<Argument>> RowArguments::read(uint64_t source, bool is_single) {
    if (!input_->unchanged())
        return Error{
            ErrorCode::io, Error::no_offset,
            fmt::format("{}: has changed since it was opened; open it again", input_->path())};
    if (!file_) {
        Result<std::unique_ptr<SqliteFile>> opened = SqliteFile::open(input_);
        if (!opened) return opened.error();
        file_ = std::move(*opened);
    }
    const uint64_t table = source >> kRowBits;
    if (table >= file_->tables().size()) return std::vector<Argument>();
    return arguments_of(file_->tables()[table], static_cast<int64_t>(source % kRowsOfTable),
                        is_single);
}

std::unique_ptr<ArgumentReader> reader_of_rows(std::unique_ptr<RowArguments> rows) {
    return std::make_unique<ReaderOfRows>(std::move(rows));
}

std::unique_ptr<ArgumentScan> scan_of_rows(std::unique_ptr<RowArguments> rows) {
    return std::make_unique<ScanOfRows>(std::move(rows));
}

}  // namespace lanescope
