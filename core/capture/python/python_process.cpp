#include "core/capture/python/python_process.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <string_view>
#include <vector>

#include "core/capture/process/process_facts.h"

#if LANESCOPE_HAVE_LIBDW
#include <fcntl.h>
#include <gelf.h>
#include <libelf.h>
#include <sys/stat.h>
#endif

namespace lanescope {

namespace {

std::string_view last_part(std::string_view path) {
    return path.substr(path.rfind('/') + 1);
}

uint64_t hexadecimal(std::string_view text) {
    uint64_t value = 0;
    std::from_chars(text.data(), text.data() + text.size(), value, 16);
    return value;
}

// Removes and returns the next word of a line.
std::string_view take_word(std::string_view& line) {
    const std::size_t begin = std::min(line.find_first_not_of(' '), line.size());
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    const std::string_view word = line.substr(begin, end - begin);
    line.remove_prefix(end);
    return word;
}

#if LANESCOPE_HAVE_LIBDW

constexpr std::size_t kMaxKnownFiles = 4096;

struct CloseFile {
    int fd;
    ~CloseFile() {
        if (fd >= 0) close(fd);
    }
};

struct EndElf {
    void operator()(Elf* elf) const { elf_end(elf); }
};

void read_python_symbols(Elf* elf, Elf_Scn* section, const GElf_Shdr& head,
                         PythonSymbols& symbols) {
    Elf_Data* const data = elf_getdata(section, nullptr);
    if (!data || head.sh_entsize == 0) return;
    const std::pair<std::string_view, uint64_t*> wanted[] = {
        {"_PyRuntime", &symbols.runtime},       {"Py_Version", &symbols.version},
        {"PyCode_Type", &symbols.types.code},   {"PyUnicode_Type", &symbols.types.unicode},
        {"PyBytes_Type", &symbols.types.bytes},
    };
    const auto count =
        static_cast<int>(std::min<uint64_t>(head.sh_size / head.sh_entsize, uint64_t{1} << 24));
    for (int i = 1; i < count; ++i) {
        GElf_Sym symbol = {};
        if (!gelf_getsym(data, i, &symbol) || symbol.st_shndx == SHN_UNDEF) continue;
        const char* const name = elf_strptr(elf, head.sh_link, symbol.st_name);
        if (!name) continue;
        for (const auto& [text, address] : wanted)
            if (text == name) *address = symbol.st_value;
    }
}

PythonSymbols python_symbols(int fd) {
    PythonSymbols symbols;
    elf_version(EV_CURRENT);
    const std::unique_ptr<Elf, EndElf> elf(elf_begin(fd, ELF_C_READ, nullptr));
    GElf_Ehdr head = {};
    if (!elf || elf_kind(elf.get()) != ELF_K_ELF || !gelf_getehdr(elf.get(), &head) ||
        head.e_ident[EI_CLASS] != ELFCLASS64)
        return symbols;
    symbols.is_relocated = head.e_type == ET_DYN;
    std::size_t segments = 0;
    elf_getphdrnum(elf.get(), &segments);
    for (std::size_t i = 0; i < segments; ++i) {
        GElf_Phdr segment = {};
        if (!gelf_getphdr(elf.get(), static_cast<int>(i), &segment) || segment.p_type != PT_LOAD)
            continue;
        symbols.bias = segment.p_vaddr - segment.p_offset;
        break;
    }
    // A program that exports nothing may still have its full table.
    for (const GElf_Word type : {SHT_DYNSYM, SHT_SYMTAB}) {
        for (Elf_Scn* section = nullptr; (section = elf_nextscn(elf.get(), section)) != nullptr;) {
            GElf_Shdr described = {};
            if (gelf_getshdr(section, &described) && described.sh_type == type)
                read_python_symbols(elf.get(), section, described, symbols);
        }
        if (symbols.runtime != 0) break;
    }
    return symbols;
}

#endif

}  // namespace

std::vector<MappedFile> files_with_python(std::string_view maps, std::string_view program) {
    std::vector<MappedFile> files;
    while (!maps.empty()) {
        std::string_view line = maps.substr(0, maps.find('\n'));
        maps.remove_prefix(std::min(maps.size(), line.size() + 1));
        const std::string_view range = take_word(line);
        take_word(line);  // permissions
        const std::string_view offset = take_word(line);
        take_word(line);  // device
        take_word(line);  // inode
        const std::string_view path =
            line.substr(std::min(line.find_first_not_of(' '), line.size()));
        const bool may_be =
            !path.empty() && (path == program || last_part(path).starts_with("libpython"));
        const bool is_known =
            std::ranges::any_of(files, [&](const MappedFile& file) { return file.path == path; });
        if (!may_be || is_known) continue;
        files.push_back({std::string(path), hexadecimal(range.substr(0, range.find('-'))),
                         hexadecimal(offset)});
    }
    return files;
}

#if LANESCOPE_HAVE_LIBDW

bool PythonFinder::available() {
    return true;
}

std::optional<PythonSymbols> PythonFinder::symbols_of(uint32_t pid, const std::string& path) {
    const std::string in_process = fmt::format("/proc/{}/root{}", pid, path);
    // Whatever else a program has mapped is not opened, since opening it might block.
    const CloseFile file = {open(in_process.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY)};
    struct stat info = {};
    if (file.fd < 0 || fstat(file.fd, &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
    const std::pair<uint64_t, uint64_t> key(info.st_dev, info.st_ino);
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    if (known_.size() >= kMaxKnownFiles) known_.clear();
    return known_.emplace(key, python_symbols(file.fd)).first->second;
}

PythonSearch PythonFinder::look(uint32_t pid, ProcessMemory& memory) {
    std::error_code failed;
    const std::string program =
        std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), failed).string();
    const std::string maps = text_of_system_file(fmt::format("/proc/{}/maps", pid));
    PythonSearch search;
    for (const MappedFile& file : files_with_python(maps, program)) {
        const std::optional<PythonSymbols> symbols = symbols_of(pid, file.path);
        if (!symbols || symbols->runtime == 0) continue;
        const uint64_t moved = symbols->is_relocated ? file.begin - file.offset - symbols->bias : 0;
        PythonTarget& target = search.target;
        target.runtime = symbols->runtime + moved;
        target.types = {symbols->types.code + moved, symbols->types.unicode + moved,
                        symbols->types.bytes + moved};
        target.version_address = symbols->version + moved;
        search.finding = PythonFinding::unsupported;
        if (symbols->version == 0 || symbols->types.code == 0) {
            // Python 3.10 and older do not have the first symbol.
            search.has_version = symbols->version != 0;
            return search;
        }
        std::array<std::byte, kPythonDebugOffsetsBytes> runtime = {};
        const MemoryPiece pieces[] = {{target.version_address, &target.version, 8},
                                      {target.runtime, runtime.data(), runtime.size()}};
        if (!memory.read(pieces)) {
            // Otherwise the process has ended, or became another program a moment ago.
            search.finding = memory.is_refused() ? PythonFinding::refused : PythonFinding::none;
            return search;
        }
        const std::optional<PythonLayout> layout = python_layout(target.version, runtime);
        if (layout) {
            target.layout = *layout;
            search.finding = PythonFinding::found;
        }
        return search;
    }
    return search;
}

#else

bool PythonFinder::available() {
    return false;
}

std::optional<PythonSymbols> PythonFinder::symbols_of(uint32_t /*pid*/,
                                                      const std::string& /*path*/) {
    return std::nullopt;
}

PythonSearch PythonFinder::look(uint32_t pid, ProcessMemory& /*memory*/) {
    std::error_code failed;
    const std::string program =
        std::filesystem::read_symlink(fmt::format("/proc/{}/exe", pid), failed).string();
    const std::string maps = text_of_system_file(fmt::format("/proc/{}/maps", pid));
    PythonSearch search;
    for (const MappedFile& file : files_with_python(maps, program)) {
        const std::string_view name = last_part(file.path);
        if (name.starts_with("python") || name.starts_with("libpython"))
            search.finding = PythonFinding::unavailable;
    }
    return search;
}

#endif

}  // namespace lanescope
