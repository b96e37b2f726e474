#include "api/arrow_reader.h"

#include <fmt/format.h>

#include <cmath>
#include <nanoarrow/nanoarrow.hpp>
#include <string>
#include <vector>

#include "api/failure.h"

namespace lanescope {

namespace {

// The Arrow storage type of a column.
enum class Stored : uint8_t { absent, null, whole, real, text, dictionary };

Stored stored_as(const ArrowSchemaView& view) {
    switch (view.type) {
        case NANOARROW_TYPE_NA:
            return Stored::null;
        case NANOARROW_TYPE_BOOL:
        case NANOARROW_TYPE_INT8:
        case NANOARROW_TYPE_UINT8:
        case NANOARROW_TYPE_INT16:
        case NANOARROW_TYPE_UINT16:
        case NANOARROW_TYPE_INT32:
        case NANOARROW_TYPE_UINT32:
        case NANOARROW_TYPE_INT64:
        case NANOARROW_TYPE_UINT64:
            return Stored::whole;
        case NANOARROW_TYPE_FLOAT:
        case NANOARROW_TYPE_DOUBLE:
            return Stored::real;
        case NANOARROW_TYPE_STRING:
        case NANOARROW_TYPE_LARGE_STRING:
        case NANOARROW_TYPE_STRING_VIEW:
            return Stored::text;
        case NANOARROW_TYPE_DICTIONARY:
            return Stored::dictionary;
        default:
            return Stored::absent;
    }
}

bool fits(Stored stored, ArrowType type) {
    if (stored == Stored::null) return true;
    if (type == ArrowType::number) return stored == Stored::whole || stored == Stored::real;
    return stored == Stored::text || stored == Stored::dictionary;
}

class BatchRow final : public ArrowRow {
  public:
    struct Source {
        Stored stored = Stored::absent;
        int64_t child = 0;
    };

    explicit BatchRow(std::vector<Source> sources) : sources_(std::move(sources)) {}

    void set(const ArrowArrayView& view, int64_t row) {
        view_ = &view;
        row_ = row;
    }

    std::optional<int64_t> number(std::size_t column) const override {
        const ArrowArrayView* const values = known_values(column);
        if (!values) return std::nullopt;
        if (sources_[column].stored == Stored::whole)
            return ArrowArrayViewGetIntUnsafe(values, row_);
        // Some libraries write NaN for a missing integer.
        constexpr double most = 9e18;
        const double value = ArrowArrayViewGetDoubleUnsafe(values, row_);
        if (!(std::abs(value) < most)) return std::nullopt;
        return std::llround(value);
    }

    std::string_view text(std::size_t column) const override {
        const ArrowArrayView* const values = known_values(column);
        if (!values) return {};
        const bool is_dictionary = sources_[column].stored == Stored::dictionary;
        const ArrowArrayView* const texts = is_dictionary ? values->dictionary : values;
        const int64_t place = is_dictionary ? ArrowArrayViewGetIntUnsafe(values, row_) : row_;
        if (place < 0 || place >= texts->length || ArrowArrayViewIsNull(texts, place)) return {};
        const ArrowStringView found = ArrowArrayViewGetStringUnsafe(texts, place);
        return {found.data, static_cast<std::size_t>(found.size_bytes)};
    }

  private:
    // Null: the value is missing.
    const ArrowArrayView* known_values(std::size_t column) const {
        const Source& source = sources_[column];
        if (source.stored == Stored::absent || source.stored == Stored::null) return nullptr;
        const ArrowArrayView* const values = view_->children[source.child];
        return ArrowArrayViewIsNull(values, row_) ? nullptr : values;
    }

    std::vector<Source> sources_;
    const ArrowArrayView* view_ = nullptr;
    int64_t row_ = 0;
};

Result<std::vector<BatchRow::Source>> sources_of(const ArrowSchema& schema, std::string_view what,
                                                 std::span<const WantedColumn> wanted) {
    std::vector<BatchRow::Source> sources(wanted.size());
    for (std::size_t w = 0; w < wanted.size(); ++w) {
        bool is_there = false;
        for (int64_t c = 0; c < schema.n_children && !is_there; ++c) {
            const ArrowSchema* const child = schema.children[c];
            if (!child->name || wanted[w].name != child->name) continue;
            ArrowSchemaView view;
            if (ArrowSchemaViewInit(&view, child, nullptr) != NANOARROW_OK)
                return misuse(fmt::format("Column {} of {} has no known type", child->name, what));
            Stored stored = stored_as(view);
            if (stored == Stored::dictionary) {
                ArrowSchemaView texts;
                if (ArrowSchemaViewInit(&texts, child->dictionary, nullptr) != NANOARROW_OK ||
                    stored_as(texts) != Stored::text)
                    stored = Stored::absent;
            }
            if (!fits(stored, wanted[w].type))
                return misuse(
                    fmt::format("Column {} of {} must have {}", wanted[w].name, what,
                                wanted[w].type == ArrowType::number ? "whole numbers" : "texts"));
            sources[w] = {stored, c};
            is_there = true;
        }
        if (!is_there && wanted[w].is_required)
            return misuse(fmt::format("{} has no column {}", what, wanted[w].name));
    }
    return sources;
}

Error stream_failed(std::string_view what, ArrowArrayStream* stream) {
    const char* const text = ArrowArrayStreamGetLastError(stream);
    return misuse(
        fmt::format("The stream of {} failed: {}", what, text ? text : "no reason given"));
}

}  // namespace

Result<void> read_arrow(ArrowArrayStream* stream, std::string_view what,
                        std::span<const WantedColumn> wanted,
                        const std::function<Result<void>(const ArrowRow&)>& visit) {
    nanoarrow::UniqueArrayStream own(stream);
    nanoarrow::UniqueSchema schema;
    if (ArrowArrayStreamGetSchema(own.get(), schema.get(), nullptr) != NANOARROW_OK)
        return stream_failed(what, own.get());
    const auto sources = sources_of(*schema.get(), what, wanted);
    if (!sources) return sources.error();
    BatchRow row(*sources);
    nanoarrow::UniqueArrayView view;
    if (ArrowArrayViewInitFromSchema(view.get(), schema.get(), nullptr) != NANOARROW_OK)
        return misuse(fmt::format("The columns of {} have no known layout", what));
    while (true) {
        nanoarrow::UniqueArray batch;
        if (ArrowArrayStreamGetNext(own.get(), batch.get(), nullptr) != NANOARROW_OK)
            return stream_failed(what, own.get());
        if (!batch->release) return {};
        if (ArrowArrayViewSetArray(view.get(), batch.get(), nullptr) != NANOARROW_OK ||
            ArrowArrayViewValidate(view.get(), NANOARROW_VALIDATION_LEVEL_DEFAULT, nullptr) !=
                NANOARROW_OK)
            return misuse(fmt::format("A batch of {} is damaged", what));
        for (int64_t i = 0; i < batch->length; ++i) {
            row.set(*view.get(), i + batch->offset);
            if (const Result<void> visited = visit(row); !visited) return visited.error();
        }
    }
}

}  // namespace lanescope
