// Tables as Arrow streams: types, dictionaries, unknown values, and rows that are shared.
#include "core/export/tables/arrow_stream.h"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <nanoarrow/nanoarrow.hpp>
#include <optional>
#include <string>
#include <vector>

#include "core/export/tables/arrow_rows.h"
#include "core/table/columns.h"

namespace lanescope {

namespace {

struct ArrowTestRow {
    std::string_view text;
    std::optional<std::string_view> maybe;
    int64_t number = 0;
    double real = 0;
    std::vector<int64_t> list;
};

constexpr auto kArrowTestColumns = columns<ArrowTestRow>({
    {{"text", Unit::none, kDistinct, "", "A text."},
     [](const ArrowTestRow& row) { return row.text; }},
    {{"maybe", Unit::none, kDistinct, "no text", "A text or none."},
     [](const ArrowTestRow& row) { return row.maybe; }},
    {{"number", Unit::nanoseconds, kSum, "", "A number."},
     [](const ArrowTestRow& row) { return row.number; }},
    {{"real", Unit::ratio, kNoAggregate, "", "A number; NaN is unknown."},
     [](const ArrowTestRow& row) { return row.real; }},
    {{"list", Unit::none, kNoAggregate, "", "Numbers."},
     [](const ArrowTestRow& row) { return std::span<const int64_t>(row.list); }},
});
constexpr TableOf<ArrowTestRow> kArrowTestTable = {{"arrow_test", "Rows."}, kArrowTestColumns};

Table arrow_test_table() {
    TableBuilder<ArrowTestRow> table(kArrowTestTable);
    table.add({"one", "x", INT64_MAX, 0.5, {1, 2, 3}});
    table.add({"", std::nullopt, -1, std::nan(""), {}});
    table.add({"one", "", 0, -2, {4}});
    table.add({"bad \xff byte", "one", 7, 1e300, {}});
    return table.take();
}

// The only array of a stream.
struct OnlyArray {
    nanoarrow::UniqueSchema schema;
    nanoarrow::UniqueArray array;

    explicit OnlyArray(ArrowArrayStream* stream) {
        REQUIRE(stream->get_schema(stream, schema.get()) == 0);
        REQUIRE(stream->get_next(stream, array.get()) == 0);
        nanoarrow::UniqueArray next;
        REQUIRE(stream->get_next(stream, next.get()) == 0);
        CHECK_FALSE(static_cast<bool>(next->release));
    }
    std::optional<std::string> text(int64_t column, int64_t row) const {
        nanoarrow::UniqueArrayView view;
        REQUIRE(ArrowArrayViewInitFromSchema(view.get(), schema.get(), nullptr) == 0);
        REQUIRE(ArrowArrayViewSetArray(view.get(), array.get(), nullptr) == 0);
        const ArrowArrayView* const values = view->children[column];
        if (ArrowArrayViewIsNull(values, row)) return std::nullopt;
        const ArrowStringView found =
            values->dictionary ? ArrowArrayViewGetStringUnsafe(
                                     values->dictionary, ArrowArrayViewGetIntUnsafe(values, row))
                               : ArrowArrayViewGetStringUnsafe(values, row);
        return std::string(found.data, static_cast<std::size_t>(found.size_bytes));
    }
    int64_t number(int64_t row) const {
        return static_cast<const int64_t*>(array->children[2]->buffers[1])[row];
    }
};

}  // namespace

TEST_CASE("a table as an Arrow stream") {
    for (const ArrowTexts texts : {ArrowTexts::dictionary, ArrowTexts::plain}) {
        nanoarrow::UniqueArrayStream stream;
        REQUIRE(make_arrow_stream(arrow_test_table(), {texts, 0}, stream.get()));
        const OnlyArray only(stream.get());
        const std::array formats = {texts == ArrowTexts::plain ? "u" : "i",
                                    texts == ArrowTexts::plain ? "u" : "i", "l", "g", "+l"};
        for (std::size_t c = 0; c < formats.size(); ++c)
            CHECK(std::string(only.schema->children[c]->format) == formats[c]);
        CHECK(only.array->length == 4);
        CHECK(only.text(0, 0) == "one");
        CHECK(only.text(0, 1) == "");
        CHECK(only.text(0, 2) == "one");
        CHECK(only.text(0, 3) == "bad \xef\xbf\xbd byte");
        CHECK(only.text(1, 1) == std::nullopt);
        CHECK(only.text(1, 2) == "");
        CHECK(only.number(0) == INT64_MAX);
        CHECK(only.array->children[3]->null_count == 1);
        CHECK(only.array->children[4]->children[0]->length == 4);
        if (texts == ArrowTexts::dictionary)
            CHECK(only.array->children[0]->dictionary->length == 3);  // each text once
    }
}

TEST_CASE("a stream in batches, and an empty one") {
    nanoarrow::UniqueArrayStream stream;
    REQUIRE(make_arrow_stream(arrow_test_table(), {ArrowTexts::plain, 3}, stream.get()));
    std::vector<int64_t> lengths;
    while (true) {
        nanoarrow::UniqueArray array;
        REQUIRE(stream->get_next(stream.get(), array.get()) == 0);
        if (!array->release) break;
        lengths.push_back(array->length);
    }
    CHECK(lengths == std::vector<int64_t>{3, 1});
    nanoarrow::UniqueArrayStream empty;
    REQUIRE(make_arrow_stream(TableBuilder<ArrowTestRow>(kArrowTestTable).take(), {}, empty.get()));
    nanoarrow::UniqueArray none;
    REQUIRE(empty->get_next(empty.get(), none.get()) == 0);
    CHECK_FALSE(static_cast<bool>(none->release));
}

TEST_CASE("rows are shared and outlive what made them") {
    nanoarrow::UniqueArrayStream first;
    nanoarrow::UniqueArrayStream second;
    const void* numbers = nullptr;
    {
        nanoarrow::UniqueArrayStream stream;
        REQUIRE(make_arrow_stream(arrow_test_table(), {}, stream.get()));
        const auto rows = ArrowRows::keep(stream.get());
        REQUIRE(rows);
        CHECK_FALSE(static_cast<bool>(stream->release));
        CHECK((*rows)->row_count() == 4);
        REQUIRE((*rows)->share(first.get()));
        REQUIRE((*rows)->share(second.get()));
    }
    {
        const OnlyArray only(first.get());
        numbers = only.array->children[2]->buffers[1];
        CHECK(only.text(0, 2) == "one");
    }
    first.reset();
    const OnlyArray only(second.get());
    CHECK(only.array->children[2]->buffers[1] == numbers);  // the same memory
    CHECK(only.text(0, 3) == "bad \xef\xbf\xbd byte");
    CHECK(only.text(1, 1) == std::nullopt);
    CHECK(only.number(3) == 7);
}

}  // namespace lanescope
