// PerfettoPackets: builds the packets of a Perfetto trace, and the texts that they refer to.
#pragma once

#include <cstdint>
#include <protozero/pbf_writer.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/nanos.h"
#include "core/base/string_pool.h"
#include "core/export/traces/exported_events.h"

namespace lanescope {

// Texts that packets refer to by number. Numbers begin with 1.
class PerfettoTexts {
  public:
    explicit PerfettoTexts(protozero::pbf_tag_type field) : field_(field) {}
    uint64_t id_of(std::string_view text) { return uint64_t{pool_.intern(text)} + 1; }
    protozero::pbf_tag_type field() const { return field_; }
    const StringPool& pool() const { return pool_; }

  private:
    protozero::pbf_tag_type field_;
    StringPool pool_;
};

class PerfettoPackets {
  public:
    explicit PerfettoPackets(const TakeText& take) : take_(take) {}

    // Adds a packet; `fill` writes its own fields.
    template <typename Fill>
    void add(uint32_t flags, Fill fill) {
        protozero::pbf_writer trace(bytes_);
        protozero::pbf_writer packet(trace, kPacketField);
        put_head(packet, flags);
        fill(packet);
    }
    // Hands all packets over if there are many.
    Result<void> hand_over(bool all = false);

  private:
    static constexpr protozero::pbf_tag_type kPacketField = 1;
    static void put_head(protozero::pbf_writer& packet, uint32_t flags);

    const TakeText& take_;
    std::string bytes_;
};

// The texts of the whole file. All packets with texts are written before those that refer to them.
struct PerfettoInterned {
    PerfettoInterned();
    Result<void> write(PerfettoPackets& packets) const;

    PerfettoTexts categories;
    PerfettoTexts names;
    PerfettoTexts annotation_names;
    PerfettoTexts annotation_texts;
};

// Appends the arguments as fields of a TrackEvent. JSON's arrays and objects stay structured.
void put_annotations(std::string& event_fields, const std::vector<Argument>& arguments,
                     PerfettoInterned& interned);

}  // namespace lanescope
