#include "core/models/data_type.h"

#include <algorithm>
#include <array>

namespace lanescope {

namespace {

struct TypeFacts {
    DataType type;
    std::string_view name;
    int64_t bytes;
};
constexpr std::array kTypes = {
    TypeFacts{DataType::unknown, "", 0},
    TypeFacts{DataType::fp64, "fp64", 8},
    TypeFacts{DataType::fp32, "fp32", 4},
    TypeFacts{DataType::tf32, "tf32", 4},
    TypeFacts{DataType::fp16, "fp16", 2},
    TypeFacts{DataType::bf16, "bf16", 2},
    TypeFacts{DataType::fp8, "fp8", 1},
    TypeFacts{DataType::fp4, "fp4", 1},
    TypeFacts{DataType::int64, "int64", 8},
    TypeFacts{DataType::int32, "int32", 4},
    TypeFacts{DataType::int16, "int16", 2},
    TypeFacts{DataType::int8, "int8", 1},
    TypeFacts{DataType::uint8, "uint8", 1},
    TypeFacts{DataType::boolean, "bool", 1},
    TypeFacts{DataType::complex128, "complex128", 16},
    TypeFacts{DataType::complex64, "complex64", 8},
    TypeFacts{DataType::complex32, "complex32", 4},
};

struct NamedType {
    std::string_view name;
    DataType type;
};
constexpr std::array kNames = {
    NamedType{"double", DataType::fp64},
    NamedType{"float", DataType::fp32},
    NamedType{"c10::Half", DataType::fp16},
    NamedType{"c10::BFloat16", DataType::bf16},
    NamedType{"long int", DataType::int64},
    NamedType{"long", DataType::int64},
    NamedType{"int", DataType::int32},
    NamedType{"short int", DataType::int16},
    NamedType{"short", DataType::int16},
    NamedType{"signed char", DataType::int8},
    NamedType{"c10::qint8", DataType::int8},
    NamedType{"unsigned char", DataType::uint8},
    NamedType{"bool", DataType::boolean},
    NamedType{"c10::complex<double>", DataType::complex128},
    NamedType{"c10::complex<float>", DataType::complex64},
    NamedType{"c10::complex<c10::Half>", DataType::complex32},
    NamedType{"c10::Float8_e4m3fn", DataType::fp8},
    NamedType{"c10::Float8_e5m2", DataType::fp8},
    NamedType{"c10::Float8_e4m3fnuz", DataType::fp8},
    NamedType{"c10::Float8_e5m2fnuz", DataType::fp8},
    NamedType{"c10::Float8_e8m0fnu", DataType::fp8},
    NamedType{"c10::Float4_e2m1fn_x2", DataType::fp4},
};

constexpr const TypeFacts& facts_of(DataType type) {
    return kTypes[static_cast<std::size_t>(type)];
}

// Ranks kinds of numbers: boolean, integer, real, complex.
int kind_of(DataType type) {
    if (type == DataType::unknown) return -1;
    if (is_complex(type)) return 3;
    if (is_floating(type)) return 2;
    return type == DataType::boolean ? 0 : 1;
}

}  // namespace

std::string_view data_type_name(DataType type) {
    return facts_of(type).name;
}

int64_t bytes_of(DataType type) {
    return facts_of(type).bytes;
}

bool is_complex(DataType type) {
    return type >= DataType::complex128;
}

bool is_floating(DataType type) {
    return (type >= DataType::fp64 && type <= DataType::fp4) || is_complex(type);
}

DataType data_type_of(std::string_view name) {
    const auto* const found = std::find_if(kNames.begin(), kNames.end(),
                                           [&](const NamedType& n) { return n.name == name; });
    return found == kNames.end() ? DataType::unknown : found->type;
}

DataType data_type_of_scalar_type(int64_t number) {
    constexpr std::array kFirst = {DataType::uint8,     DataType::int8,       DataType::int16,
                                   DataType::int32,     DataType::int64,      DataType::fp16,
                                   DataType::fp32,      DataType::fp64,       DataType::complex32,
                                   DataType::complex64, DataType::complex128, DataType::boolean};
    if (number >= 0 && number < static_cast<int64_t>(kFirst.size()))
        return kFirst[static_cast<std::size_t>(number)];
    if (number == 15) return DataType::bf16;
    return number >= 23 && number <= 26 ? DataType::fp8 : DataType::unknown;
}

DataType promoted(DataType a, DataType b) {
    if (kind_of(a) != kind_of(b)) return kind_of(a) > kind_of(b) ? a : b;
    const bool halves = (a == DataType::fp16 && b == DataType::bf16) ||
                        (a == DataType::bf16 && b == DataType::fp16);
    if (halves) return DataType::fp32;
    return bytes_of(a) >= bytes_of(b) ? a : b;
}

}  // namespace lanescope
