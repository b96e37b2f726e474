#include "core/ingest/xspace/xspace_messages.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <protozero/pbf_reader.hpp>
#include <utility>

namespace lanescope {

namespace {

using protozero::pbf_reader;
using protozero::pbf_wire_type;
using protozero::tag_and_type;

constexpr auto kVarint = pbf_wire_type::varint;
constexpr auto kBytes = pbf_wire_type::length_delimited;

std::string_view xspace_view(pbf_reader& message) {
    const protozero::data_view view = message.get_view();
    return {view.data(), view.size()};
}

// Calls take(message) at each field. False: the bytes are not a message.
template <typename Take>
bool read_xspace_message(std::string_view bytes, const Take& take) {
    try {
        pbf_reader message(bytes.data(), bytes.size());
        while (message.next()) take(message);
        return true;
    } catch (const protozero::exception&) {
        return false;
    }
}

// The key and message of a map entry.
struct MapEntry {
    int64_t key = 0;
    std::string_view message;
};
bool read_map_entry(std::string_view bytes, MapEntry& entry) {
    return read_xspace_message(bytes, [&](pbf_reader& message) {
        switch (message.tag_and_type()) {
            case tag_and_type(1, kVarint):
                entry.key = message.get_int64();
                break;
            case tag_and_type(2, kBytes):
                entry.message = xspace_view(message);
                break;
            default:
                message.skip();
        }
    });
}

constexpr std::array kKnownStats = {
    std::pair{std::string_view("addr"), XspaceKey::address},
    std::pair{std::string_view("allocation_bytes"), XspaceKey::allocation_bytes},
    std::pair{std::string_view("allocator_name"), XspaceKey::allocator},
    std::pair{std::string_view("bytes_allocated"), XspaceKey::bytes_allocated},
    std::pair{std::string_view("bytes_reserved"), XspaceKey::bytes_reserved},
    std::pair{std::string_view("_c"), XspaceKey::consumer},
    std::pair{std::string_view("_ct"), XspaceKey::consumer_type},
    std::pair{std::string_view("correlation_id"), XspaceKey::correlation},
    std::pair{std::string_view("hlo_category"), XspaceKey::hlo_category},
    std::pair{std::string_view("hlo_op"), XspaceKey::hlo_op},
    std::pair{std::string_view("index_on_host"), XspaceKey::index_on_host},
    std::pair{std::string_view("_r"), XspaceKey::is_root},
    std::pair{std::string_view("kernel_details"), XspaceKey::kernel_details},
    std::pair{std::string_view("memcpy_details"), XspaceKey::memcpy_details},
    std::pair{std::string_view("memset_details"), XspaceKey::memset_details},
    std::pair{std::string_view("_p"), XspaceKey::producer},
    std::pair{std::string_view("_pt"), XspaceKey::producer_type},
    std::pair{std::string_view("program_id"), XspaceKey::program_id},
    std::pair{std::string_view("shape"), XspaceKey::shape},
    std::pair{std::string_view("step_name"), XspaceKey::step_name},
    std::pair{std::string_view("step_num"), XspaceKey::step_number},
    std::pair{std::string_view("tf_op"), XspaceKey::tf_op},
};

}  // namespace

XspaceKey xspace_key(std::string_view name) {
    const auto* const found =
        std::ranges::find(kKnownStats, name, [](const auto& known) { return known.first; });
    return found == kKnownStats.end() ? XspaceKey::none : found->second;
}

std::optional<int64_t> XspaceValue::as_number() const {
    if (kind == Kind::number) return number;
    if (kind == Kind::real && std::abs(real) < 9e18) return static_cast<int64_t>(real);
    if (kind != Kind::text) return std::nullopt;
    const char* const end = text.data() + text.size();
    int64_t value = 0;
    if (const auto [stop, error] = std::from_chars(text.data(), end, value);
        error == std::errc() && stop == end)
        return value;
    uint64_t large = 0;
    const auto [stop, error] = std::from_chars(text.data(), end, large);
    if (error != std::errc() || stop != end) return std::nullopt;
    return static_cast<int64_t>(large);
}

void XspaceStatNames::add(int64_t id, std::string_view name) {
    known_[id] = {std::string(name), xspace_key(name)};
}

std::string_view XspaceStatNames::name(int64_t id) const {
    const auto found = known_.find(id);
    return found == known_.end() ? std::string_view() : std::string_view(found->second.name);
}

XspaceKey XspaceStatNames::key(int64_t id) const {
    const auto found = known_.find(id);
    return found == known_.end() ? XspaceKey::none : found->second.key;
}

bool read_xspace_stat(std::string_view bytes, const XspaceStatNames& names, int64_t& id,
                      XspaceValue& value) {
    using Kind = XspaceValue::Kind;
    return read_xspace_message(bytes, [&](pbf_reader& message) {
        switch (message.tag_and_type()) {
            case tag_and_type(1, kVarint):
                id = message.get_int64();
                break;
            case tag_and_type(2, pbf_wire_type::fixed64):
                value.kind = Kind::real;
                value.real = message.get_double();
                break;
            case tag_and_type(3, kVarint):
            case tag_and_type(4, kVarint):
                value.kind = Kind::number;
                value.is_unsigned = message.tag() == 3;
                value.number = static_cast<int64_t>(message.get_uint64());
                break;
            case tag_and_type(5, kBytes):
            case tag_and_type(6, kBytes):
                value.kind = message.tag() == 5 ? Kind::text : Kind::bytes;
                value.text = xspace_view(message);
                break;
            case tag_and_type(7, kVarint):
                value.kind = Kind::text;
                value.text = names.name(static_cast<int64_t>(message.get_uint64()));
                break;
            default:
                message.skip();
        }
    });
}

void XspaceStats::clear() {
    for (; present_ != 0; present_ &= present_ - 1)
        values_[static_cast<std::size_t>(__builtin_ctz(present_))] = {};
}

bool XspaceStats::add(std::string_view bytes, const XspaceStatNames& names) {
    int64_t id = 0;
    XspaceValue value;
    if (!read_xspace_stat(bytes, names, id, value)) return false;
    const auto key = static_cast<std::size_t>(names.key(id));
    if (key == 0) return true;
    values_[key] = value;
    present_ |= 1U << key;
    return true;
}

bool read_xspace_event(std::string_view bytes, const XspaceStatNames* names, XspaceEvent& event) {
    event.metadata_id = event.offset_ps = event.duration_ps = 0;
    event.is_sum = false;
    event.stats.clear();
    bool are_stats_whole = true;
    const bool is_whole = read_xspace_message(bytes, [&](pbf_reader& message) {
        switch (message.tag_and_type()) {
            case tag_and_type(1, kVarint):
                event.metadata_id = message.get_int64();
                break;
            case tag_and_type(2, kVarint):
                event.offset_ps = message.get_int64();
                break;
            case tag_and_type(3, kVarint):
                event.duration_ps = message.get_int64();
                break;
            case tag_and_type(4, kBytes): {
                const std::string_view stat = xspace_view(message);
                if (names) are_stats_whole &= event.stats.add(stat, *names);
                break;
            }
            case tag_and_type(5, kVarint):
                event.is_sum = true;
                message.skip();
                break;
            default:
                message.skip();
        }
    });
    return is_whole && are_stats_whole;
}

bool read_xspace_event_metadata(std::string_view bytes, XspaceEventMetadata& metadata) {
    metadata = {};
    MapEntry entry;
    if (!read_map_entry(bytes, entry)) return false;
    metadata.id = entry.key;
    return read_xspace_message(entry.message, [&](pbf_reader& message) {
        switch (message.tag_and_type()) {
            case tag_and_type(1, kVarint): {
                const int64_t id = message.get_int64();
                if (metadata.id == 0) metadata.id = id;
                break;
            }
            case tag_and_type(2, kBytes):
                metadata.name = xspace_view(message);
                break;
            case tag_and_type(4, kBytes):
                metadata.display_name = xspace_view(message);
                break;
            case tag_and_type(5, kBytes):
                metadata.stats.push_back(xspace_view(message));
                break;
            default:
                message.skip();
        }
    });
}

bool read_xspace_stat_metadata(std::string_view bytes, int64_t& id, std::string_view& name) {
    MapEntry entry;
    if (!read_map_entry(bytes, entry)) return false;
    id = entry.key;
    return read_xspace_message(entry.message, [&](pbf_reader& message) {
        switch (message.tag_and_type()) {
            case tag_and_type(1, kVarint): {
                const int64_t own = message.get_int64();
                if (id == 0) id = own;
                break;
            }
            case tag_and_type(2, kBytes):
                name = xspace_view(message);
                break;
            default:
                message.skip();
        }
    });
}

}  // namespace lanescope
