// Fuzzes the JSON scanner. Every event's position is in the text, and scanning by learned shapes
// equals scanning key by key with a new scanner.
#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "core/ingest/json/json_scanner.h"
#include "core/source/text_source.h"
#include "tests/core/ingest/batch_description.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size) {
    using namespace lanescope;
    std::string text(reinterpret_cast<const char*>(data), size);
    text.append(kTextPadding, '\0');
    const std::string_view whole(text.data(), size);
    for (const bool last : {false, true}) {
        const std::string by_shape = testing::describe_scan(whole, last);
        const std::string by_key = testing::describe_scan_key_by_key(whole, last);
        if (by_shape == by_key) continue;
        std::fprintf(stderr, "by shape:\n%s\nkey by key:\n%s\n", by_shape.c_str(), by_key.c_str());
        std::abort();
    }
    return 0;
}
