#include "core/ingest/nsight/nsight_payload.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <nlohmann/json.hpp>
#include <optional>

#include "core/base/format.h"
#include "core/base/utf8.h"

namespace lanescope {

namespace {

// Size of the header before the payload: domain, schema and sizes.
constexpr std::size_t kPayloadHeader = 32;
constexpr std::size_t kSchemaAt = 8;
constexpr std::size_t kPayloadSizeAt = 16;
constexpr uint64_t kMostOffset = uint64_t{1} << 32;

enum class Read : uint8_t { number, unsigned_number, real, character, address };

// NVTX_PAYLOAD_ENTRY_TYPE_*, with the sizes of 64-bit Linux.
struct ValueType {
    int64_t type;
    uint8_t bytes;
    Read read;
};
constexpr std::array kValueTypes = {
    ValueType{1, 1, Read::character},        // CHAR
    ValueType{2, 1, Read::unsigned_number},  // UCHAR
    ValueType{3, 2, Read::number},           // SHORT
    ValueType{4, 2, Read::unsigned_number},  // USHORT
    ValueType{5, 4, Read::number},           // INT
    ValueType{6, 4, Read::unsigned_number},  // UINT
    ValueType{7, 8, Read::number},           // LONG
    ValueType{8, 8, Read::unsigned_number},  // ULONG
    ValueType{9, 8, Read::number},           // LONGLONG
    ValueType{10, 8, Read::unsigned_number},
    ValueType{11, 1, Read::number},  // INT8
    ValueType{12, 1, Read::unsigned_number},
    ValueType{13, 2, Read::number},
    ValueType{14, 2, Read::unsigned_number},
    ValueType{15, 4, Read::number},
    ValueType{16, 4, Read::unsigned_number},
    ValueType{17, 8, Read::number},
    ValueType{18, 8, Read::unsigned_number},  // UINT64
    ValueType{19, 4, Read::real},             // FLOAT
    ValueType{20, 8, Read::real},             // DOUBLE
    ValueType{22, 8, Read::unsigned_number},  // SIZE
    ValueType{23, 8, Read::address},          // ADDRESS
    ValueType{25, 1, Read::character},        // CHAR8
    ValueType{32, 1, Read::unsigned_number},  // BYTE
    ValueType{43, 4, Read::real},             // FLOAT32
    ValueType{44, 8, Read::real},             // FLOAT64
    ValueType{68, 4, Read::unsigned_number},  // CATEGORY
    ValueType{69, 4, Read::unsigned_number},  // COLOR_ARGB
    ValueType{70, 8, Read::unsigned_number},  // SCOPE_ID
    ValueType{71, 4, Read::unsigned_number},  // PID_UINT32
    ValueType{72, 8, Read::unsigned_number},
    ValueType{73, 4, Read::unsigned_number},  // TID_UINT32
    ValueType{74, 8, Read::unsigned_number},
};
constexpr int64_t kFixedText = 75;  // CSTRING of fixed length
constexpr int64_t kFixedUtf8 = 76;
constexpr int64_t kFlagsOfArrays = 0x17E;  // pointers, arrays, deep copies

template <typename T>
T value_at(std::string_view bytes, std::size_t at) {
    T value = 0;
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

uint64_t unsigned_at(std::string_view bytes, std::size_t at, uint64_t size) {
    uint64_t value = 0;
    std::memcpy(&value, bytes.data() + at, std::min<uint64_t>(size, sizeof value));
    return value;
}

int64_t signed_at(std::string_view bytes, std::size_t at, uint64_t size) {
    const uint64_t unused = 64 - 8 * std::min<uint64_t>(size, 8);
    return static_cast<int64_t>(unsigned_at(bytes, at, size) << unused) >>
           static_cast<int64_t>(unused);
}

// Valid UTF-8, and not too long; a text that is cut says how much is missing.
std::string shortened(std::string_view text) {
    const std::string_view shown = utf8_beginning(text, NsightPayloads::kLongestText);
    if (shown.size() == text.size()) return repair_bytes(text);
    return fmt::format("{}… ({} more)", repair_bytes(shown),
                       format_bytes(static_cast<int64_t>(text.size() - shown.size())));
}

Argument argument_of(const std::string& name, const ValueType& type, std::string_view payload,
                     std::size_t at) {
    switch (type.read) {
        case Read::number:
            return {name, std::to_string(signed_at(payload, at, type.bytes)), false};
        case Read::real: {
            const double value =
                type.bytes == 4 ? value_at<float>(payload, at) : value_at<double>(payload, at);
            return {name, nlohmann::json(value).dump(), false};
        }
        case Read::character:
            return {name, repair_bytes(payload.substr(at, 1)), true};
        case Read::address:
            return {name, fmt::format("{:#x}", unsigned_at(payload, at, type.bytes)), true};
        case Read::unsigned_number:
            break;
    }
    return {name, std::to_string(unsigned_at(payload, at, type.bytes)), false};
}

}  // namespace

NsightPayloads::NsightPayloads(const SqliteFile& file) {
    read_fields(file);
    read_enums(file);
}

void NsightPayloads::read_fields(const SqliteFile& file) {
    const SqliteTable* const table = file.find("NVTX_PAYLOAD_SCHEMA_ENTRIES");
    if (!table) return;
    constexpr std::array<std::string_view, 8> columns = {
        "domainId", "schemaId", "idx", "type", "name", "arrayOrUnionDetail", "offset", "flags"};
    SqliteRows rows = file.rows(*table, columns);
    while (rows.next()) {
        const int64_t index = rows.number(2, 0);
        const int64_t offset = rows.number(6, 0);
        const int64_t length = rows.number(5, 0);
        if (offset < 0 || static_cast<uint64_t>(offset) > kMostOffset || length < 0) continue;
        Field field{rows.number(3), static_cast<uint64_t>(offset), static_cast<uint64_t>(length),
                    shortened(rows.text(4))};
        if (field.name.empty()) field.name = fmt::format("payload {}", index);
        if ((rows.number(7, 0) & kFlagsOfArrays) != 0) field.type = kNoValue;
        // A schema is repeated for each process that registered it.
        schemas_[{rows.number(0, 0), rows.number(1)}].try_emplace(index, std::move(field));
    }
}

void NsightPayloads::read_enums(const SqliteFile& file) {
    if (const SqliteTable* const table = file.find("NVTX_PAYLOAD_ENUMS")) {
        constexpr std::array<std::string_view, 3> columns = {"domainId", "schemaId", "size"};
        SqliteRows rows = file.rows(*table, columns);
        while (rows.next()) {
            const int64_t bytes = rows.number(2, 4);
            if (bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8)
                enums_[{rows.number(0, 0), rows.number(1)}].bytes = static_cast<uint64_t>(bytes);
        }
    }
    if (const SqliteTable* const table = file.find("NVTX_PAYLOAD_ENUM_ENTRIES")) {
        constexpr std::array<std::string_view, 4> columns = {"domainId", "schemaId", "name",
                                                             "value"};
        SqliteRows rows = file.rows(*table, columns);
        while (rows.next())
            enums_[{rows.number(0, 0), rows.number(1)}].names.try_emplace(rows.number(3),
                                                                          shortened(rows.text(2)));
    }
}

std::optional<Argument> NsightPayloads::value_of(const SchemaKey& schema, const Field& field,
                                                 std::string_view payload) const {
    const auto fits = [&](uint64_t bytes) {
        return field.offset <= payload.size() && bytes <= payload.size() - field.offset;
    };
    const std::size_t at = field.offset;
    if (const auto found = enums_.find({schema.first, field.type}); found != enums_.end()) {
        if (!fits(found->second.bytes)) return std::nullopt;
        const int64_t value = signed_at(payload, at, found->second.bytes);
        const auto word = found->second.names.find(value);
        const bool is_named = word != found->second.names.end();
        return Argument{field.name, is_named ? word->second : std::to_string(value), is_named};
    }
    if ((field.type == kFixedText || field.type == kFixedUtf8) && field.length > 0) {
        if (!fits(field.length)) return std::nullopt;
        const std::string_view text = payload.substr(at, field.length);
        return Argument{field.name, shortened(text.substr(0, text.find('\0'))), true};
    }
    const auto* const type = std::ranges::find(kValueTypes, field.type, &ValueType::type);
    if (type == kValueTypes.end() || !fits(type->bytes)) return std::nullopt;
    return argument_of(field.name, *type, payload, at);
}

std::vector<Argument> NsightPayloads::values(std::string_view data) const {
    std::vector<Argument> list;
    if (data.size() < kPayloadHeader) return list;
    const SchemaKey key = {value_at<uint32_t>(data, 0), value_at<uint32_t>(data, kSchemaAt)};
    const auto schema = schemas_.find(key);
    if (schema == schemas_.end()) return list;
    const uint64_t bytes = value_at<uint64_t>(data, kPayloadSizeAt);
    const std::string_view payload = data.substr(kPayloadHeader, bytes);
    const std::size_t most = std::min(kMostOfEvent, kMostOfByte * data.size());
    std::size_t held = 0;
    std::size_t shown = 0;
    for (const auto& [index, field] : schema->second) {
        std::optional<Argument> value = value_of(key, field, payload);
        if (value) held += value->name.size() + value->value.size();
        // The rest is not decoded: it may be very long.
        if (held > most) break;
        ++shown;
        if (value) list.push_back(std::move(*value));
    }
    if (shown < schema->second.size())
        list.push_back({"payload left out",
                        format_count(schema->second.size() - shown, "field", "fields"), true});
    return list;
}

}  // namespace lanescope
