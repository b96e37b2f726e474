// Decompressors, and random access to the text of a loaded file.
#pragma once

#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "core/source/sniff.h"
#include "core/source/text_source.h"

struct inflate_state;

namespace lanescope {

// A decoder's state at one position of a gzip text, from which decoding can be resumed.
struct GzipRestart {
    uint64_t text_offset = 0;
    uint64_t file_offset = 0;
    std::shared_ptr<const inflate_state> state;
};

// Restart points sorted by position, so that an event can be read again without decoding all text
// before it. Written by the single decoder of a load, read afterwards.
struct GzipIndex {
    static constexpr uint64_t every_bytes = uint64_t{16} << 20;
    std::vector<GzipRestart> points;
};

// If `index` is not null, restart points are added to it.
std::unique_ptr<Decompressor> make_gzip_decompressor(std::shared_ptr<InputFile> file,
                                                     std::shared_ptr<GzipIndex> index);
// Resumes from a restart point.
std::unique_ptr<Decompressor> resume_gzip(std::shared_ptr<InputFile> file, const GzipRestart& from);
std::unique_ptr<Decompressor> make_zstd_decompressor(std::shared_ptr<InputFile> file);

// Random access to the text of a loaded file. Not thread-safe.
class TextReader {
  public:
    // Without an index, a compressed text is decoded from its start.
    TextReader(std::shared_ptr<InputFile> file, Compression compression,
               std::shared_ptr<const GzipIndex> index);
    // Up to `bytes` at `offset`; fewer only at the end of the text. Errors: the file has changed or
    // is damaged.
    Result<std::string> read(uint64_t offset, std::size_t bytes) const;

  private:
    std::shared_ptr<InputFile> file_;
    Compression compression_;
    std::shared_ptr<const GzipIndex> index_;
};

}  // namespace lanescope
