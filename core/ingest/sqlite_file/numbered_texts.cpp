#include "core/ingest/sqlite_file/numbered_texts.h"

#include <array>

namespace lanescope {

NumberedTexts::NumberedTexts(const SqliteFile& file, std::string_view table,
                             std::string_view column) {
    const SqliteTable* const found = file.find(table);
    if (!found) return;
    const std::array<std::string_view, 2> columns = {column, "id"};
    if (found->alias == "id") {
        lookup_.emplace(file.lookup(*found, columns));
        return;
    }
    SqliteRows rows = file.rows(*found, columns);
    while (rows.next()) texts_.try_emplace(rows.number(1), rows.text(0));
}

std::string_view NumberedTexts::text(int64_t id) {
    if (id == kNoValue) return {};
    if (lookup_) return lookup_->seek(id) ? lookup_->text(0) : std::string_view();
    const auto known = texts_.find(id);
    return known == texts_.end() ? std::string_view() : known->second;
}

}  // namespace lanescope
