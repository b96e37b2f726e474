#include "core/capture/sampling/unwind_rules.h"

#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include "core/capture/sampling/code_file.h"

#if LANESCOPE_HAVE_LIBDW
#include <dwarf.h>
#include <elfutils/libdw.h>
#include <elfutils/libdwelf.h>
#include <gelf.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#endif

namespace lanescope {

#if LANESCOPE_HAVE_LIBDW

namespace {

constexpr std::size_t kMaxSources = 512;   // a limit, since each source keeps a file open
constexpr std::size_t kMaxRows = 1 << 17;  // then the rows are computed again
constexpr std::size_t kMaxOperations = 64;

struct EndElf {
    void operator()(Elf* elf) const { elf_end(elf); }
};
struct EndCfi {
    void operator()(Dwarf_CFI* cfi) const { dwarf_cfi_end(cfi); }
};
struct FreeFrame {
    void operator()(Dwarf_Frame* frame) const { std::free(frame); }
};

bool fits(uint64_t number) {
    const auto value = static_cast<int64_t>(number);
    return value >= INT32_MIN && value <= INT32_MAX;
}

std::vector<UnwindOperation> copy_of(const Dwarf_Op* operations, std::size_t count) {
    std::vector<UnwindOperation> copy;
    for (std::size_t i = 0; i < count; ++i)
        copy.push_back({operations[i].atom, operations[i].number, operations[i].number2});
    return copy;
}

// elfutils describes every rule as an expression: the simple ones are "the CFA" and "the CFA plus a
// number", either as an address or (DW_OP_stack_value) as the value itself, and a register.
UnwindRule rule_of(Dwarf_Frame* frame, int number, UnwindRow& row) {
    using Kind = UnwindRule::Kind;
    Dwarf_Op memory[3] = {};
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_frame_register(frame, number, memory, &operations, &count) != 0)
        return {Kind::unsupported, 0};
    if (count == 0) return {operations ? Kind::undefined : Kind::same, 0};
    if (count == 1 && operations[0].atom == DW_OP_regx)
        return {Kind::in_register, static_cast<int32_t>(operations[0].number & 0xFFFF)};
    const bool is_value = operations[count - 1].atom == DW_OP_stack_value;
    const std::size_t work = count - (is_value ? 1 : 0);
    if (work > kMaxOperations) return {Kind::unsupported, 0};
    if (work >= 1 && work <= 2 && operations[0].atom == DW_OP_call_frame_cfa) {
        const bool adds = work == 2 && operations[1].atom == DW_OP_plus_uconst;
        const uint64_t offset = adds ? operations[1].number : 0;
        if ((work == 1 || adds) && fits(offset))
            return {is_value ? Kind::offset : Kind::saved,
                    static_cast<int32_t>(static_cast<int64_t>(offset))};
    }
    row.expressions.push_back(copy_of(operations, work));
    return {is_value ? Kind::expression : Kind::saved_expression,
            static_cast<int32_t>(row.expressions.size() - 1)};
}

bool read_cfa(Dwarf_Frame* frame, UnwindRow& row) {
    Dwarf_Op* operations = nullptr;
    std::size_t count = 0;
    if (dwarf_frame_cfa(frame, &operations, &count) != 0 || count == 0 || count > kMaxOperations)
        return false;
    const Dwarf_Op& first = operations[0];
    if (count == 1 && first.atom == DW_OP_bregx && first.number < kRegisterCount &&
        fits(first.number2)) {
        row.base = static_cast<uint32_t>(first.number);
        row.base_offset = static_cast<int32_t>(static_cast<int64_t>(first.number2));
        return true;
    }
    row.cfa_expression = static_cast<int32_t>(row.expressions.size());
    row.expressions.push_back(copy_of(operations, count));
    return true;
}

std::unique_ptr<UnwindRow> row_of(Dwarf_Frame* frame) {
    auto row = std::make_unique<UnwindRow>();
    bool is_signal_frame = false;
    const int column = dwarf_frame_info(frame, nullptr, nullptr, &is_signal_frame);
    if (column < 0 || !read_cfa(frame, *row)) return nullptr;
    row->is_signal_frame = is_signal_frame;
    for (std::size_t i = 0; i < kRegisterCount; ++i) {
        if (i == kProgramCounter) continue;
        const UnwindRule rule = rule_of(frame, static_cast<int>(i), *row);
        // A register that is not preserved cannot be needed: its old value does no harm.
        if (rule.kind != UnwindRule::Kind::same && rule.kind != UnwindRule::Kind::undefined)
            row->changed.push_back({static_cast<uint8_t>(i), rule});
    }
    row->return_address = rule_of(frame, column, *row);
    // A leaf function may keep its return address in a register.
    if (row->return_address.kind == UnwindRule::Kind::same)
        row->return_address = {UnwindRule::Kind::in_register, column};
    return row;
}

// The kernel maps the same code into each process: this process has a copy of it.
std::string own_vdso() {
    constexpr std::size_t kMaxBytes = 1 << 16;
    const uint64_t at = getauxval(AT_SYSINFO_EHDR);
    if (at == 0) return "";
    const char* const bytes = reinterpret_cast<const char*>(at);  // NOLINT: the kernel's number
    Elf64_Ehdr head = {};
    std::memcpy(&head, bytes, sizeof head);
    // The section headers are its last part.
    const std::size_t size = head.e_shoff + std::size_t{head.e_shnum} * head.e_shentsize;
    return size <= kMaxBytes ? std::string(bytes, size) : "";
}

}  // namespace

