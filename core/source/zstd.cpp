#include <fmt/format.h>
#include <zstd.h>

#include <algorithm>

#include "core/source/compressed.h"

namespace lanescope {

namespace {

constexpr std::size_t kStartBytes = 5;
constexpr std::size_t kBlockHeader = 3;

struct FreeStream {
    void operator()(ZSTD_DStream* stream) const { ZSTD_freeDStream(stream); }
};

class ZstdDecompressor final : public Decompressor {
  public:
    explicit ZstdDecompressor(std::shared_ptr<InputFile> file)
        : file_(std::move(file)), input_(ZSTD_DStreamInSize()), stream_(ZSTD_createDStream()) {}

    Result<std::size_t> read(char* into, std::size_t bytes) override {
        ZSTD_outBuffer out{into, bytes, 0};
        while (out.pos < bytes && !ended_) {
            if (in_.pos == in_.size) {
                const Result<std::size_t> got =
                    file_->read_at(file_offset_, input_.data(), input_.size());
                if (!got) return got.error();
                file_offset_ += *got;
                in_ = {input_.data(), *got, 0};
            }
            const bool input_ended = in_.size == 0;
            const bool flushing = flush_first_;
            const std::size_t before = out.pos;
            ZSTD_inBuffer part = in_;
            part.size = std::min(in_.size, in_.pos + step());
            const std::size_t code = ZSTD_decompressStream(stream_.get(), &out, &part);
            in_.pos = part.pos;
            flush_first_ = out.pos == bytes;
            if (ZSTD_isError(code)) {
                finish(fmt::format("the zstd data is damaged ({})", ZSTD_getErrorName(code)));
            } else if (input_ended && !flushing && out.pos == before) {
                if (frame_open_) finish("the zstd stream is cut short");
                ended_ = true;
            } else {
                frame_open_ = code != 0;
                requested_ = code != 0 ? code : kStartBytes;
            }
        }
        return out.pos;
    }

    uint64_t file_bytes_done() const override { return file_offset_ - (in_.size - in_.pos); }
    TextEnd end() const override { return end_; }

  private:
    // The number of input bytes for the next call of the library. A failing call does not report
    // what it has already written. Therefore no call may both produce a block's text and inspect
    // what follows the block: the header of the next block, which the library prefers to read
    // together with a block, is passed separately.
    std::size_t step() const {
        if (flush_first_) return 0;
        return requested_ > kBlockHeader ? requested_ - kBlockHeader : requested_;
    }

    void finish(std::string reason) {
        ended_ = true;
        end_ = {true, file_bytes_done(), std::move(reason)};
    }

    std::shared_ptr<InputFile> file_;
    std::vector<char> input_;
    std::unique_ptr<ZSTD_DStream, FreeStream> stream_;
    ZSTD_inBuffer in_{nullptr, 0, 0};
    uint64_t file_offset_ = 0;
    std::size_t requested_ = kStartBytes;
    bool flush_first_ = false;  // the output buffer was full: the library may hold more text
    bool frame_open_ = false;
    bool ended_ = false;
    TextEnd end_;
};

}  // namespace

std::unique_ptr<Decompressor> make_zstd_decompressor(std::shared_ptr<InputFile> file) {
    return std::make_unique<ZstdDecompressor>(std::move(file));
}

}  // namespace lanescope
