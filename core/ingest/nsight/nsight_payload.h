// Decodes binary payloads of NVTX events with the schemas in the export.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
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

    // A schema may read the same bytes again and again, for very many events. The most bytes of
    // names and values for each byte of an event's data, and of an event; of one text.
    static constexpr std::size_t kMostOfByte = 64;
    static constexpr std::size_t kMostOfEvent = std::size_t{64} << 10;
    static constexpr std::size_t kLongestText = std::size_t{16} << 10;

    // The values of NVTX_EVENTS.binaryData, in the order of the schema; empty if the schema is not
    // known. Fields that are cut off, and those of unknown types, are left out. Fields beyond the
    // limits are left out too, and the last argument, "payload left out", says how many.
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
    // None: the field is cut off, or its type is not known.
    std::optional<Argument> value_of(const SchemaKey& schema, const Field& field,
                                     std::string_view payload) const;

    std::map<SchemaKey, std::map<int64_t, Field>> schemas_;  // fields by index
    std::map<SchemaKey, Enum> enums_;
};

}  // namespace lanescope
