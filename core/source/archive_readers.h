// Readers of zip and tar archives, used by visit_archive().
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "core/source/archive.h"

namespace lanescope {

inline constexpr std::size_t kTarBlock = 512;

// Whether the block is the header of a tar entry with a valid checksum.
bool is_tar_header(std::string_view block);

Result<std::string> visit_zip(const std::shared_ptr<InputFile>& archive, const VisitEntry& visit,
                              const std::atomic<bool>* cancel);
Result<std::string> visit_tar(const std::shared_ptr<InputFile>& archive, Compression compression,
                              const VisitEntry& visit, const std::atomic<bool>* cancel);

// Removes a leading "./" from the entry's name. Refuses the entry if its name leads out of the
// archive or is not printable.
void check_name(ArchiveEntry& entry);

Error archive_error(const InputFile& archive, uint64_t offset, std::string_view what);
Error visit_cancelled(const InputFile& archive);

// The empty content of refused entries.
class NoContent final : public ArchiveContent {
  public:
    Result<std::size_t> read(char*, std::size_t) override { return std::size_t{0}; }
};

}  // namespace lanescope
