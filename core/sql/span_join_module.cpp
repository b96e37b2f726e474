#include "core/sql/modules.h"

namespace lanescope {

int add_span_join_modules(sqlite3*) {
    return SQLITE_OK;
}

}  // namespace lanescope