struct UnwindRules::Source {
    struct Segment {
        uint64_t offset, bytes, address;
    };
    int fd = -1;
    std::string memory;  // instead of a file
    std::unique_ptr<Elf, EndElf> elf;
    std::unique_ptr<Dwarf_CFI, EndCfi> cfi;
    std::vector<Segment> segments;

    Source() = default;
    Source(const Source&) = delete;
    Source& operator=(const Source&) = delete;
    ~Source() {
        cfi.reset();
        elf.reset();
        if (fd >= 0) close(fd);
    }

    static std::unique_ptr<Source> open(const CodeImage& image);
    static std::unique_ptr<Source> open_at(const std::string& path, const std::string& build_id);
    bool read(const std::string& build_id);
    std::optional<uint64_t> address_of(uint64_t offset) const;
};

std::unique_ptr<UnwindRules::Source> UnwindRules::Source::open(const CodeImage& image) {
    if (image.path == "[vdso]") {
        auto source = std::make_unique<Source>();
        source->memory = own_vdso();
        if (source->memory.empty()) return nullptr;
        source->elf.reset(elf_memory(source->memory.data(), source->memory.size()));
        return source->read("") ? std::move(source) : nullptr;
    }
    const CodePaths paths = code_paths(image);
    if (paths.here.empty()) return nullptr;
    std::unique_ptr<Source> source = open_at(paths.in_process, image.build_id);
    return source ? std::move(source) : open_at(paths.here, image.build_id);
}

// Reads the file instead of mapping it, because a mapped file that is truncated meanwhile would end
// this process.
std::unique_ptr<UnwindRules::Source> UnwindRules::Source::open_at(const std::string& path,
                                                                  const std::string& build_id) {
    auto source = std::make_unique<Source>();
    source->fd = open_code_file(path);
    if (source->fd < 0) return nullptr;
    source->elf.reset(elf_begin(source->fd, ELF_C_READ, nullptr));
    return source->read(build_id) ? std::move(source) : nullptr;
}

bool UnwindRules::Source::read(const std::string& build_id) {
    std::size_t count = 0;
    if (!elf || elf_kind(elf.get()) != ELF_K_ELF || elf_getphdrnum(elf.get(), &count) != 0)
        return false;
    if (!build_id.empty()) {
        const void* bits = nullptr;
        const ssize_t length = dwelf_elf_gnu_build_id(elf.get(), &bits);
        if (length > 0 && std::string_view(static_cast<const char*>(bits),
                                           static_cast<std::size_t>(length)) != build_id)
            return false;
    }
    for (std::size_t i = 0; i < count; ++i) {
        GElf_Phdr header = {};
        if (gelf_getphdr(elf.get(), static_cast<int>(i), &header) && header.p_type == PT_LOAD)
            segments.push_back({header.p_offset, header.p_filesz, header.p_vaddr});
    }
    cfi.reset(dwarf_getcfi_elf(elf.get()));
    return cfi != nullptr;
}

std::optional<uint64_t> UnwindRules::Source::address_of(uint64_t offset) const {
    for (const Segment& segment : segments)
        if (offset >= segment.offset && offset - segment.offset < segment.bytes)
            return offset - segment.offset + segment.address;
    return std::nullopt;
}

UnwindRules::Source* UnwindRules::source_of(const CodeImage& image, uint32_t number) {
    auto known = sources_.find(number);
    if (known == sources_.end()) {
        elf_version(EV_CURRENT);
        auto source = sources_.size() < kMaxSources ? Source::open(image) : nullptr;
        known = sources_.emplace(number, std::move(source)).first;
    }
    return known->second.get();
}

const UnwindRow* UnwindRules::find(const CodeImage& image, CodePlace place) {
    const std::pair key(place.image, place.offset);
    if (const auto known = rows_.find(key); known != rows_.end()) return known->second.get();
    const Source* const source = source_of(image, place.image);
    if (!source) return nullptr;
    if (rows_.size() >= kMaxRows) rows_.clear();
    std::unique_ptr<UnwindRow>& row = rows_[key];
    const std::optional<uint64_t> address = source->address_of(place.offset);
    Dwarf_Frame* found = nullptr;
    if (!address || dwarf_cfi_addrframe(source->cfi.get(), *address, &found) != 0) return nullptr;
    const std::unique_ptr<Dwarf_Frame, FreeFrame> frame(found);
    row = row_of(frame.get());
    return row.get();
}

bool UnwindRules::available() {
    return kRegisterCount > 0;
}

#else

struct UnwindRules::Source {};

UnwindRules::Source* UnwindRules::source_of(const CodeImage& /*image*/, uint32_t /*number*/) {
    return nullptr;
}

const UnwindRow* UnwindRules::find(const CodeImage& /*image*/, CodePlace /*place*/) {
    return nullptr;
}

bool UnwindRules::available() {
    return false;
}

#endif

UnwindRules::UnwindRules() = default;
UnwindRules::~UnwindRules() = default;

}  // namespace lanescope
