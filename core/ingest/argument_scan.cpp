#include "core/ingest/argument_scan.h"

#include "core/ingest/json/text_repair.h"

namespace lanescope {

namespace {

class ScanByReader final : public ArgumentScan {
  public:
    ScanByReader(std::unique_ptr<ArgumentReader> reader, uint64_t file_bytes)
        : reader_(std::move(reader)), bytes_(file_bytes) {}

    Result<std::span<const RawArgument>> read(uint64_t source) override {
        Result<std::vector<Argument>> read = reader_->read(source);
        if (!read) return read.error();
        arguments_ = std::move(*read);
        raw_.clear();
        for (const Argument& argument : arguments_)
            raw_.push_back({argument.name, argument.value, argument.is_string, false});
        done_ = source;
        return std::span<const RawArgument>(raw_);
    }
    uint64_t file_bytes_done() const override { return done_; }
    uint64_t file_bytes() const override { return bytes_; }

  private:
    std::unique_ptr<ArgumentReader> reader_;
    uint64_t bytes_;
    uint64_t done_ = 0;
    std::vector<Argument> arguments_;
    std::vector<RawArgument> raw_;
};

}  // namespace

std::vector<Argument> resolved(std::span<const RawArgument> raw) {
    std::vector<Argument> list;
    list.reserve(raw.size());
    for (const RawArgument& one : raw) {
        const bool to_resolve = one.is_string && one.has_escapes;
        list.push_back({one.has_escapes ? repair_text(one.name) : std::string(one.name),
                        to_resolve ? repair_text(one.value) : std::string(one.value),
                        one.is_string});
    }
    return list;
}

std::unique_ptr<ArgumentScan> scan_by_reader(std::unique_ptr<ArgumentReader> reader,
                                             uint64_t file_bytes) {
    return std::make_unique<ScanByReader>(std::move(reader), file_bytes);
}

}  // namespace lanescope
