// Fuzzes lists of archives and the files opened from them: the input as an archive, and valid zip
// and tar archives with replaced bytes. Every listed file must open or return an error, with the
// same result twice.
#include <cstdint>
#include <cstring>

#include "core/ingest/trace_list.h"
#include "tests/fuzz/changed_bytes.h"
#include "tests/fuzz/same_trace.h"

namespace {

constexpr std::string_view kTrace =
    R"({"traceEvents":[{"ph":"X","name":"a","pid":1,"tid":1,"ts":1,"dur":2}]})";

std::string tar_entry(std::string_view name, char type, std::string_view content) {
    std::string header(512, '\0');
    name.copy(header.data(), 100);
    std::snprintf(header.data() + 124, 12, "%011zo", content.size());
    header[156] = type;
    std::memcpy(header.data() + 257, "ustar\00000", 8);
    std::memset(header.data() + 148, ' ', 8);
    unsigned sum = 0;
    for (const char c : header) sum += static_cast<unsigned char>(c);
    std::snprintf(header.data() + 148, 8, "%06o", sum);
    header.append(content);
    header.resize((header.size() + 511) / 512 * 512, '\0');
    return header;
}

std::string sound_tar() {
    return tar_entry("a.json", '0', kTrace) + tar_entry("link", '2', "") +
           tar_entry("x", 'x', "20 path=long/name.json\n") + tar_entry("b.json", '0', kTrace) +
           std::string(1024, '\0');
}

void put(std::string& into, uint64_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) into += static_cast<char>(value >> (8 * i) & 0xFF);
}

// An archive with one stored file.
std::string sound_zip() {
    const std::string name = "a.json";
    const auto fields = [&](std::string& into) {
        put(into, 0x21, 4);  // time and date
        put(into, 0xF17F8E5B, 4);
        put(into, kTrace.size(), 4);
        put(into, kTrace.size(), 4);
        put(into, name.size(), 2);
        put(into, 0, 2);
    };
    std::string zip = "PK\x03\x04";
    for (const int value : {20, 0, 0}) put(zip, static_cast<uint64_t>(value), 2);
    fields(zip);
    zip += name;
    zip += kTrace;
    const std::size_t list = zip.size();
    zip += "PK\x01\x02";
    for (const int value : {20, 20, 0, 0}) put(zip, static_cast<uint64_t>(value), 2);
    fields(zip);
    put(zip, 0, 14);
    put(zip, 0, 2);
    zip.resize(list + 46, '\0');
    zip += name;
    const std::size_t bytes = zip.size() - list;
    zip += "PK\x05\x06";
    for (const int value : {0, 0, 1, 1}) put(zip, static_cast<uint64_t>(value), 2);
    put(zip, bytes, 4);
    put(zip, list, 4);
    put(zip, 0, 2);
    return zip;
}

void check_archive(std::string_view bytes) {
    using namespace lanescope;
    const testing::MemoryFile file(bytes);
    const Result<ListOrFile> found = list_traces(file.path());
    if (found)
        for (const ListedTrace& trace : found->list.traces) {
            const Result<TracePtr> loaded = load_trace(trace.path);
            if (!loaded && loaded.error().text.empty()) std::abort();
        }
    testing::check_same_trace(bytes);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace lanescope::testing;
    static const std::string tar = sound_tar();
    static const std::string zip = sound_zip();
    const std::string_view input(reinterpret_cast<const char*>(data), size);
    check_archive(input);
    check_archive(with_replaced_bytes(tar, input));
    check_archive(with_replaced_bytes(zip, input));
    return 0;
}
