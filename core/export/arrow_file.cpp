#include "core/export/arrow_file.h"

#include <algorithm>
#include <utility>

#include "core/base/utf8.h"
#include "core/export/flat_buffer.h"
#include "core/export/written_by.h"

namespace lanescope {

namespace {

// Numbers of Arrow's schema, format/Message.fbs, Schema.fbs and File.fbs.
constexpr int64_t kVersion5 = 4;
constexpr int64_t kSchemaMessage = 1;
constexpr int64_t kBatchMessage = 3;
constexpr int64_t kIntType = 2;
constexpr int64_t kFloatType = 3;
constexpr int64_t kUtf8Type = 5;
constexpr int64_t kListType = 12;
constexpr int64_t kDouble = 2;

constexpr std::string_view kMagic("ARROW1\0\0", 8);
constexpr std::size_t kMagicBytes = 6;            // at the end it is not padded
constexpr std::size_t kRowsOfBatch = 1ULL << 16;  // texts of a batch must be below 2 GiB

void pad(std::string& bytes) {
    constexpr std::size_t kAlignment = 8;
    while (bytes.size() % kAlignment != 0) bytes += '\0';
}

template <typename Number>
void put_number(std::string& bytes, Number number) {
    bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

using KeyAndValue = std::pair<std::string_view, std::string_view>;

std::size_t put_metadata(FlatBuffer& buffer, std::span<const KeyAndValue> pairs) {
    const std::size_t list = buffer.offsets(pairs.size());
    std::vector<std::size_t> slots;
    for (std::size_t i = 0; i < pairs.size(); ++i) {
        buffer.point(list + 4 + 4 * i, buffer.table({kFlatOffset, kFlatOffset}, slots));
        buffer.point(slots[0], buffer.text(pairs[i].first));
        buffer.point(slots[1], buffer.text(pairs[i].second));
    }
    return list;
}

std::size_t put_type(FlatBuffer& buffer, ValueType type) {
    std::vector<std::size_t> slots;
    if (type == ValueType::integer) return buffer.table({{4, 64}, {1, 1}}, slots);
    if (type == ValueType::real) return buffer.table({{2, kDouble}}, slots);
    return buffer.table({}, slots);
}

int64_t type_number(ValueType type) {
    switch (type) {
        case ValueType::text:
            return kUtf8Type;
        case ValueType::integer:
            return kIntType;
        case ValueType::real:
            return kFloatType;
        case ValueType::integers:
            return kListType;
    }
    return 0;
}

std::string_view unit_word(Unit unit) {
    switch (unit) {
        case Unit::nanoseconds:
            return "ns";
        case Unit::bytes:
            return "bytes";
        case Unit::flop:
            return "FLOP";
        case Unit::ratio:
            return "ratio";
        case Unit::count:
            return "count";
        case Unit::none:
            break;
    }
    return "";
}

std::size_t put_field(FlatBuffer& buffer, std::string_view name, ValueType type,
                      std::span<const KeyAndValue> metadata) {
    std::vector<std::size_t> slots;
    const std::size_t at = buffer.table({kFlatOffset,
                                         {1, 1},
                                         {1, type_number(type)},
                                         kFlatOffset,
                                         kFlatAbsent,
                                         kFlatOffset,
                                         kFlatOffset},
                                        slots);
    buffer.point(slots[0], buffer.text(name));
    buffer.point(slots[3], put_type(buffer, type));
    const bool is_list = type == ValueType::integers;
    const std::size_t children = buffer.offsets(is_list ? 1 : 0);
    buffer.point(slots[5], children);
    if (is_list) buffer.point(children + 4, put_field(buffer, "item", ValueType::integer, {}));
    buffer.point(slots[6], put_metadata(buffer, metadata));
    return at;
}

std::size_t put_schema(FlatBuffer& buffer, const TableSpec& spec) {
    std::vector<std::size_t> slots;
    const std::size_t at = buffer.table({{2, 0}, kFlatOffset, kFlatOffset}, slots);
    // First, since the head of a file tells who wrote it.
    const KeyAndValue about[] = {{kWrittenByKey, kWrittenBy}, {"table", spec.name}};
    buffer.point(slots[2], put_metadata(buffer, about));
    const std::size_t fields = buffer.offsets(spec.columns.size());
    buffer.point(slots[1], fields);
    for (std::size_t c = 0; c < spec.columns.size(); ++c) {
        const ColumnSpec& column = spec.columns[c];
        const KeyAndValue facts[] = {{"unit", unit_word(column.unit)},
                                     {"definition", column.definition}};
        buffer.point(fields + 4 + 4 * c, put_field(buffer, column.key, column.type, facts));
    }
    return at;
}

// The values of some rows: buffers in the order of the schema's fields.
struct ArrowBody {
    std::string bytes;
    std::vector<int64_t> nodes;    // length and number of nulls of each field
    std::vector<int64_t> buffers;  // offset and length

    void add(std::string_view buffer) {
        buffers.push_back(static_cast<int64_t>(bytes.size()));
        buffers.push_back(static_cast<int64_t>(buffer.size()));
        bytes += buffer;
        pad(bytes);
    }
};

void add_column(ArrowBody& body, const Table& table, std::size_t column, std::size_t first,
                std::size_t last) {
    const ValueType type = table.spec().columns[column].type;
    std::string valid((last - first + 7) / 8, '\0');
    std::string ends;
    std::string values;
    int64_t nulls = 0;
    int32_t end = 0;
    if (type == ValueType::text || type == ValueType::integers) put_number(ends, end);
    for (std::size_t row = first; row < last; ++row) {
        const Cell cell = table.cell(row, column);
        const bool is_null = std::holds_alternative<std::monostate>(cell);
        const std::size_t bit = row - first;
        if (is_null) ++nulls;
        if (!is_null) valid[bit / 8] = static_cast<char>(valid[bit / 8] | 1 << bit % 8);
        if (type == ValueType::integer || type == ValueType::real) {
            const auto* const whole = std::get_if<int64_t>(&cell);
            const auto* const real = std::get_if<double>(&cell);
            if (type == ValueType::integer)
                put_number(values, whole ? *whole : 0);
            else
                put_number(values, real ? *real : whole ? static_cast<double>(*whole) : 0.0);
            continue;
        }
        if (const auto* const text = std::get_if<std::string_view>(&cell))
            values += is_utf8(*text) ? *text : repair_bytes(*text);
        if (const auto* const list = std::get_if<std::span<const int64_t>>(&cell))
            for (const int64_t number : *list) put_number(values, number);
        end = static_cast<int32_t>(values.size() / (type == ValueType::text ? 1 : 8));
        put_number(ends, end);
    }
    body.nodes.insert(body.nodes.end(), {static_cast<int64_t>(last - first), nulls});
    body.add(nulls > 0 ? valid : "");
    if (type == ValueType::integers) {
        body.add(ends);
        body.nodes.insert(body.nodes.end(), {int64_t{end}, 0});
        body.add("");
    } else if (type == ValueType::text) {
        body.add(ends);
    }
    body.add(values);
}

// Appends a message: its length, `metadata` and the body. Returns its Block in the file's footer.
std::vector<int64_t> put_message(std::string& file, const FlatBuffer& metadata,
                                 const std::string& body) {
    const auto begin = static_cast<int64_t>(file.size());
    std::string padded = metadata.bytes();
    pad(padded);
    put_number(file, uint32_t{0xffffffff});
    put_number(file, static_cast<uint32_t>(padded.size()));
    file += padded;
    const int64_t head = static_cast<int64_t>(file.size()) - begin;
    file += body;
    return {begin, head, static_cast<int64_t>(body.size())};
}

std::size_t begin_message(FlatBuffer& buffer, int64_t kind, std::size_t body_bytes) {
    std::vector<std::size_t> slots;
    const auto bytes = static_cast<int64_t>(body_bytes);
    buffer.set_root(buffer.table({{2, kVersion5}, {1, kind}, kFlatOffset, {8, bytes}}, slots));
    return slots[2];
}

std::vector<int64_t> put_batch(std::string& file, const Table& table, std::size_t first,
                               std::size_t last) {
    ArrowBody body;
    for (std::size_t c = 0; c < table.column_count(); ++c) add_column(body, table, c, first, last);
    FlatBuffer message;
    const std::size_t header = begin_message(message, kBatchMessage, body.bytes.size());
    std::vector<std::size_t> slots;
    const auto rows = static_cast<int64_t>(last - first);
    message.point(header, message.table({{8, rows}, kFlatOffset, kFlatOffset}, slots));
    message.point(slots[1], message.structs(body.nodes.size() / 2, body.nodes));
    message.point(slots[2], message.structs(body.buffers.size() / 2, body.buffers));
    return put_message(file, message, body.bytes);
}

}  // namespace

std::string write_arrow(const Table& table) {
    std::string file(kMagic);
    FlatBuffer schema;
    const std::size_t header = begin_message(schema, kSchemaMessage, 0);
    schema.point(header, put_schema(schema, table.spec()));
    put_message(file, schema, "");
    std::vector<int64_t> blocks;
    for (std::size_t first = 0; first < table.row_count(); first += kRowsOfBatch) {
        const std::size_t last = std::min(first + kRowsOfBatch, table.row_count());
        const std::vector<int64_t> block = put_batch(file, table, first, last);
        blocks.insert(blocks.end(), block.begin(), block.end());
    }
    put_number(file, uint32_t{0xffffffff});  // the end of the messages
    put_number(file, uint32_t{0});
    FlatBuffer footer;
    std::vector<std::size_t> slots;
    footer.set_root(footer.table({{2, kVersion5}, kFlatOffset, kFlatOffset, kFlatOffset}, slots));
    footer.point(slots[1], put_schema(footer, table.spec()));
    footer.point(slots[2], footer.structs(0, {}));
    footer.point(slots[3], footer.structs(blocks.size() / 3, blocks));
    file += footer.bytes();
    put_number(file, static_cast<uint32_t>(footer.bytes().size()));
    file += kMagic.substr(0, kMagicBytes);
    return file;
}

}  // namespace lanescope
