#include "core/capture/sampling/code_symbols.h"

#include <algorithm>
#include <cstring>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "core/capture/sampling/code_file.h"

#if LANESCOPE_HAVE_LIBDW
#include <elfutils/libdwfl.h>
#include <gelf.h>
#include <unistd.h>
#endif

namespace lanescope {

#if LANESCOPE_HAVE_LIBDW

namespace {

constexpr std::size_t kMaxTables = 512;  // limit, since each table keeps a file open

// Finds local debug files by build id only: another callback would query servers.
const Dwfl_Callbacks kCallbacks = {
    .find_elf = nullptr,
    .find_debuginfo = dwfl_build_id_find_debuginfo,
    .section_address = dwfl_offline_section_address,
    .debuginfo_path = nullptr,
};

// Begins of functions, sorted, from the search table in .eh_frame_hdr: stripped files have it too.
// Only the encoding that linkers use is read: pairs of 32-bit numbers relative to the section.
std::vector<uint64_t> read_begins(Elf* elf) {
    constexpr unsigned char kHead[] = {1, 0x1b, 0x03, 0x3b};
    constexpr std::size_t kHeadBytes = 12;
    std::vector<uint64_t> begins;
    std::size_t count = 0;
    if (elf_getphdrnum(elf, &count) != 0) return begins;
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr header = {};
        if (!gelf_getphdr(elf, static_cast<int>(i), &header) || header.p_type != PT_GNU_EH_FRAME)
            continue;
        const Elf_Data* const data = elf_getdata_rawchunk(
            elf, static_cast<int64_t>(header.p_offset), header.p_filesz, ELF_T_BYTE);
        if (!data || data->d_size < kHeadBytes || std::memcmp(data->d_buf, kHead, 4) != 0) continue;
        const auto* const bytes = static_cast<const char*>(data->d_buf);
        uint32_t entries = 0;
        std::memcpy(&entries, bytes + 8, sizeof entries);
        for (std::size_t at = kHeadBytes; entries > 0 && at + 8 <= data->d_size; at += 8) {
            int32_t begin = 0;
            std::memcpy(&begin, bytes + at, sizeof begin);
            begins.push_back(header.p_vaddr + static_cast<uint64_t>(int64_t{begin}));
            --entries;
        }
    }
    std::ranges::sort(begins);
    return begins;
}

struct EndDwfl {
    void operator()(Dwfl* dwfl) const { dwfl_end(dwfl); }
};

}  // namespace

struct CodeSymbols::Table {
    struct Symbol {
        uint64_t begin, bytes;
        const char* name;  // valid as long as dwfl
    };
    struct Segment {
        uint64_t offset, bytes, address;
    };
    std::unique_ptr<Dwfl, EndDwfl> dwfl;
    std::vector<Symbol> symbols;  // by begin; among equal begins the longest last
    std::vector<Segment> segments;
    std::vector<uint64_t> begins;  // of functions, from the table of call frame information

    static std::unique_ptr<Table> open(const CodeImage& image);
    static std::unique_ptr<Table> open_at(const std::string& path, const std::string& build_id);
    bool read(Dwfl_Module* module);
    void read_symbols(Dwfl_Module* module, uint64_t bias);
    std::optional<uint64_t> address_of(uint64_t offset) const;
    const char* name_at(uint64_t address) const;
    uint64_t begin_at(uint64_t address) const;
};

std::unique_ptr<CodeSymbols::Table> CodeSymbols::Table::open(const CodeImage& image) {
    const CodePaths paths = code_paths(image);
    if (paths.here.empty()) return nullptr;
    std::unique_ptr<Table> table = open_at(paths.in_process, image.build_id);
    return table ? std::move(table) : open_at(paths.here, image.build_id);
}

