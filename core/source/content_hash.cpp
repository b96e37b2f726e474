#include "core/source/content_hash.h"

#include <fmt/format.h>
#include <isa-l/crc64.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace lanescope {

namespace {

constexpr uint64_t kEndBytes = uint64_t{1} << 20;

}  // namespace

Result<std::string> content_hash(const InputFile& file) {
    const uint64_t size = file.size();
    const uint64_t head = std::min(size, kEndBytes);
    const uint64_t tail = std::min(size - head, kEndBytes);
    std::vector<char> bytes(head);
    uint64_t crc = 0;
    for (const auto& [offset, count] :
         {std::pair{uint64_t{0}, head}, std::pair{size - tail, tail}}) {
        const Result<std::size_t> got = file.read_at(offset, bytes.data(), count);
        if (!got) return got.error();
        if (*got != count)
            return Error{ErrorCode::damaged, offset + *got,
                         fmt::format("{}: became shorter while it was read", file.path())};
        crc = crc64_ecma_refl(crc, reinterpret_cast<const unsigned char*>(bytes.data()), count);
    }
    return fmt::format("{:016x}", crc);
}

}  // namespace lanescope
