#include "core/export/text_file.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <utility>
#include <vector>

namespace lanescope {

namespace {

constexpr std::size_t kOutputBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;  // isa-l counts input in 32 bits

// The bytes of the file, in a temporary file beside it until it is complete.
class FileBytes {
  public:
    explicit FileBytes(std::string path)
        : path_(std::move(path)), part_(fmt::format("{}.{}.part", path_, getpid())) {
        fd_ = open(part_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    }
    ~FileBytes() {
        if (fd_ >= 0) close(fd_);
        if (!is_done_) unlink(part_.c_str());
    }
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;

    bool is_open() const { return fd_ >= 0; }
    Error error() const {
        return {ErrorCode::io, Error::no_offset,
                fmt::format("{}: cannot be written: {}", path_, std::strerror(errno))};
    }
    Result<void> write(const char* bytes, std::size_t size) {
        while (size > 0) {
            const ssize_t written = ::write(fd_, bytes, size);
            if (written < 0 && errno == EINTR) continue;
            if (written < 0) return error();
            bytes += written;
            size -= static_cast<std::size_t>(written);
        }
        return {};
    }
    Result<void> finish() {
        const int closed = close(std::exchange(fd_, -1));
        if (closed != 0 || std::rename(part_.c_str(), path_.c_str()) != 0) return error();
        is_done_ = true;
        return {};
    }

  private:
    std::string path_;
    std::string part_;
    int fd_ = -1;
    bool is_done_ = false;
};

class PlainFile final : public TextFile {
  public:
    explicit PlainFile(std::unique_ptr<FileBytes> file) : file_(std::move(file)) {}
    Result<void> write(std::string_view text) override {
        return file_->write(text.data(), text.size());
    }
    Result<void> finish() override { return file_->finish(); }

  private:
    std::unique_ptr<FileBytes> file_;
};

class GzipFile final : public TextFile {
  public:
    explicit GzipFile(std::unique_ptr<FileBytes> file)
        : file_(std::move(file)), output_(kOutputBytes), level_(ISAL_DEF_LVL1_DEFAULT) {
        isal_deflate_init(&stream_);
        stream_.level = 1;
        stream_.level_buf = level_.data();
        stream_.level_buf_size = static_cast<uint32_t>(level_.size());
        stream_.gzip_flag = IGZIP_GZIP;
    }
    Result<void> write(std::string_view text) override {
        for (std::size_t at = 0; at < text.size(); at += kMaxAtOnce)
            if (const Result<void> done = deflate(text.substr(at, kMaxAtOnce)); !done)
                return done.error();
        return {};
    }
    Result<void> finish() override {
        stream_.end_of_stream = 1;
        if (const Result<void> done = deflate(""); !done) return done.error();
        return file_->finish();
    }

  private:
    Result<void> deflate(std::string_view text) {
        const auto* bytes = reinterpret_cast<const uint8_t*>(text.data());
        stream_.next_in = const_cast<uint8_t*>(bytes);  // isa-l only reads it
        stream_.avail_in = static_cast<uint32_t>(text.size());
        do {
            stream_.next_out = reinterpret_cast<uint8_t*>(output_.data());
            stream_.avail_out = static_cast<uint32_t>(output_.size());
            if (isal_deflate(&stream_) != COMP_OK)
                return Error{ErrorCode::io, Error::no_offset, "the text cannot be compressed"};
            const Result<void> done =
                file_->write(output_.data(), output_.size() - stream_.avail_out);
            if (!done) return done.error();
        } while (stream_.avail_out == 0);
        return {};
    }

    std::unique_ptr<FileBytes> file_;
    std::vector<char> output_;
    std::vector<uint8_t> level_;
    isal_zstream stream_ = {};
};

class ZstdFile final : public TextFile {
  public:
    explicit ZstdFile(std::unique_ptr<FileBytes> file)
        : file_(std::move(file)), output_(kOutputBytes), stream_(ZSTD_createCStream()) {}
    Result<void> write(std::string_view text) override { return compress(text, ZSTD_e_continue); }
    Result<void> finish() override {
        if (const Result<void> done = compress("", ZSTD_e_end); !done) return done.error();
        return file_->finish();
    }

  private:
    struct Free {
        void operator()(ZSTD_CStream* stream) const { ZSTD_freeCStream(stream); }
    };
    Result<void> compress(std::string_view text, ZSTD_EndDirective how) {
        ZSTD_inBuffer in = {text.data(), text.size(), 0};
        for (std::size_t left = 1; left != 0 || in.pos < in.size;) {
            ZSTD_outBuffer out = {output_.data(), output_.size(), 0};
            left = ZSTD_compressStream2(stream_.get(), &out, &in, how);
            if (ZSTD_isError(left))
                return Error{ErrorCode::io, Error::no_offset, "the text cannot be compressed"};
            if (const Result<void> done = file_->write(output_.data(), out.pos); !done)
                return done.error();
            if (how == ZSTD_e_continue && in.pos == in.size) break;
        }
        return {};
    }

    std::unique_ptr<FileBytes> file_;
    std::vector<char> output_;
    std::unique_ptr<ZSTD_CStream, Free> stream_;
};

}  // namespace

Result<std::unique_ptr<TextFile>> TextFile::create(const std::string& path) {
    auto file = std::make_unique<FileBytes>(path);
    if (!file->is_open()) return file->error();
    std::unique_ptr<TextFile> text;
    if (path.ends_with(".gz"))
        text = std::make_unique<GzipFile>(std::move(file));
    else if (path.ends_with(".zst"))
        text = std::make_unique<ZstdFile>(std::move(file));
    else
        text = std::make_unique<PlainFile>(std::move(file));
    return text;
}

}  // namespace lanescope
