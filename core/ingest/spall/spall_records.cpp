#include "core/ingest/spall/spall_records.h"

namespace lanescope {

namespace {

constexpr std::size_t kBeginBytes = 20;
constexpr std::size_t kEndBytes = 17;
constexpr std::size_t kPadBytes = 5;

// kind, category, pid, tid, when, length of the name, length of the arguments, and both texts.
SpallRead read_begin(std::string_view text, SpallRecord& record) {
    if (text.size() < kBeginBytes) return SpallRead::cut;
    record.pid = read_spall<uint32_t>(text.data() + 2);
    record.tid = read_spall<uint32_t>(text.data() + 6);
    record.when = read_spall<double>(text.data() + 10);
    const std::size_t name = static_cast<unsigned char>(text[18]);
    const std::size_t arguments = static_cast<unsigned char>(text[19]);
    record.bytes = kBeginBytes + name + arguments;
    if (text.size() < record.bytes) return SpallRead::cut;
    record.name = text.substr(kBeginBytes, name);
    record.arguments = text.substr(kBeginBytes + name, arguments);
    return SpallRead::ok;
}

// kind, pid, tid, when.
SpallRead read_end(std::string_view text, SpallRecord& record) {
    if (text.size() < kEndBytes) return SpallRead::cut;
    record.pid = read_spall<uint32_t>(text.data() + 1);
    record.tid = read_spall<uint32_t>(text.data() + 5);
    record.when = read_spall<double>(text.data() + 9);
    record.bytes = kEndBytes;
    return SpallRead::ok;
}

}  // namespace

std::optional<SpallHeader> read_spall_header(std::string_view text) {
    if (text.size() < kSpallHeaderBytes || !text.starts_with(kSpallMagic)) return std::nullopt;
    return SpallHeader{read_spall<uint64_t>(text.data() + 8), read_spall<double>(text.data() + 16)};
}

SpallRead read_spall_record(std::string_view text, SpallRecord& record) {
    if (text.empty()) return SpallRead::cut;
    record = {};
    record.kind = static_cast<SpallKind>(text[0]);
    switch (record.kind) {
        case SpallKind::begin:
            return read_begin(text, record);
        case SpallKind::end:
            return read_end(text, record);
        case SpallKind::pad:  // kind, and how many bytes to skip behind the record
            if (text.size() < kPadBytes) return SpallRead::cut;
            record.bytes = kPadBytes + uint64_t{read_spall<uint32_t>(text.data() + 1)};
            return SpallRead::ok;
        case SpallKind::stream_over:
            record.bytes = 1;
            return SpallRead::ok;
    }
    return SpallRead::unknown;
}

}  // namespace lanescope
