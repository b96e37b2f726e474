// The functions of images, from the symbol tables of their files. elfutils reads the tables, and
// separate debug files that are installed; nothing is downloaded.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "core/capture/sampling/code_map.h"
#include "core/spool/spool_records.h"

namespace lanescope {

struct CodeSymbol {
    std::string name;  // the name in the table; empty: not found
    // In the image: the place or, if it has no name, the begin of its function as far as known.
    uint64_t address = 0;
    SpoolAddress address_of = kSpoolFileOffset;
};

class CodeSymbols {
  public:
    CodeSymbols();
    ~CodeSymbols();
    CodeSymbols(const CodeSymbols&) = delete;
    CodeSymbols& operator=(const CodeSymbols&) = delete;

    // Opens the file on first use, as the image's process sees it, or else as this process does. A
    // file with another build id is ignored. `place` is in `image`, which must always have the same
    // number.
    CodeSymbol find(const CodeImage& image, CodePlace place);

    // Whether this program was built with support for symbols.
    static bool available();

  private:
    struct Table;
    std::map<uint32_t, std::unique_ptr<Table>> tables_;  // null: cannot be read
};

}  // namespace lanescope
