// TextSource: the decompressed text of a file as consecutive blocks, for several workers at once.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "core/base/column.h"
#include "core/base/result.h"
#include "core/source/file.h"

namespace lanescope {

// Bytes after a block's text that may be read; their contents are undefined.
inline constexpr std::size_t kTextPadding = 64;

struct TextBlock {
    uint64_t sequence = 0;  // 0, 1, 2 …: the blocks in this order make up the whole text
    uint64_t offset = 0;    // position of the block's first byte in the text
    std::size_t begin = 0;  // the block's text is buffer[begin, end)
    std::size_t end = 0;
    bool last = false;
    Column<char> buffer;  // reused from call to call

    const char* data() const { return buffer.data() + begin; }
    std::size_t size() const { return end - begin; }
};

// Where a text may be cut: the first position in text[from, size) at which a new record seems to
// begin, or `size`. This is a guess, which the reader of the blocks verifies.
using FindCut = std::size_t (*)(const char* text, std::size_t from, std::size_t size);

// How a text ended: complete or truncated, with the position in the file and the reason.
struct TextEnd {
    bool truncated = false;
    uint64_t file_offset = 0;
    std::string reason;
};

class TextSource {
  public:
    virtual ~TextSource() = default;
    // Fills `block` with the next block; false if there are no more. Thread-safe.
    virtual Result<bool> next(TextBlock& block) = 0;
    // Bytes of the file consumed so far. Thread-safe.
    virtual uint64_t file_bytes_done() const = 0;
    // Valid after next() has returned the last block.
    virtual TextEnd end() const = 0;
};

std::unique_ptr<TextSource> make_plain_source(std::shared_ptr<InputFile> file,
                                              std::size_t block_bytes, FindCut find_cut);

// Returns the bytes of a compressed file piece by piece. Not thread-safe.
class Decompressor {
  public:
    virtual ~Decompressor() = default;
    // Reads up to `bytes` more; fewer only if the text ends.
    virtual Result<std::size_t> read(char* into, std::size_t bytes) = 0;
    virtual uint64_t file_bytes_done() const = 0;
    virtual TextEnd end() const = 0;
};

std::unique_ptr<TextSource> make_stream_source(std::unique_ptr<Decompressor> decompressor,
                                               std::size_t block_bytes, FindCut find_cut);

}  // namespace lanescope
