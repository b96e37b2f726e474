#include <fmt/format.h>
#include <isa-l/igzip_lib.h>

#include <algorithm>
#include <cstring>

#include "core/source/compressed.h"

namespace lanescope {

namespace {

constexpr std::size_t kInputBytes = std::size_t{64} << 10;
constexpr std::size_t kMaxStep = std::size_t{1} << 30;  // isa-l counts output in 32 bits

class GzipDecompressor final : public Decompressor {
  public:
    GzipDecompressor(std::shared_ptr<InputFile> file, std::shared_ptr<GzipIndex> index)
        : file_(std::move(file)),
          index_(std::move(index)),
          input_(kInputBytes),
          state_(std::make_unique<inflate_state>()) {
        begin_member();
    }

    void resume(const GzipRestart& from) {
        *state_ = *from.state;
        state_->avail_in = 0;
        file_offset_ = from.file_offset;
        text_offset_ = from.text_offset;
    }

    Result<std::size_t> read(char* into, std::size_t bytes) override {
        std::size_t done = 0;
        while (done < bytes && !ended_) {
            if (state_->avail_in == 0) {
                const Result<void> filled = fill();
                if (!filled) return filled.error();
            }
            const Result<std::size_t> step = inflate(into + done, std::min(bytes - done, kMaxStep));
            if (!step) return step.error();
            done += *step;
        }
        const std::size_t more = std::min(bytes - done, rest_.size());
        std::copy_n(rest_.data(), more, into + done);
        rest_.erase(0, more);
        return done + more;
    }

    uint64_t file_bytes_done() const override { return file_offset_ - state_->avail_in; }
    TextEnd end() const override { return end_; }

  private:
    void begin_member() {
        uint8_t* next_in = state_->next_in;
        const uint32_t avail_in = state_->avail_in;
        isal_inflate_init(state_.get());
        state_->crc_flag = ISAL_GZIP;
        state_->next_in = next_in;
        state_->avail_in = avail_in;
    }

    Result<void> fill() {
        const Result<std::size_t> got =
            file_->read_at(file_offset_, reinterpret_cast<char*>(input_.data()), kInputBytes);
        if (!got) return got.error();
        state_->next_in = input_.data();
        state_->avail_in = static_cast<uint32_t>(*got);
        file_offset_ += *got;
        input_ended_ = *got == 0;
        return {};
    }

    Result<std::size_t> inflate(char* into, std::size_t bytes) {
        state_->next_out = reinterpret_cast<uint8_t*>(into);
        state_->avail_out = static_cast<uint32_t>(bytes);
        const int code = isal_inflate(state_.get());
        const std::size_t written = bytes - state_->avail_out;
        text_offset_ += written;
        if (code < 0) {
            // Output that was decoded before the damage and did not fit.
            if (state_->tmp_out_processed < state_->tmp_out_valid)
                rest_.assign(
                    reinterpret_cast<const char*>(state_->tmp_out_buffer) +
                        state_->tmp_out_processed,
                    static_cast<std::size_t>(state_->tmp_out_valid - state_->tmp_out_processed));
            finish(fmt::format("the gzip data is damaged (isa-l code {})", code));
        } else if (state_->block_state == ISAL_BLOCK_FINISH) {
            next_member();
            if (!ended_) keep_restart();
        } else if (written == 0 && input_ended_) {
            finish("the gzip stream is cut short");
        } else {
            keep_restart();
        }
        return written;
    }

    // Gzip files may consist of several streams; zero padding after the last is allowed.
    void next_member() {
        if (state_->avail_in == 0 && !fill()) return finish("the file cannot be read further");
        while (state_->avail_in > 0 && *state_->next_in == 0) {
            ++state_->next_in;
            if (--state_->avail_in == 0 && !fill())
                return finish("the file cannot be read further");
        }
        if (state_->avail_in == 0) {
            ended_ = true;
            return;
        }
        if (*state_->next_in != 0x1f)
            return finish("something that is not gzip follows the gzip stream");
        begin_member();
    }

    void finish(std::string reason) {
        ended_ = true;
        end_ = {true, file_bytes_done(), std::move(reason)};
    }

    void keep_restart() {
        if (!index_ || text_offset_ < next_restart_) return;
        index_->points.push_back(
            {text_offset_, file_bytes_done(), std::make_shared<inflate_state>(*state_)});
        next_restart_ = text_offset_ + GzipIndex::every_bytes;
    }

    std::shared_ptr<InputFile> file_;
    std::shared_ptr<GzipIndex> index_;
    std::vector<uint8_t> input_;
    std::unique_ptr<inflate_state> state_;
    uint64_t file_offset_ = 0;
    uint64_t text_offset_ = 0;
    uint64_t next_restart_ = GzipIndex::every_bytes;
    bool input_ended_ = false;
    bool ended_ = false;
    std::string rest_;  // the remaining text, once the input has ended early
    TextEnd end_;
};

}  // namespace

std::unique_ptr<Decompressor> make_gzip_decompressor(std::shared_ptr<InputFile> file,
                                                     std::shared_ptr<GzipIndex> index) {
    return std::make_unique<GzipDecompressor>(std::move(file), std::move(index));
}

std::unique_ptr<Decompressor> resume_gzip(std::shared_ptr<InputFile> file,
                                          const GzipRestart& from) {
    auto decompressor = std::make_unique<GzipDecompressor>(std::move(file), nullptr);
    decompressor->resume(from);
    return decompressor;
}

}  // namespace lanescope
