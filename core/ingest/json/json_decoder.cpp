// Workers scan blocks as these arrive. The worker that holds the next block in file order passes
// it, and all finished blocks that follow it, to the builder, while the other workers continue to
// scan. The scan of a block is used if the preceding text ended exactly where the block begins;
// otherwise the block is scanned again from the true end of the preceding text.
#include "core/ingest/json/json_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <optional>

#include "core/base/parallel.h"
#include "core/ingest/json/json_document.h"

namespace lanescope {

namespace {

struct ScannedBlock {
    TextBlock text;
    Batch batch;
    ScanOutcome outcome;
    bool scanned = false;
};

constexpr ListPlace kBehindElement{false, false};

// True if the source cut at the end of an element. Any other block is scanned once the preceding
// text is known.
bool begins_after_element(std::string_view text) {
    const auto* first = std::find_if_not(text.begin(), text.end(), is_blank);
    return first != text.end() && *first == ',';
}

class Decoding {
  public:
    Decoding(TextSource& source, TraceBuilder& builder, const std::string& path, unsigned workers,
             LoadProgress* progress, const BetweenBlocks& between_blocks, int64_t time_base)
        : source_(source),
          builder_(builder),
          path_(path),
          workers_(workers),
          progress_(progress),
          between_blocks_(between_blocks),
          document_(builder, path, workers, time_base) {
        for (unsigned worker = 0; worker < workers; ++worker)
            scanners_.emplace_back(true, time_base);
    }

    Result<void> run() {
        parallel_for(workers_, workers_, [this](std::size_t i) { work(static_cast<unsigned>(i)); });
        if (error_) return *error_;
        return document_.finish();
    }

  private:
    void work(unsigned worker) {
        try {
            while (scan_one(worker)) {
            }
        } catch (const std::bad_alloc&) {
            stop({ErrorCode::no_memory, Error::no_offset,
                  fmt::format("{}: there is not enough memory to load it", path_)});
        }
    }

    bool scan_one(unsigned worker) {
        if (progress_ && progress_->cancel.load())
            stop({ErrorCode::cancelled, Error::no_offset,
                  fmt::format("{}: loading was cancelled", path_)});
        std::unique_ptr<ScannedBlock> block = take_spare();
        if (!block) return false;
        const Result<bool> more = source_.next(block->text);
        if (!more) stop(more.error());
        if (!more || !*more) return false;
        std::fill_n(block->text.buffer.data() + block->text.end, kTextPadding, '\0');
        block->batch.clear();
        block->batch.worker = worker;
        block->batch.source_base = block->text.offset;
        const std::string_view text(block->text.data(), block->text.size());
        block->scanned = block->text.sequence > 0 && begins_after_element(text);
        if (block->scanned)
            block->outcome =
                scanners_[worker].scan(text, block->batch, block->text.last, kBehindElement);
        scanners_[worker].hand_over(block->batch);
        return hand_in(std::move(block));
    }

    std::unique_ptr<ScannedBlock> take_spare() {
        const std::scoped_lock lock(mutex_);
        if (error_) return nullptr;
        if (spare_.empty()) return std::make_unique<ScannedBlock>();
        std::unique_ptr<ScannedBlock> block = std::move(spare_.back());
        spare_.pop_back();
        return block;
    }

    bool hand_in(std::unique_ptr<ScannedBlock> block) {
        std::unique_lock lock(mutex_);
        waiting_.emplace(block->text.sequence, std::move(block));
        while (!feeding_ && !error_ && !waiting_.empty() && waiting_.begin()->first == next_) {
            feeding_ = true;
            block = std::move(waiting_.begin()->second);
            waiting_.erase(waiting_.begin());
            lock.unlock();
            Result<void> fed = feed(*block);
            lock.lock();
            if (!fed && !error_) error_ = fed.error();
            ++next_;
            spare_.push_back(std::move(block));
            feeding_ = false;
            changed_.notify_all();
        }
        // Blocks that wait for their turn occupy memory: do not scan far ahead.
        changed_.wait(lock, [this] {
            return error_ || waiting_.size() < 2 * workers_ ||
                   (!feeding_ && waiting_.begin()->first == next_);
        });
        return !error_;
    }

    Result<void> feed(ScannedBlock& block) {
        const std::string_view text(block.text.data(), block.text.size());
        Result<void> result;
        if (block.scanned && document_.inside_events()) {
            builder_.append(block.batch);
            result =
                document_.feed_scanned(text, block.text.offset, block.outcome, block.text.last);
        } else {
            builder_.learn_names(block.batch);
            result = document_.feed(text, block.text.offset, block.text.last);
        }
        if (progress_) {
            progress_->bytes_done.store(source_.file_bytes_done());
            progress_->events.store(builder_.event_count());
        }
        return result && between_blocks_ ? between_blocks_(builder_) : result;
    }

    void stop(Error error) {
        const std::scoped_lock lock(mutex_);
        if (!error_) error_ = std::move(error);
        changed_.notify_all();
    }

    TextSource& source_;
    TraceBuilder& builder_;
    const std::string& path_;
    unsigned workers_;
    LoadProgress* progress_;
    const BetweenBlocks& between_blocks_;
    JsonDocument document_;             // used only by the worker that feeds the builder
    std::deque<JsonScanner> scanners_;  // one for each worker

    std::mutex mutex_;
    std::condition_variable changed_;
    std::map<uint64_t, std::unique_ptr<ScannedBlock>> waiting_;
    std::vector<std::unique_ptr<ScannedBlock>> spare_;
    uint64_t next_ = 0;
    bool feeding_ = false;
    std::optional<Error> error_;
};

}  // namespace

Result<void> decode_json(TextSource& source, TraceBuilder& builder, const std::string& path,
                         unsigned workers, LoadProgress* progress,
                         const BetweenBlocks& between_blocks, int64_t time_base) {
    return Decoding(source, builder, path, workers, progress, between_blocks, time_base).run();
}

}  // namespace lanescope
