#include "core/export/tables/text_file.h"

#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace lanescope {

namespace {

constexpr std::size_t kOutputBytes = std::size_t{256} << 10;
constexpr std::size_t kMaxAtOnce = std::size_t{1} << 30;  // isa-l counts input in 32 bits

class PlainFile final : public TextFile {
  public:
    explicit PlainFile(std::unique_ptr<OutputFile> file) : file_(std::move(file)) {}
    Result<void> write(std::string_view text) override { return file_->write(text); }
    Result<void> finish() override { return file_->finish(); }
    const std::string& remark() const override { return file_->remark(); }

  private:
    std::unique_ptr<OutputFile> file_;
};

class GzipFile final : public TextFile {
  public:
    explicit GzipFile(std::unique_ptr<OutputFile> file)
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
    const std::string& remark() const override { return file_->remark(); }

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
                file_->write({output_.data(), output_.size() - stream_.avail_out});
            if (!done) return done.error();
        } while (stream_.avail_out == 0);
        return {};
    }

    std::unique_ptr<OutputFile> file_;
    std::vector<char> output_;
    std::vector<uint8_t> level_;
    isal_zstream stream_ = {};
};

class ZstdFile final : public TextFile {
  public:
    explicit ZstdFile(std::unique_ptr<OutputFile> file)
        : file_(std::move(file)), output_(kOutputBytes), stream_(ZSTD_createCStream()) {}
    Result<void> write(std::string_view text) override { return compress(text, ZSTD_e_continue); }
    Result<void> finish() override {
        if (const Result<void> done = compress("", ZSTD_e_end); !done) return done.error();
        return file_->finish();
    }
    const std::string& remark() const override { return file_->remark(); }

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
            if (const Result<void> done = file_->write({output_.data(), out.pos}); !done)
                return done.error();
            if (how == ZSTD_e_continue && in.pos == in.size) break;
        }
        return {};
    }

    std::unique_ptr<OutputFile> file_;
    std::vector<char> output_;
    std::unique_ptr<ZSTD_CStream, Free> stream_;
};

}  // namespace

bool is_compressed_name(std::string_view path) {
    return path.ends_with(".gz") || path.ends_with(".zst");
}

Result<std::unique_ptr<TextFile>> TextFile::create(const std::string& path, OutputRules rules) {
    if (!is_compressed_name(path)) return create_as_is(path, rules);
    rules.binary = true;
    Result<std::unique_ptr<OutputFile>> file = OutputFile::open(path, rules);
    if (!file) return file.error();
    std::unique_ptr<TextFile> text;
    if (path.ends_with(".gz"))
        text = std::make_unique<GzipFile>(std::move(*file));
    else
        text = std::make_unique<ZstdFile>(std::move(*file));
    return text;
}

Result<std::unique_ptr<TextFile>> TextFile::create_as_is(const std::string& path,
                                                         const OutputRules& rules) {
    Result<std::unique_ptr<OutputFile>> file = OutputFile::open(path, rules);
    if (!file) return file.error();
    std::unique_ptr<TextFile> text = std::make_unique<PlainFile>(std::move(*file));
    return text;
}

}  // namespace lanescope
