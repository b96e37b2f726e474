// Decodes binary payloads of NVTX events with the schemas in the export.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/ingest/sqlite_file/sqlite_file.h"
#include "core/trace/trace.h"

namespace lanescope {

class NsightPayloads {
  public:
    explicit NsightPayloads(const SqliteFile& file);

    // The values of NVTX_EVENTS.binaryData, in the order of the schema's fields; empty if the
    // schema is unknown. Leaves out fields beyond the end of the data and fields of unknown types.
    std::vector<Argument> values(std::string_view data) const;

  private:
    struct Field {
        int64_t type = 0;
        uint64_t offset = 0;  // bytes from the start of the payload
        uint64_t length = 0;  // bytes of a fixed-length text
        std::string name;
    };
    struct Enum {
        uint64_t bytes = 4;
        std::map<int64_t, std::string> names;
    };
    using SchemaKey = std::pair<int64_t, int64_t>;  // domain ID and schema ID

    void read_fields(const SqliteFile& file);
    void read_enums(const SqliteFile& file);
    bool add_value(const SchemaKey& schema, const Field& field, std::string_view payload,
                   std::vector<Argument>& list) const;

    std::map<SchemaKey, std::map<int64_t, Field>> schemas_;  // fields by index
    std::map<SchemaKey, Enum> enums_;
};

}  // namespace lanescope
