// ForwardText: reads a file's text once from beginning to end, piece by piece, for readers that
// need parts of it in ascending order.
#pragma once

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "core/source/compressed.h"

namespace lanescope {

// The bytes of a file in order, decompressed if necessary.
std::unique_ptr<Decompressor> read_in_order(std::shared_ptr<InputFile> file,
                                            Compression compression,
                                            std::shared_ptr<GzipIndex> index = nullptr);

// Not thread-safe. Buffers only what was asked for and one piece of 1 MiB.
class ForwardText {
  public:
    // If `index` is not null, restart points of a gzip text are added to `index`.
    ForwardText(std::shared_ptr<InputFile> file, Compression compression,
                std::shared_ptr<GzipIndex> index = nullptr);

    // The text from `offset` on: at least `bytes` of it, or all that is left. kTextPadding zero
    // bytes follow it. Valid until the next call. `offset` must not be less than in earlier calls.
    // Errors: the file has changed or cannot be read.
    Result<std::string_view> read(uint64_t offset, std::size_t bytes);

    bool at_end() const { return at_end_; }  // no text follows what read() returned
    // How the text ended. Valid after at_end().
    TextEnd end() const { return text_->end(); }
    uint64_t file_bytes_done() const { return text_->file_bytes_done(); }
    uint64_t file_bytes() const { return file_->size(); }

  private:
    void drop(uint64_t offset);

    std::shared_ptr<InputFile> file_;
    std::unique_ptr<Decompressor> text_;
    std::vector<char> buffer_;  // the text from offset_ on is buffer_[begin_, begin_ + size_)
    std::size_t begin_ = 0;
    std::size_t size_ = 0;
    uint64_t offset_ = 0;
    bool at_end_ = false;
};

}  // namespace lanescope