std::unique_ptr<CodeSymbols::Table> CodeSymbols::Table::open_at(const std::string& path,
                                                                const std::string& build_id) {
    const int fd = open_code_file(path);
    if (fd < 0) return nullptr;
    auto table = std::make_unique<Table>();
    table->dwfl.reset(dwfl_begin(&kCallbacks));
    Dwfl_Module* const module =
        table->dwfl ? dwfl_report_offline(table->dwfl.get(), path.c_str(), path.c_str(), fd)
                    : nullptr;
    if (!module) {
        close(fd);
        return nullptr;
    }
    dwfl_report_end(table->dwfl.get(), nullptr, nullptr);
    const unsigned char* bits = nullptr;
    GElf_Addr at = 0;
    GElf_Addr bias = 0;
    if (!dwfl_module_getelf(module, &bias)) return nullptr;
    const int length = dwfl_module_build_id(module, &bits, &at);
    const std::string own(reinterpret_cast<const char*>(bits),
                          static_cast<std::size_t>(std::max(length, 0)));
    if (!build_id.empty() && !own.empty() && own != build_id) return nullptr;
    return table->read(module) ? std::move(table) : nullptr;
}

bool CodeSymbols::Table::read(Dwfl_Module* module) {
    GElf_Addr bias = 0;
    Elf* const elf = dwfl_module_getelf(module, &bias);
    std::size_t count = 0;
    if (!elf || elf_getphdrnum(elf, &count) != 0) return false;
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr header = {};
        if (!gelf_getphdr(elf, static_cast<int>(i), &header) || header.p_type != PT_LOAD) continue;
        segments.push_back({header.p_offset, header.p_filesz, header.p_vaddr});
    }
    begins = read_begins(elf);
    read_symbols(module, bias);
    return true;
}

void CodeSymbols::Table::read_symbols(Dwfl_Module* module, uint64_t bias) {
    const int count = dwfl_module_getsymtab(module);
    for (int i = 1; i < count; ++i) {
        GElf_Sym symbol = {};
        GElf_Addr address = 0;
        GElf_Word section = 0;
        const char* const name =
            dwfl_module_getsym_info(module, i, &symbol, &address, &section, nullptr, nullptr);
        const int type = GELF_ST_TYPE(symbol.st_info);
        const bool is_code = type == STT_FUNC || type == STT_GNU_IFUNC;
        if (name && *name && is_code && section != SHN_UNDEF)
            symbols.push_back({address - bias, symbol.st_size, name});
    }
    std::ranges::stable_sort(symbols, [](const Symbol& a, const Symbol& b) {
        return a.begin != b.begin ? a.begin < b.begin : a.bytes < b.bytes;
    });
}

std::optional<uint64_t> CodeSymbols::Table::address_of(uint64_t offset) const {
    for (const Segment& segment : segments)
        if (offset >= segment.offset && offset - segment.offset < segment.bytes)
            return offset - segment.offset + segment.address;
    return std::nullopt;
}

const char* CodeSymbols::Table::name_at(uint64_t address) const {
    const auto after = std::ranges::upper_bound(symbols, address, {}, &Symbol::begin);
    if (after == symbols.begin()) return nullptr;
    const Symbol& symbol = *(after - 1);
    // Code written in assembler may have no length.
    return symbol.bytes == 0 || address - symbol.begin < symbol.bytes ? symbol.name : nullptr;
}

uint64_t CodeSymbols::Table::begin_at(uint64_t address) const {
    const auto after = std::ranges::upper_bound(begins, address);
    return after == begins.begin() ? address : *(after - 1);
}

CodeSymbol CodeSymbols::find(const CodeImage& image, CodePlace place) {
    auto known = tables_.find(place.image);
    if (known == tables_.end()) {
        auto table = tables_.size() < kMaxTables ? Table::open(image) : nullptr;
        known = tables_.emplace(place.image, std::move(table)).first;
    }
    const Table* const table = known->second.get();
    const std::optional<uint64_t> address = table ? table->address_of(place.offset) : std::nullopt;
    if (!address) return {"", place.offset, kSpoolFileOffset};
    const char* const name = table->name_at(*address);
    if (!name) return {"", table->begin_at(*address), kSpoolElfAddress};
    return {name, *address, kSpoolElfAddress};
}

bool CodeSymbols::available() {
    return true;
}

#else

struct CodeSymbols::Table {};

CodeSymbol CodeSymbols::find(const CodeImage& /*image*/, CodePlace place) {
    return {"", place.offset, kSpoolFileOffset};
}

bool CodeSymbols::available() {
    return false;
}

#endif

CodeSymbols::CodeSymbols() = default;
CodeSymbols::~CodeSymbols() = default;

}  // namespace lanescope
