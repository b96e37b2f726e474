// Reads the fields of protobuf messages. Fields with an unexpected wire type are treated as absent.
#pragma once

#include <bit>
#include <cstdint>
#include <protozero/pbf_reader.hpp>
#include <string_view>

namespace lanescope {

// Iterates over the fields of one message. Throws protozero::exception if it is damaged.
class WireMessage {
  public:
    explicit WireMessage(std::string_view bytes) : reader_(bytes.data(), bytes.size()) {}

    // Reads the next field; false at the end of the message.
    bool next() {
        if (!reader_.next()) return false;
        field_ = reader_.tag();
        type_ = reader_.wire_type();
        value_ = 0;
        bytes_ = {};
        switch (type_) {
            case protozero::pbf_wire_type::varint:
                value_ = reader_.get_uint64();
                break;
            case protozero::pbf_wire_type::fixed64:
                value_ = reader_.get_fixed64();
                break;
            case protozero::pbf_wire_type::fixed32:
                value_ = reader_.get_fixed32();
                break;
            default: {
                const auto view = reader_.get_view();
                bytes_ = {view.data(), view.size()};
            }
        }
        return true;
    }

    // The first byte of the next field.
    const char* at() const { return reader_.data().data(); }

    uint32_t field() const { return field_; }
    bool is_bytes() const { return type_ == protozero::pbf_wire_type::length_delimited; }
    bool is_fixed64() const { return type_ == protozero::pbf_wire_type::fixed64; }
    bool is_fixed32() const { return type_ == protozero::pbf_wire_type::fixed32; }

    uint64_t number() const { return value_; }
    int64_t signed_number() const { return static_cast<int64_t>(value_); }
    double real() const {
        if (is_fixed32()) return std::bit_cast<float>(static_cast<uint32_t>(value_));
        return is_fixed64() ? std::bit_cast<double>(value_) : static_cast<double>(value_);
    }
    std::string_view bytes() const { return bytes_; }

    // Calls take(number) for each number of a repeated field, packed or not. `fixed64`: the numbers
    // have eight bytes each.
    template <typename Take>
    void each_number(const Take& take, bool fixed64 = false) const {
        if (!is_bytes()) return take(value_);
        const char* p = bytes_.data();
        const char* const end = p + bytes_.size();
        while (p != end) {
            if (!fixed64) {
                take(protozero::decode_varint(&p, end));
                continue;
            }
            if (end - p < 8) throw protozero::end_of_buffer_exception{};
            uint64_t number = 0;
            for (int i = 0; i < 8; ++i)
                number |= uint64_t{static_cast<unsigned char>(p[i])} << (8 * i);
            p += 8;
            take(number);
        }
    }

  private:
    protozero::pbf_reader reader_;
    uint32_t field_ = 0;
    protozero::pbf_wire_type type_ = protozero::pbf_wire_type::unknown;
    uint64_t value_ = 0;
    std::string_view bytes_;
};

}  // namespace lanescope
