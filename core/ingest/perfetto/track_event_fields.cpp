// Reads the fields of TrackEvents, and interprets their categories.
#include <algorithm>
#include <array>
#include <bit>

#include "core/ingest/kineto/kineto_categories.h"
#include "core/ingest/perfetto/pftrace_fields.h"
#include "core/ingest/perfetto/pftrace_reader.h"
#include "core/ingest/perfetto/wire.h"

namespace lanescope {

namespace {

// Categories of rocprofv3; rocprofiler-systems writes some of them with the prefix "rocm_".
struct RocmWord {
    std::string_view word;
    std::string_view shown;  // word used by other formats
    EventClass event_class;
    uint8_t traits;
    KinetoRows rows;
};
constexpr std::array kRocmWords = {
    RocmWord{"hip_api", "hip_runtime", EventClass::runtime, kLaunchCall, KinetoRows::runtime},
    RocmWord{"hip_runtime_api", "hip_runtime", EventClass::runtime, kLaunchCall,
             KinetoRows::runtime},
    RocmWord{"hip_compiler_api", "hip_runtime", EventClass::runtime, kLaunchCall,
             KinetoRows::runtime},
    RocmWord{"hsa_api", "hsa_api", EventClass::runtime, kLaunchCall, KinetoRows::runtime},
    RocmWord{"rccl_api", "rccl_api", EventClass::runtime, kLaunchCall, KinetoRows::runtime},
    RocmWord{"rocdecode_api", "rocdecode_api", EventClass::runtime, 0, KinetoRows::runtime},
    RocmWord{"rocjpeg_api", "rocjpeg_api", EventClass::runtime, 0, KinetoRows::runtime},
    RocmWord{"marker_api", "user_annotation", EventClass::annotation, 0, KinetoRows::plain},
    RocmWord{"kernel_dispatch", "kernel", EventClass::kernel, kGpuActivity, KinetoRows::gpu},
    RocmWord{"memory_copy", "gpu_memcpy", EventClass::memory, kGpuActivity, KinetoRows::gpu},
};

const RocmWord* rocm_word(std::string_view word) {
    constexpr std::string_view before = "rocm_";
    if (word.starts_with(before)) word.remove_prefix(before.size());
    const auto* found = std::ranges::find(kRocmWords, word, &RocmWord::word);
    return found == kRocmWords.end() ? nullptr : found;
}

}  // namespace

// Keeps the capacity of the lists.
void PftraceReader::TrackEventFields::clear() {
    type = name_id = 0;
    track.reset();
    delta.reset();
    absolute.reset();
    counter.reset();
    double_counter.reset();
    name = {};
    legacy = {};
    category_ids.clear();
    categories.clear();
    annotations.clear();
    extra_tracks.clear();
    extra_double_tracks.clear();
    extra_values.clear();
    extra_doubles.clear();
    flows.clear();
    ending_flows.clear();
    stages.clear();
}

const PftraceCategory& PftraceReader::known_category(std::string_view word) {
    const auto [found, is_new] = categories_.try_emplace(std::string(word));
    PftraceCategory& made = found->second;
    if (!is_new) return made;
    made.word = word;
    CategoryWord meaning{found->first, EventClass::other, 0};
    if (const RocmWord* const rocm = rocm_word(word)) {
        meaning.word = rocm->shown;
        meaning.event_class = rocm->event_class;
        meaning.traits = rocm->traits;
        made.rows = rocm->rows;
        made.is_rocm = true;
        has_rocm_ = true;
    } else {
        const CategoryMeaning kineto = kineto_category(word);
        meaning.event_class = kineto.event_class;
        meaning.traits = kineto.traits;
        made.rows = kineto_rows(word);
    }
    made.id = sink_.category(meaning);
    made.is_gpu_work = meaning.traits & kGpuActivity;
    made.is_cpu_work = !made.is_gpu_work && meaning.event_class != EventClass::sync &&
                       word != "gpu_user_annotation" && word != "collective_comm";
    return made;
}

const PftraceCategory& PftraceReader::category_of(const PftraceSequence& state) {
    std::string word;
    const auto add = [&](std::string_view text) {
        if (!word.empty() && !text.empty()) word += ',';
        word += text;
    };
    for (const uint64_t id : fields_.category_ids)
        if (const std::string* const text = state.categories.find(id)) add(*text);
    for (const std::string_view text : fields_.categories) add(text);
    return known_category(word);
}

void PftraceReader::read_fields(std::string_view message) {
    fields_.clear();
    for (WireMessage in(message); in.next();)
        if (!read_list(in)) read_value(in);
}

// Reads single-valued fields.
void PftraceReader::read_value(const WireMessage& in) {
    using namespace pftrace::event;
    const bool is_bytes = in.is_bytes();
    switch (in.field()) {
        case kDelta:
            fields_.delta = in.signed_number();
            break;
        case kAbsolute:
            fields_.absolute = in.signed_number();
            break;
        case kType:
            fields_.type = in.number();
            break;
        case kNameId:
            fields_.name_id = in.number();
            break;
        case kName:
            fields_.name = in.bytes();
            break;
        case kTrack:
            if (!is_bytes) fields_.track = in.number();
            break;
        case kLegacy:
            if (is_bytes) read_legacy(in.bytes());
            break;
        case kCounter:
            if (!is_bytes) fields_.counter = in.signed_number();
            break;
        case kDoubleCounter:
            if (!is_bytes) fields_.double_counter = in.real();
            break;
        case kGpuCorrelation:
            for (WireMessage of(in.bytes()); of.next();)
                if (of.field() == 1)
                    of.each_number([&](uint64_t id) { fields_.stages.push_back(id); });
            break;
        default:
            break;
    }
}

// Reads repeated fields. False: another field.
bool PftraceReader::read_list(const WireMessage& in) {
    using namespace pftrace::event;
    const auto numbers = [&](std::vector<uint64_t>& list, bool fixed = false) {
        in.each_number([&](uint64_t number) { list.push_back(number); }, fixed);
    };
    switch (in.field()) {
        case kCategoryIds:
            numbers(fields_.category_ids);
            return true;
        case kCategories:
            if (in.is_bytes()) fields_.categories.push_back(in.bytes());
            return true;
        case kAnnotations:
            if (in.is_bytes()) fields_.annotations.push_back(in.bytes());
            return true;
        case kExtraTracks:
            numbers(fields_.extra_tracks);
            return true;
        case kExtraDoubleTracks:
            numbers(fields_.extra_double_tracks);
            return true;
        case kExtraValues:
            in.each_number([&](uint64_t number) {
                fields_.extra_values.push_back(static_cast<int64_t>(number));
            });
            return true;
        case kExtraDoubles:
            in.each_number(
                [&](uint64_t number) {
                    fields_.extra_doubles.push_back(std::bit_cast<double>(number));
                },
                true);
            return true;
        case kOldFlows:
            numbers(fields_.flows);
            return true;
        case kOldEndingFlows:
            numbers(fields_.ending_flows);
            return true;
        case kFlows:
            numbers(fields_.flows, true);
            return true;
        case kEndingFlows:
            numbers(fields_.ending_flows, true);
            return true;
        default:
            return false;
    }
}

void PftraceReader::read_legacy(std::string_view message) {
    LegacyEvent& legacy = fields_.legacy;
    legacy.is_given = true;
    for (WireMessage in(message); in.next();) {
        if (in.is_bytes()) {
            if (in.field() == 7) legacy.scope = in.bytes();
            continue;
        }
        switch (in.field()) {
            case 1:
                legacy.name = in.number();
                break;
            case 2:
                legacy.phase = static_cast<char>(in.number());
                break;
            case 3:
                legacy.duration = in.signed_number();
                break;
            case 6:
                legacy.unscoped_id = in.number();
                break;
            case 8:
                legacy.bind_id = in.number();
                break;
            case 10:
                legacy.local_id = in.number();
                break;
            case 11:
                legacy.global_id = in.number();
                break;
            case 12:
                legacy.binds_enclosing = in.number() != 0;
                break;
            case 13:
                legacy.flow_direction = in.number();
                break;
            case 18:
                legacy.pid = static_cast<int32_t>(in.number());
                break;
            case 19:
                legacy.tid = static_cast<int32_t>(in.number());
                break;
            default:
                break;
        }
    }
}

}  // namespace lanescope
