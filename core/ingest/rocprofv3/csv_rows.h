// CsvRows: iterates over the rows of a CSV text; rows may have any length.
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
    bad,  // unbalanced quotes; the row ends at the next line
};

// Reads the row at the start of a text. `fields`: without quotes. `used`: length of the row with
// its line end. `is_all`: the text ends at the end of the file; if false, the result `cut` means
// that more text is needed.
CsvRead read_csv_row(std::string_view text, bool is_all, std::vector<std::string>& fields,
                     std::size_t& used);

class CsvRows {
  public:
    CsvRows(std::shared_ptr<InputFile> file, Compression compression)
        : text_(std::move(file), compression) {}

    // False after the last row, or if the file cannot be read: see outcome(). Skips empty lines.
    bool next();
    CsvRead state() const { return state_; }
    const std::vector<std::string>& fields() const { return fields_; }
    uint64_t offset() const { return offset_; }
    uint64_t file_bytes_done() const { return text_.file_bytes_done(); }
    const Result<void>& outcome() const { return outcome_; }

  private:
    ForwardText text_;
    std::string_view window_;  // text from at_ on
    uint64_t at_ = 0;
    uint64_t offset_ = 0;
    CsvRead state_ = CsvRead::row;
    std::vector<std::string> fields_;
    Result<void> outcome_;
};

// The index of a column, compared case-insensitively; -1: none.
int csv_column(const std::vector<std::string>& header, std::string_view name);

}  // namespace lanescope
