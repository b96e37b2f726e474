// Makes a large trace from a real one: repeats its events with times and ids shifted.
#pragma once

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "core/source/compressed.h"

namespace lanescope::bench {

inline std::string read_whole(const std::string& path) {
    const auto file = InputFile::open(path);
    if (!file) throw std::runtime_error(file.error().text);
    char magic[8] = {};
    (void)(*file)->read_at(0, magic, sizeof magic);
    const Compression compression = sniff_compression({magic, sizeof magic});
    auto text = TextReader(*file, compression, nullptr).read(0, std::size_t{1} << 30);
    if (!text) throw std::runtime_error(text.error().text);
    return std::move(*text);
}

// A number in the text that changes from repeat to repeat.
struct ShiftedNumber {
    std::size_t begin;
    std::size_t end;
    uint64_t value;
    bool is_time;
};

// Writes about `bytes` to `path`. Each repeat adds `id_step` to the ids of the repeat before; 0:
// ids continue after the highest one.
inline void write_repeated(const std::string& source, const std::string& path, uint64_t bytes,
                           uint64_t id_step = 0) {
    const std::string text = read_whole(source);
    std::size_t list = text.find("\"traceEvents\"");
    list = text.find('[', list) + 1;
    const std::size_t last = text.rfind("\"ph\"");
    const std::size_t tail =
        text.find(']', text.find('}', text.find("\"args\"", last) == std::string::npos
                                          ? last
                                          : text.find("\"args\"", last)));
    const std::string_view events = std::string_view(text).substr(list, tail - list);
    std::vector<ShiftedNumber> numbers;
    uint64_t first_time = ~uint64_t{0};
    uint64_t last_time = 0;
    uint64_t last_id = 0;
    for (const std::string_view key :
         {"\"ts\":", "\"id\":", "\"correlation\":", "\"External id\":"}) {
        for (std::size_t at = 0; (at = events.find(key, at)) != std::string_view::npos;) {
            at += key.size();
            while (events[at] == ' ') ++at;
            const std::size_t begin = at;
            uint64_t value = 0;
            for (; events[at] >= '0' && events[at] <= '9'; ++at)
                value = value * 10 + static_cast<uint64_t>(events[at] - '0');
            const bool is_time = key == "\"ts\":";
            if (at == begin || (!is_time && value == 0)) continue;
            numbers.push_back({begin, at, value, is_time});
            if (is_time && value > 0) {
                first_time = std::min(first_time, value);
                last_time = std::max(last_time, value);
            } else if (!is_time && value < 100'000'000) {
                last_id = std::max(last_id, value);
            }
        }
    }
    std::sort(numbers.begin(), numbers.end(),
              [](const ShiftedNumber& a, const ShiftedNumber& b) { return a.begin < b.begin; });
    if (id_step == 0) id_step = last_id + 1;
    std::ofstream out(path, std::ios::binary);
    out << std::string_view(text).substr(0, list);
    std::string copy;
    const uint64_t repeats = std::max<uint64_t>(1, bytes / events.size());
    for (uint64_t repeat = 0; repeat < repeats; ++repeat) {
        copy.clear();
        std::size_t at = 0;
        for (const ShiftedNumber& number : numbers) {
            copy.append(events, at, number.begin - at);
            const uint64_t shift = number.is_time ? last_time - first_time + 1000 : id_step;
            copy += std::to_string(number.value + repeat * shift);
            at = number.end;
        }
        copy.append(events, at);
        if (repeat + 1 < repeats) copy += ',';
        out << copy;
    }
    out << std::string_view(text).substr(tail);
    if (!out.flush()) throw std::runtime_error("cannot write " + path);
}

}  // namespace lanescope::bench
