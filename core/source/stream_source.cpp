// Compressed text: the worker that asks for a block decompresses it, one worker at a time, while
// the others scan. Text after the last cut moves to the front of the next block. Memory does not
// grow with the text's size.
#include <algorithm>
#include <atomic>
#include <cstring>
#include <mutex>
#include <thread>
#include <vector>

#include "core/source/text_source.h"

namespace lanescope {

namespace {

// The first block is short, because one worker reads it alone: it begins with the file's head, and
// no worker knows the shapes of events yet.
constexpr std::size_t kFirstBytes = std::size_t{64} << 10;

constexpr int kTries = 1000;  // each takes about half a microsecond

class StreamSource final : public TextSource {
  public:
    StreamSource(std::unique_ptr<Decompressor> decompressor, std::size_t block_bytes,
                 FindCut find_cut)
        : decompressor_(std::move(decompressor)), block_bytes_(block_bytes), find_cut_(find_cut) {}

    Result<bool> next(TextBlock& block) override {
        const std::unique_lock lock = wait_for_turn();
        if (finished_) return false;
        const std::size_t carried = carry_.size();
        const std::size_t whole =
            sequence_ == 0 ? std::min(block_bytes_, kFirstBytes) : block_bytes_;
        // All buffers have the same size, unless more than half of a block was carried over.
        const std::size_t requested = std::max(whole - std::min(whole, carried), (whole + 1) / 2);
        block.buffer.renew(carried + requested + kTextPadding);
        std::copy(carry_.begin(), carry_.end(), block.buffer.data());
        const Result<std::size_t> got =
            decompressor_->read(block.buffer.data() + carried, requested);
        if (!got) return got.error();
        finished_ = *got < requested;
        const std::size_t size = carried + *got;
        std::fill_n(block.buffer.data() + size, kTextPadding, '\0');
        block.sequence = sequence_++;
        block.offset = offset_;
        block.begin = 0;
        block.last = finished_;
        block.end = finished_ ? size : last_cut(block.buffer.data(), size);
        carry_.assign(block.buffer.data() + block.end, block.buffer.data() + size);
        offset_ += block.end;
        done_.store(decompressor_->file_bytes_done());
        return true;
    }

    uint64_t file_bytes_done() const override { return done_.load(); }
    TextEnd end() const override {
        const std::scoped_lock lock(mutex_);
        return decompressor_->end();
    }

  private:
    // Another worker needs a fraction of a millisecond. A worker that sleeps meanwhile wakes up
    // late, and often on the other worker's core.
    std::unique_lock<std::mutex> wait_for_turn() {
        std::unique_lock lock(mutex_, std::try_to_lock);
        for (int i = 0; !lock && i < kTries; ++i) {
            std::this_thread::yield();
            (void)lock.try_lock();
        }
        if (!lock) lock.lock();
        return lock;
    }

    // The last cut near the end of the text; without one, the size of the text.
    std::size_t last_cut(const char* text, std::size_t size) const {
        for (std::size_t stretch = std::size_t{4} << 10;; stretch *= 4) {
            const std::size_t from = size > stretch ? size - stretch : 0;
            std::size_t last = size;
            for (std::size_t at = from; (at = find_cut_(text, at, size)) < size; ++at) last = at;
            if (last < size && last > 0) return last;
            if (from == 0 || stretch > (std::size_t{64} << 10)) return size;
        }
    }

    mutable std::mutex mutex_;
    std::unique_ptr<Decompressor> decompressor_;
    std::size_t block_bytes_;
    FindCut find_cut_;
    std::vector<char> carry_;
    uint64_t sequence_ = 0;
    uint64_t offset_ = 0;
    bool finished_ = false;
    std::atomic<uint64_t> done_{0};
};

}  // namespace

std::unique_ptr<TextSource> make_stream_source(std::unique_ptr<Decompressor> decompressor,
                                               std::size_t block_bytes, FindCut find_cut) {
    return std::make_unique<StreamSource>(std::move(decompressor), block_bytes, find_cut);
}

}  // namespace lanescope
