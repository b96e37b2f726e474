// Data types, by their names in traces.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanescope {

enum class DataType : uint8_t {
    unknown,
    fp64,
    fp32,
    tf32,  // fp32 in memory
    fp16,
    bf16,
    fp8,
    fp4,  // two values in a byte; shapes count bytes
    int64,
    int32,
    int16,
    int8,
    uint8,
    boolean,
    complex128,
    complex64,
    complex32,
};

std::string_view data_type_name(DataType type);  // "bf16"; empty when unknown
int64_t bytes_of(DataType type);                 // of an element; 0: unknown
bool is_complex(DataType type);
bool is_floating(DataType type);  // complex ones too

// Parses "Input type": "c10::Half", "long int".
DataType data_type_of(std::string_view name);
// Parses the number of a ScalarType in "Concrete Inputs": 15 is bf16.
DataType data_type_of_scalar_type(int64_t number);
// The type of a result computed from both.
DataType promoted(DataType a, DataType b);

// The execution units: matrix units, or ordinary ones.
enum class Pipe : uint8_t { vector, tensor };

}  // namespace lanescope
