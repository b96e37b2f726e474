#include "core/export/tables/arrow_stream.h"

#include <algorithm>
#include <array>
#include <nanoarrow/nanoarrow.hpp>
#include <string>
#include <string_view>
#include <thread>
#include <unordered_map>
#include <utility>

#include "core/base/parallel.h"
#include "core/base/utf8.h"
#include "core/export/words/written_by.h"

namespace lanescope {

namespace {

// The first error of several calls of nanoarrow.
class ArrowStatus {
  public:
    void check(ArrowErrorCode code) {
        if (code_ == NANOARROW_OK) code_ = code;
    }
    explicit operator bool() const { return code_ == NANOARROW_OK; }
    ArrowErrorCode code() const { return code_; }
    Error error(const TableSpec& spec) const {
        const std::string reason = code_ == EOVERFLOW || code_ == EINVAL
                                       ? "its texts take more than 2 GiB"
                                       : "there is not enough memory";
        return {ErrorCode::unsupported, Error::no_offset,
                "Table " + std::string(spec.name) + " cannot be passed on as Arrow: " + reason};
    }

  private:
    ArrowErrorCode code_ = NANOARROW_OK;
};

ArrowStringView arrow_text(std::string_view text) {
    return {text.data(), static_cast<int64_t>(text.size())};
}

using ArrowFact = std::pair<std::string_view, std::string_view>;

void set_facts(ArrowSchema* schema, const std::array<ArrowFact, 2>& facts, ArrowStatus& status) {
    nanoarrow::UniqueBuffer metadata;
    status.check(ArrowMetadataBuilderInit(metadata.get(), nullptr));
    for (const auto& [key, value] : facts)
        status.check(
            ArrowMetadataBuilderAppend(metadata.get(), arrow_text(key), arrow_text(value)));
    if (!status) return;
    status.check(ArrowSchemaSetMetadata(schema, reinterpret_cast<const char*>(metadata->data)));
}

void set_arrow_type(ArrowSchema* schema, ValueType type, ArrowTexts texts, ArrowStatus& status) {
    switch (type) {
        case ValueType::integer:
            return status.check(ArrowSchemaSetType(schema, NANOARROW_TYPE_INT64));
        case ValueType::real:
            return status.check(ArrowSchemaSetType(schema, NANOARROW_TYPE_DOUBLE));
        case ValueType::integers:
            status.check(ArrowSchemaSetType(schema, NANOARROW_TYPE_LIST));
            if (status) status.check(ArrowSchemaSetType(schema->children[0], NANOARROW_TYPE_INT64));
            return;
        case ValueType::text:
            if (texts == ArrowTexts::plain)
                return status.check(ArrowSchemaSetType(schema, NANOARROW_TYPE_STRING));
            status.check(ArrowSchemaSetType(schema, NANOARROW_TYPE_INT32));
            status.check(ArrowSchemaAllocateDictionary(schema));
            if (status)
                status.check(ArrowSchemaInitFromType(schema->dictionary, NANOARROW_TYPE_STRING));
    }
}

void make_arrow_schema(const TableSpec& spec, ArrowTexts texts, ArrowSchema* schema,
                       ArrowStatus& status) {
    ArrowSchemaInit(schema);
    status.check(ArrowSchemaSetTypeStruct(schema, static_cast<int64_t>(spec.columns.size())));
    for (std::size_t c = 0; c < spec.columns.size() && status; ++c) {
        const ColumnSpec& column = spec.columns[c];
        ArrowSchema* const child = schema->children[c];
        set_arrow_type(child, column.type, texts, status);
        status.check(ArrowSchemaSetName(child, std::string(column.key).c_str()));
        set_facts(child, {{{"unit", unit_name(column.unit)}, {"definition", column.definition}}},
                  status);
    }
    if (status) set_facts(schema, {{{kWrittenByKey, kWrittenBy}, {"table", spec.name}}}, status);
}

// Numbers the different texts of a column. Rows repeat the texts of a pool, so an address that was
// seen before mostly answers without a comparison.
class ArrowDictionary {
  public:
    // The number of a text, which must live as long as this.
    int32_t number_of(std::string_view text) {
        Recent& recent = recent_[slot_of(text)];
        if (recent.number >= 0 && recent.text.data() == text.data() &&
            recent.text.size() == text.size())
            return recent.number;
        const auto [place, is_new] =
            numbers_.try_emplace(text, static_cast<int32_t>(texts_.size()));
        if (is_new) texts_.push_back(text);
        recent = {text, place->second};
        return place->second;
    }
    const std::vector<std::string_view>& texts() const { return texts_; }

  private:
    struct Recent {
        std::string_view text;
        int32_t number = -1;
    };
    static std::size_t slot_of(std::string_view text) {
        return (std::hash<const void*>()(text.data()) >> 2U) % kRecent;
    }

