#include "core/capture/python/python_code.h"

#include <algorithm>
#include <cstring>

namespace lanescope {

namespace {

constexpr std::size_t kMaxCodes = 1 << 16;
constexpr std::size_t kMaxFunctionCharacters = 512;
constexpr std::size_t kMaxFileCharacters = 4096;
constexpr std::size_t kMaxLineTable = 1 << 20;
// The tables of large functions are compared only up to here.
constexpr std::size_t kMaxComparedTable = 512;

}  // namespace

// The memory of one code object that is compared with the cached contents.
struct PythonCodes::Check {
    std::string head, function, file, lines;
};

int64_t PythonCode::line_of(uint64_t instruction) const {
    const auto offset = static_cast<int64_t>(instruction - instructions);
    constexpr int64_t max_code = int64_t{1} << 31;
    // The frame does not run these instructions; a free-threaded Python has copies for each thread.
    if (offset < 0 || offset > max_code) return first_line;
    return python_line_at(line_table.data(), first_line, offset);
}

PythonCodes::PythonCodes(TargetMemory& memory, const PythonLayout& layout, const PythonTypes& types)
    : memory_(memory), layout_(layout), types_(types) {
    const auto [first, last] =
        std::minmax({layout.object_type, layout.code_first_line, layout.code_filename,
                     layout.code_name, layout.code_qualname, layout.code_line_table});
    head_begin_ = first;
    head_bytes_ = last + static_cast<uint32_t>(sizeof(uint64_t)) - first;
}

uint64_t PythonCodes::word(std::string_view head, uint32_t offset) const {
    uint64_t value = 0;
    std::memcpy(&value, head.data() + (offset - head_begin_), sizeof value);
    return value;
}

bool PythonCodes::is_same_head(std::string_view before, std::string_view now) const {
    const auto first_line = [&](std::string_view head) {
        return static_cast<uint32_t>(word(head, layout_.code_first_line));
    };
    const uint32_t words[] = {layout_.object_type, layout_.code_filename, layout_.code_name,
                              layout_.code_qualname, layout_.code_line_table};
    return first_line(before) == first_line(now) && std::ranges::all_of(words, [&](uint32_t at) {
               return word(before, at) == word(now, at);
           });
}

bool PythonCodes::is_same(const PythonCode& code, const Check& check) const {
    return is_same_head(code.head, check.head) && code.function_text.equals(check.function) &&
           code.file_text.equals(check.file) && code.line_table.equals(check.lines);
}

// Removes known codes that are no longer the same.
void PythonCodes::check_known(std::span<const uint64_t> addresses) {
    std::vector<std::pair<uint64_t, Check>> checks;
    std::vector<MemoryPiece> pieces;
    checks.reserve(addresses.size());
    for (const uint64_t address : addresses) {
        const auto known = known_.find(address);
        if (known == known_.end()) continue;
        Check& check = checks.emplace_back(address, Check()).second;
        const auto read_again = [&](uint64_t from, std::size_t bytes, std::string& into) {
            into.resize(bytes);
            pieces.push_back({from, into.data(), bytes});
        };
        const PythonCode& code = known->second;
        read_again(address + head_begin_, head_bytes_, check.head);
        const auto read_content_again = [&](const PythonContent& content, std::string& into) {
            if (content.bytes.empty()) return;
            read_again(content.address,
                       std::min(content.bytes.size(), content.data_at + kMaxComparedTable), into);
        };
        read_content_again(code.function_text, check.function);
        read_content_again(code.file_text, check.file);
        read_content_again(code.line_table, check.lines);
    }
    const bool all_read = memory_.read(pieces);
    for (const auto& [address, check] : checks)
        if (!all_read || !is_same(known_.find(address)->second, check)) known_.erase(address);
}

PythonCode* PythonCodes::read(uint64_t address) {
    PythonCode code;
    code.head.resize(head_bytes_);
    if (!memory_.read(address + head_begin_, code.head.data(), head_bytes_) ||
        word(code.head, layout_.object_type) != types_.code)
        return nullptr;
    code.first_line = static_cast<int32_t>(word(code.head, layout_.code_first_line));
    code.instructions = address + layout_.code_instructions;
    auto function = read_python_text(
        memory_, layout_, types_, word(code.head, layout_.code_qualname), kMaxFunctionCharacters);
    auto file = read_python_text(memory_, layout_, types_, word(code.head, layout_.code_filename),
                                 kMaxFileCharacters);
    auto lines = read_python_bytes(memory_, layout_, types_,
                                   word(code.head, layout_.code_line_table), kMaxLineTable);
    if (function && file) {
        code.function = std::move(function->utf8);
        code.function_text = std::move(function->content);
        code.file = std::move(file->utf8);
        code.file_text = std::move(file->content);
    }
    if (lines) code.line_table = std::move(*lines);
    return &known_.insert_or_assign(address, std::move(code)).first->second;
}

std::span<const PythonCodes::Found> PythonCodes::find(std::span<const uint64_t> addresses) {
    if (known_.size() + addresses.size() > kMaxCodes) known_.clear();
    std::vector<uint64_t> distinct(addresses.begin(), addresses.end());
    std::ranges::sort(distinct);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    check_known(distinct);
    std::unordered_map<uint64_t, Found> results;
    for (const uint64_t address : distinct) {
        const auto known = known_.find(address);
        results[address] =
            known != known_.end() ? Found{&known->second, false} : Found{read(address), true};
    }
    found_.clear();
    for (const uint64_t address : addresses) found_.push_back(results[address]);
    return found_;
}

}  // namespace lanescope
