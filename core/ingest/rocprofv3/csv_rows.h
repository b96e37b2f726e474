// CsvRows: the rows of a text of comma-separated values, one after another, of any length.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/source/forward_text.h"

namespace lanescope {

enum class CsvRead : uint8_t {
    row,
    cut,  // the text ends within the row
    bad,  // quotes do not match; the row ends at the next line
};

// Reads the row at the beginning of a text; `fields` are without quotes, `used` is the row's
// length with its line end. `is_all`: the text ends where the file does. `cut` of a text that is
// not all: more of it is needed.
CsvRead read_csv_row(std::string_view text, bool is_all, std::vector<std::string>& fields,
                     std::size_t& used);

class CsvRows {
  public:
    CsvRows(std::shared_ptr<InputFile> file, Compression compression)
        : text_(std::move(file), compression) {}

    // False after the last row, or if the file cannot be read: see outcome(). Empty lines are
    // skipped.
    bool next();
    CsvRead state() const { return state_; }
    const std::vector<std::string>& fields() const { return fields_; }
    uint64_t offset() const { return offset_; }
    uint64_t file_bytes_done() const { return text_.file_bytes_done(); }
    const Result<void>& outcome() const { return outcome_; }

  private:
    ForwardText text_;
    std::string_view window_;  // the text from at_ on
    uint64_t at_ = 0;
    uint64_t offset_ = 0;
    CsvRead state_ = CsvRead::row;
    std::vector<std::string> fields_;
    Result<void> outcome_;
};

// The number of a column, whose names are compared without regard to case; -1: there is none.
int csv_column(const std::vector<std::string>& header, std::string_view name);

}  // namespace lanescope
