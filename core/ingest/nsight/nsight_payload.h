// Decodes the binary payloads of NVTX events by the schemas that the export states.
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

    // The values of NVTX_EVENTS.binaryData, in the order of the schema; empty if the schema is not
    // known. Fields that are cut off, and those of unknown types, are left out.
    std::vector<Argument> values(std::string_view data) const;

  private:
    struct Field {
        int64_t type = 0;
        uint64_t offset = 0;
        uint64_t length = 0;  // of a text of fixed length
        std::string name;
    };
    struct Enum {
        uint64_t bytes = 4;
        std::map<int64_t, std::string> names;
    };
    using SchemaKey = std::pair<int64_t, int64_t>;  // domain and number

    void read_fields(const SqliteFile& file);
    void read_enums(const SqliteFile& file);
    bool add_value(const SchemaKey& schema, const Field& field, std::string_view payload,
                   std::vector<Argument>& list) const;

    std::map<SchemaKey, std::map<int64_t, Field>> schemas_;  // fields by their index
    std::map<SchemaKey, Enum> enums_;
};

}  // namespace lanescope
