// Decodes the instructions of a pickle into the values of a Pickle.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ingest/memory_snapshot/pickle.h"

namespace lanescope {

class PickleDecoder {
  public:
    // `memory_bytes`: the most that the values may need; 0: no limit of its own.
    PickleDecoder(std::string_view bytes, uint64_t memory_bytes, Pickle& pickle)
        : bytes_(bytes), memory_bytes_(memory_bytes), pickle_(pickle) {}

    // Errors: see Pickle::decode().
    Result<void> run();

  private:
    Error damaged() const;
    bool refuse(char opcode);
    bool fail(ErrorCode code, std::string text);

    bool take(uint64_t size, std::string_view& taken);
    bool take_number(std::size_t size, uint64_t& number);
    bool take_line(std::string_view& line);
    bool with_number(std::size_t size, bool (PickleDecoder::*use)(uint64_t));
    bool with_line(bool (PickleDecoder::*use)(uint64_t));

    bool push(const PickleValue& value);
    bool push_integer(int64_t number, PickleKind kind = PickleKind::integer);
    bool push_real(double real);
    bool push_text(std::size_t length_bytes);
    bool push_container(PickleKind kind, std::span<const PickleValue> items);
    bool push_long(uint64_t size);
    bool push_line();
    bool push_real_line();
    bool push_big_endian_real();

    std::size_t floor() const { return marks_.empty() ? 0 : marks_.back(); }
    bool drop_to_mark(std::vector<PickleValue>& items);
    bool push_tuple(std::size_t count);
    bool push_marked(PickleKind kind);
    bool add(PickleKind kind, std::span<const PickleValue> items);
    bool add_marked(PickleKind kind);
    bool add_last(PickleKind kind, std::size_t count);
    bool pop();
    bool memoize(uint64_t place);
    bool recall(uint64_t place);

    bool step(char opcode);
    bool step_of_numbers(char opcode);
    bool step_of_containers(char opcode);
    bool step_of_memo(char opcode);
    void collapse();

    std::string_view bytes_;
    uint64_t memory_bytes_;
    Pickle& pickle_;
    std::size_t at_ = 0;
    std::size_t begin_ = 0;  // of the instruction
    uint64_t pushed_ = 0;
    bool is_over_ = false;
    bool is_short_ = false;
    std::optional<Error> error_;
    std::vector<PickleValue> stack_;
    std::vector<std::size_t> marks_;  // heights of the stack
    std::vector<PickleValue> memo_;
    std::vector<PickleValue> items_;
};

}  // namespace lanescope
