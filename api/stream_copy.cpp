// The copy of a stream that lanescope_open_stream() reads.
#include <fmt/format.h>

#include <chrono>
#include <vector>

#include "api/opened.h"
#include "core/base/format.h"
#include "core/source/unnamed_file.h"

namespace lanescope {

namespace {

constexpr std::size_t kBlock = std::size_t{1} << 20;

// Asks the caller from time to time whether to go on.
class CopyWatch {
  public:
    CopyWatch(const Watch& watch, uint64_t total) : watch_(watch), total_(total) {}

    bool goes_on(uint64_t done) {
        const auto now = std::chrono::steady_clock::now();
        if (!watch_.progress || now - asked_ < kAskEvery) return true;
        asked_ = now;
        // A stream that is longer than its stated size has no known total.
        return watch_.progress(watch_.user, done, done <= total_ ? total_ : 0) == 0;
    }

  private:
    const Watch& watch_;
    uint64_t total_;
    std::chrono::steady_clock::time_point asked_ = std::chrono::steady_clock::now();
};

Result<void> copy_into(UnnamedFile& file, lanescope_read read, void* read_user, uint64_t size,
                       const Watch& watch) {
    if (const Result<void> fits = file.check_space(size); !fits) return fits.error();
    std::vector<char> block(kBlock);
    CopyWatch asking(watch, size);
    while (true) {
        const int64_t got = read(read_user, block.data(), block.size());
        if (got < 0 || static_cast<std::size_t>(got) > block.size())
            return Error{ErrorCode::io, file.size(), "the stream cannot be read"};
        if (got == 0) break;
        const Result<void> kept = file.append({block.data(), static_cast<std::size_t>(got)});
        if (!kept) return kept.error();
        if (!asking.goes_on(file.size()))
            return Error{ErrorCode::cancelled, Error::no_offset, "cancelled"};
    }
    if (file.size() >= size) return {};
    const auto text = [](uint64_t bytes) { return format_bytes(static_cast<int64_t>(bytes)); };
    return Error{ErrorCode::io, file.size(),
                 fmt::format("the stream ended after {} of {}; read it again", text(file.size()),
                             text(size))};
}

}  // namespace

Result<std::shared_ptr<InputFile>> copy_of_stream(lanescope_read read, void* read_user,
                                                  const StreamOptions& options,
                                                  const Watch& watch) {
    const auto named = [&](const Error& error) {
        return Error{error.code, error.byte_offset,
                     fmt::format("{}: {}", options.name, error.text)};
    };
    const Result<std::unique_ptr<UnnamedFile>> file = UnnamedFile::create(temporary_folder());
    if (!file) return named(file.error());
    const Result<void> copied = copy_into(**file, read, read_user, options.size, watch);
    if (!copied) return named(copied.error());
    return InputFile::of_descriptor(options.name, (*file)->release());
}

}  // namespace lanescope