    static constexpr std::size_t kRecent = 1024;
    std::vector<Recent> recent_ = std::vector<Recent>(kRecent);
    std::unordered_map<std::string_view, int32_t> numbers_;
    std::vector<std::string_view> texts_;
};

void append_arrow_text(ArrowArray* array, std::string_view text, ArrowStatus& status) {
    if (is_utf8(text))
        status.check(ArrowArrayAppendString(array, arrow_text(text)));
    else
        status.check(ArrowArrayAppendString(array, arrow_text(repair_bytes(text))));
}

void append_arrow_cell(ArrowArray* array, const Cell& cell, ArrowDictionary* dictionary,
                       ArrowStatus& status) {
    if (std::holds_alternative<std::monostate>(cell)) {
        status.check(ArrowArrayAppendNull(array, 1));
    } else if (const auto* const whole = std::get_if<int64_t>(&cell)) {
        status.check(ArrowArrayAppendInt(array, *whole));
    } else if (const auto* const real = std::get_if<double>(&cell)) {
        status.check(ArrowArrayAppendDouble(array, *real));
    } else if (const auto* const text = std::get_if<std::string_view>(&cell)) {
        if (dictionary)
            status.check(ArrowArrayAppendInt(array, dictionary->number_of(*text)));
        else
            append_arrow_text(array, *text, status);
    } else if (const auto* const list = std::get_if<std::span<const int64_t>>(&cell)) {
        for (const int64_t number : *list)
            status.check(ArrowArrayAppendInt(array->children[0], number));
        status.check(ArrowArrayFinishElement(array));
    }
}

// nanoarrow leaves the bits after the last row as the memory was; equal tables have equal bytes.
void clear_unused_bits(ArrowArray* array) {
    const ArrowBitmap* const valid = ArrowArrayValidityBitmap(array);
    const auto used = static_cast<unsigned>(valid->size_bits % 8);
    if (used == 0) return;
    uint8_t& last = valid->buffer.data[valid->size_bits / 8];
    last = static_cast<uint8_t>(last & ((1U << used) - 1U));
}

void append_arrow_column(ArrowArray* array, const Table& table, std::size_t column,
                         std::size_t first, std::size_t last, ArrowTexts texts,
                         ArrowStatus& status) {
    const bool has_dictionary =
        table.spec().columns[column].type == ValueType::text && texts == ArrowTexts::dictionary;
    ArrowDictionary dictionary;
    for (std::size_t row = first; row < last && status; ++row)
        append_arrow_cell(array, table.cell(row, column), has_dictionary ? &dictionary : nullptr,
                          status);
    if (!status) return;
    clear_unused_bits(array);
    if (has_dictionary)
        for (const std::string_view text : dictionary.texts())
            append_arrow_text(array->dictionary, text, status);
}

void make_arrow_batch(const Table& table, std::size_t first, std::size_t last, ArrowTexts texts,
                      const ArrowSchema* schema, ArrowArray* array, ArrowStatus& status) {
    status.check(ArrowArrayInitFromSchema(array, schema, nullptr));
    if (status) status.check(ArrowArrayStartAppending(array));
    if (status) status.check(ArrowArrayReserve(array, static_cast<int64_t>(last - first)));
    if (!status) return;
    std::vector<ArrowStatus> of_columns(table.column_count());
    parallel_for(std::thread::hardware_concurrency(), of_columns.size(), [&](std::size_t c) {
        append_arrow_column(array->children[c], table, c, first, last, texts, of_columns[c]);
    });
    for (const ArrowStatus& of_column : of_columns) status.check(of_column.code());
    if (!status) return;
    array->length = static_cast<int64_t>(last - first);
    status.check(ArrowArrayFinishBuildingDefault(array, nullptr));
}

}  // namespace

Result<void> make_arrow_stream(const Table& table, const ArrowLayout& layout,
                               ArrowArrayStream* stream) {
    ArrowStatus status;
    nanoarrow::UniqueSchema schema;
    make_arrow_schema(table.spec(), layout.texts, schema.get(), status);
    if (!status) return status.error(table.spec());
    const std::size_t rows = table.row_count();
    const std::size_t of_batch = layout.batch_rows > 0 ? layout.batch_rows : rows;
    std::vector<nanoarrow::UniqueArray> batches;
    batches.reserve(rows > 0 ? (rows + of_batch - 1) / of_batch : 0);
    for (std::size_t first = 0; first < rows && status; first += of_batch)
        make_arrow_batch(table, first, std::min(first + of_batch, rows), layout.texts, schema.get(),
                         batches.emplace_back().get(), status);
    if (!status) return status.error(table.spec());
    nanoarrow::UniqueArrayStream made;
    status.check(
        ArrowBasicArrayStreamInit(made.get(), schema.get(), static_cast<int64_t>(batches.size())));
    if (!status) return status.error(table.spec());
    for (std::size_t i = 0; i < batches.size(); ++i)
        ArrowBasicArrayStreamSetArray(made.get(), static_cast<int64_t>(i), batches[i].get());
    made.move(stream);
    return {};
}

}  // namespace lanescope
