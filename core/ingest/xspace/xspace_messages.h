// XSpace messages: events, descriptions of events, and stats (named values). Field numbers and
// types were taken from real files.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

namespace lanescope {

// The stats that the reader interprets.
enum class XspaceKey : uint8_t {
    none,
    address,
    allocation_bytes,
    allocator,
    bytes_allocated,
    bytes_reserved,
    consumer,
    consumer_type,
    correlation,
    hlo_category,
    hlo_op,
    index_on_host,
    is_root,
    kernel_details,
    memcpy_details,
    memset_details,
    producer,
    producer_type,
    program_id,
    shape,
    step_name,
    step_number,
    tf_op,
    count
};
XspaceKey xspace_key(std::string_view name);

struct XspaceValue {
    enum class Kind : uint8_t { none, number, real, text, bytes };
    Kind kind = Kind::none;
    bool is_unsigned = false;  // `number` is an unsigned 64-bit integer
    int64_t number = 0;
    double real = 0;
    std::string_view text;  // value of a text or of bytes

    bool exists() const { return kind != Kind::none; }
    // Numbers are stored as numbers or as decimal texts, depending on the version.
    std::optional<int64_t> as_number() const;
};

// Names of a plane's stats, by ID.
class XspaceStatNames {
  public:
    void add(int64_t id, std::string_view name);
    std::string_view name(int64_t id) const;  // empty: unknown
    XspaceKey key(int64_t id) const;

  private:
    struct Known {
        std::string name;
        XspaceKey key = XspaceKey::none;
    };
    std::unordered_map<int64_t, Known> known_;
};

// Parses one stat. Its text may belong to `names`. False: not a stat.
bool read_xspace_stat(std::string_view bytes, const XspaceStatNames& names, int64_t& id,
                      XspaceValue& value);

// The interpreted stats of a message.
class XspaceStats {
  public:
    const XspaceValue& operator[](XspaceKey key) const {
        return values_[static_cast<std::size_t>(key)];
    }
    bool has(XspaceKey key) const { return (*this)[key].exists(); }
    std::optional<int64_t> number(XspaceKey key) const { return (*this)[key].as_number(); }
    std::string_view text(XspaceKey key) const {
        const XspaceValue& value = (*this)[key];
        return value.kind == XspaceValue::Kind::text ? value.text : std::string_view();
    }
    void clear();
    // `bytes`: one stat.
    bool add(std::string_view bytes, const XspaceStatNames& names);

  private:
    std::array<XspaceValue, static_cast<std::size_t>(XspaceKey::count)> values_;
    uint32_t present_ = 0;  // one bit for each key
    static_assert(static_cast<std::size_t>(XspaceKey::count) <= 32);
};

struct XspaceEvent {
    int64_t metadata_id = 0;
    int64_t offset_ps = 0;  // from the start time of its line
    int64_t duration_ps = 0;
    bool is_sum = false;  // sum over several events, without a time
    XspaceStats stats;
};
// False: `bytes` are not an event. If `names` is null, no stats are read.
bool read_xspace_event(std::string_view bytes, const XspaceStatNames* names, XspaceEvent& event);

// XEventMetadata: the name and stats shared by all events with the same metadata ID.
struct XspaceEventMetadata {
    int64_t id = 0;
    std::string_view name;
    std::string_view display_name;
    std::vector<std::string_view> stats;  // not yet read
};
// `bytes`: an entry of the plane's map. The entry's key is used if the message has no ID.
bool read_xspace_event_metadata(std::string_view bytes, XspaceEventMetadata& metadata);
bool read_xspace_stat_metadata(std::string_view bytes, int64_t& id, std::string_view& name);

}  // namespace lanescope
