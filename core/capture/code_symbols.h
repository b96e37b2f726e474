// The functions of images, by the symbol tables of their files. elfutils reads these, with the
// debug files that are installed beside them; nothing is fetched.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/capture/code_map.h"
#include "core/capture/spool_format.h"

namespace lanescope {

struct CodeSymbol {
    std::string name;      // as the table has it; empty: not found
    uint64_t address = 0;  // of the place that was asked for
    SpoolAddress address_of = kSpoolFileOffset;
};

class CodeSymbols {
  public:
    CodeSymbols();
    ~CodeSymbols();
    CodeSymbols(const CodeSymbols&) = delete;
    CodeSymbols& operator=(const CodeSymbols&) = delete;

    // The file is looked for once, where the image's process sees it and else where this one does.
    // One whose build id is another is none. `place`: of `image`, which always has this number.
    CodeSymbol find(const CodeImage& image, CodePlace place);

    // Whether this program was built to read symbols at all.
    static bool available();

  private:
    struct Table;
    std::map<uint32_t, std::unique_ptr<Table>> tables_;  // null: cannot be read
};

}  // namespace lanescope
