// Result<T>: a value, or an Error that says what is wrong, where, and what to do about it.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>

namespace lanescope {

enum class ErrorCode {
    io,           // the operating system refused to open, read or write
    unsupported,  // a format or feature that is recognised but not read
    damaged,      // the bytes do not follow their format
    empty,        // nothing to show: no bytes or no events
    usage,        // the caller asked for something impossible
    cancelled,    // the user stopped it
    no_memory,    // the system has no memory left, or a limit is exceeded
};

struct Error {
    static constexpr uint64_t no_offset = ~uint64_t{0};

    ErrorCode code = ErrorCode::damaged;
    uint64_t byte_offset = no_offset;  // in the (decompressed) text, where known
    std::string text;                  // one sentence for a person, with the file's name
    // What to do about it, as a sentence; empty: what the code suggests.
    std::string advice = {};
};

template <typename T>
class [[nodiscard]] Result {
  public:
    Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    explicit operator bool() const { return state_.index() == 0; }
    T& operator*() { return std::get<0>(state_); }
    const T& operator*() const { return std::get<0>(state_); }
    T* operator->() { return &std::get<0>(state_); }
    const T* operator->() const { return &std::get<0>(state_); }
    const Error& error() const { return std::get<1>(state_); }

  private:
    std::variant<T, Error> state_;
};

// Result<void>: success, or an Error.
template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : error_(std::move(error)), ok_(false) {}

    explicit operator bool() const { return ok_; }
    const Error& error() const { return error_; }

  private:
    Error error_;
    bool ok_ = true;
};

}  // namespace lanescope
