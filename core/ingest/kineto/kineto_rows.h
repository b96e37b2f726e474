// Builds the side rows of events of PyTorch's profiler from their arguments.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

#include "core/ingest/build/batch.h"
#include "core/ingest/build/local_names.h"
#include "core/ingest/kineto/argument_keys.h"

namespace lanescope {

// Arguments of one event that are read during the load.
struct KinetoArguments {
    uint64_t present = 0;  // bit by ArgumentKey
    std::array<int64_t, static_cast<std::size_t>(ArgumentKey::input_dims)> number;
    std::array<LocalId, static_cast<std::size_t>(ArgumentKey::count)> text;
    uint32_t grid[3];
    uint32_t block[3];

    bool has(ArgumentKey key) const { return present >> static_cast<int>(key) & 1; }
    int64_t get(ArgumentKey key, int64_t otherwise = kNoValue) const {
        return has(key) ? number[static_cast<std::size_t>(key)] : otherwise;
    }
    LocalId text_of(ArgumentKey key) const {
        return has(key) ? text[static_cast<std::size_t>(key)] : 0;
    }
    void set_number(ArgumentKey key, int64_t value) {
        number[static_cast<std::size_t>(key)] = value;
        mark(key);
    }
    void set_text(ArgumentKey key, LocalId value) {
        text[static_cast<std::size_t>(key)] = value;
        mark(key);
    }
    // `grid` and `block`.
    void mark(ArgumentKey key) { present |= uint64_t{1} << static_cast<int>(key); }
};

// The side rows that an event of a category may have.
enum class KinetoRows : uint8_t {
    unknown,  // the category has not been looked up yet
    plain,
    gpu,
    runtime,
    op,
    python,
    sync,
    sample
};

KinetoRows kineto_rows(std::string_view category);

// Adds the side rows of a slice. `event`: its number in the batch. `names`: texts of the batch;
// `name`: name of the slice.
void add_kineto_rows(KinetoRows kind, uint32_t event, const KinetoArguments& arguments,
                     LocalId name, const LocalNames& names, SideRows& rows);
// Adds the row of a memory event, which has a size and an address.
void add_kineto_memory(uint32_t event, const KinetoArguments& arguments, SideRows& rows);

// Reads the first three numbers of a list ("[1, 2, 3]"). False if there are fewer.
bool read_triple(std::string_view list, uint32_t (&out)[3]);

}  // namespace lanescope
