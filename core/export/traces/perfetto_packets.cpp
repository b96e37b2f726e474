#include "core/export/traces/perfetto_packets.h"

#include <nlohmann/json.hpp>

#include "core/base/json_line.h"
#include "core/export/traces/perfetto_fields.h"

namespace lanescope {

namespace {

using AnnotationJson = nlohmann::ordered_json;

constexpr std::size_t kBytesAtOnce = std::size_t{1} << 20;
constexpr std::size_t kTextsOfPacket = std::size_t{64} << 10;
constexpr uint32_t kOnlySequence = 1;

void put_value(protozero::pbf_writer& annotation, const AnnotationJson& value,
               PerfettoInterned& interned) {
    namespace fields = perfetto::annotation;
    const auto put_interned = [&](std::string_view text) {
        annotation.add_uint64(fields::kTextId, interned.annotation_texts.id_of(text));
    };
    if (value.is_boolean()) {
        annotation.add_bool(fields::kBool, value.get<bool>());
    } else if (value.is_number_float()) {
        annotation.add_double(fields::kDouble, value.get<double>());
    } else if (value.is_number_unsigned() && value.get<uint64_t>() > INT64_MAX) {
        annotation.add_uint64(fields::kUnsigned, value.get<uint64_t>());
    } else if (value.is_number()) {
        annotation.add_int64(fields::kInteger, value.get<int64_t>());
    } else if (value.is_string()) {
        put_interned(value.get_ref<const std::string&>());
    } else if (value.empty()) {  // null, and lists without items, which the schema cannot tell
        put_interned(value.dump());
    } else if (value.is_array()) {
        for (const AnnotationJson& item : value) {
            protozero::pbf_writer inner(annotation, fields::kArray);
            put_value(inner, item, interned);
        }
    } else {
        for (const auto& [key, item] : value.items()) {
            protozero::pbf_writer inner(annotation, fields::kDict);
            inner.add_uint64(fields::kNameId, interned.annotation_names.id_of(key));
            put_value(inner, item, interned);
        }
    }
}

}  // namespace

void PerfettoPackets::put_head(protozero::pbf_writer& packet, uint32_t flags) {
    static_assert(kPacketField == perfetto::trace::kPacket);
    packet.add_uint32(perfetto::packet::kSequence, kOnlySequence);
    if (flags != 0) packet.add_uint32(perfetto::packet::kFlags, flags);
}

Result<void> PerfettoPackets::hand_over(bool all) {
    if (bytes_.empty() || (!all && bytes_.size() < kBytesAtOnce)) return {};
    Result<void> taken = take_(bytes_);
    bytes_.clear();
    return taken;
}

PerfettoInterned::PerfettoInterned()
    : categories(perfetto::interned::kCategories),
      names(perfetto::interned::kEventNames),
      annotation_names(perfetto::interned::kAnnotationNames),
      annotation_texts(perfetto::interned::kAnnotationTexts) {}

Result<void> PerfettoInterned::write(PerfettoPackets& packets) const {
    namespace fields = perfetto::interned;
    uint32_t flags = perfetto::packet::kStateCleared;  // only the first packet clears
    for (const PerfettoTexts* texts : {&categories, &names, &annotation_names, &annotation_texts}) {
        const StringPool& pool = texts->pool();
        for (StringId id = 0; id < pool.size();) {
            packets.add(flags | perfetto::packet::kNeedsState, [&](protozero::pbf_writer& packet) {
                protozero::pbf_writer interned(packet, perfetto::packet::kInterned);
                for (std::size_t bytes = 0; id < pool.size() && bytes < kTextsOfPacket; ++id) {
                    protozero::pbf_writer text(interned, texts->field());
                    text.add_uint64(fields::kId, uint64_t{id} + 1);
                    text.add_string(fields::kText, pool[id].data(), pool[id].size());
                    bytes += pool[id].size();
                }
            });
            flags = 0;
            if (Result<void> taken = packets.hand_over(); !taken) return taken;
        }
    }
    return {};
}

void put_annotations(std::string& event_fields, const std::vector<Argument>& arguments,
                     PerfettoInterned& interned) {
    protozero::pbf_writer event(event_fields);
    for (const Argument& argument : arguments) {
        const bool is_text = argument.is_string || is_nested_deeply(argument.value);
        AnnotationJson value = is_text ? AnnotationJson(argument.value)
                                       : AnnotationJson::parse(argument.value, nullptr, false);
        if (value.is_discarded()) value = argument.value;
        protozero::pbf_writer annotation(event, perfetto::event::kAnnotations);
        annotation.add_uint64(perfetto::annotation::kNameId,
                              interned.annotation_names.id_of(argument.name));
        put_value(annotation, value, interned);
    }
}

}  // namespace lanescope
