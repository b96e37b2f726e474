// Plain text: every worker reads its own block and a little of the next one, so that the readers of
// both blocks find the same cut. Blocks are read, not mapped: if a file shrinks meanwhile, the
// result is a short read instead of a signal.
#include <algorithm>
#include <atomic>

#include "core/source/text_source.h"

namespace lanescope {

namespace {

constexpr std::size_t kLookAhead = std::size_t{64} << 10;

class PlainSource final : public TextSource {
  public:
    PlainSource(std::shared_ptr<InputFile> file, std::size_t block_bytes, FindCut find_cut)
        : file_(std::move(file)),
          block_bytes_(block_bytes),
          find_cut_(find_cut),
          count_((file_->size() + block_bytes_ - 1) / block_bytes_) {}

    Result<bool> next(TextBlock& block) override {
        const uint64_t number = next_.fetch_add(1);
        if (number >= count_) return false;
        const uint64_t offset = number * block_bytes_;
        const std::size_t requested =
            std::min<uint64_t>(block_bytes_ + kLookAhead, file_->size() - offset);
        block.buffer.renew(block_bytes_ + kLookAhead + kTextPadding);
        const Result<std::size_t> got = file_->read_at(offset, block.buffer.data(), requested);
        if (!got) return got.error();
        std::fill_n(block.buffer.data() + *got, kTextPadding, '\0');
        block.sequence = number;
        block.last = number + 1 == count_;
        block.begin = number == 0 ? 0 : cut_after(block.buffer.data(), 0, *got);
        block.end = block.last ? *got : cut_after(block.buffer.data(), block_bytes_, *got);
        block.offset = offset + block.begin;
        done_.fetch_add(std::min<uint64_t>(block_bytes_, file_->size() - offset));
        if (*got < requested) note_end(offset + *got);
        return true;
    }

    uint64_t file_bytes_done() const override { return done_.load(); }

    TextEnd end() const override {
        const uint64_t at = shorter_at_.load();
        if (at == kNotShorter) return {};
        return {true, at, "the file became shorter while it was read"};
    }

  private:
    static constexpr uint64_t kNotShorter = UINT64_MAX;

    // Keeps the smallest offset: a block beyond the new end only knows its own begin.
    void note_end(uint64_t at) {
        uint64_t known = shorter_at_.load();
        while (at < known && !shorter_at_.compare_exchange_weak(known, at)) {
        }
    }

    // The first cut in the look-ahead from `from`, else `from` itself: the same for both blocks
    // that call it.
    std::size_t cut_after(const char* text, std::size_t from, std::size_t size) const {
        from = std::min(from, size);
        const std::size_t limit = std::min(from + kLookAhead, size);
        const std::size_t cut = find_cut_(text, from, limit);
        return cut == limit ? from : cut;
    }

    std::shared_ptr<InputFile> file_;
    std::size_t block_bytes_;
    FindCut find_cut_;
    uint64_t count_;
    std::atomic<uint64_t> next_{0};
    std::atomic<uint64_t> done_{0};
    std::atomic<uint64_t> shorter_at_{kNotShorter};
};

}  // namespace

std::unique_ptr<TextSource> make_plain_source(std::shared_ptr<InputFile> file,
                                              std::size_t block_bytes, FindCut find_cut) {
    return std::make_unique<PlainSource>(std::move(file), block_bytes, find_cut);
}

}  // namespace lanescope
