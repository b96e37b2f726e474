// Takes arguments of events from annotations during the load.
#include <algorithm>
#include <array>
#include <charconv>
#include <nlohmann/json.hpp>

#include "core/base/json_line.h"
#include "core/ingest/json/json_number.h"
#include "core/ingest/perfetto/pftrace_reader.h"

namespace lanescope {

namespace {

// Annotations of rocprofv3 and rocprofiler-systems.
constexpr std::array<std::string_view, 14> kRocmNumbers = {
    "corr_id",        "correlation_id", "queue",          "stream_ID", "stream_id",
    "copy_bytes",     "bytes",          "workgroup_size", "grid_size", "group_segment_size",
    "LDS_Block_Size", "VGPR_Count",     "dst_agent_type", "tid"};

// The last number in a text such as "Agent 4" or "GPU [1]"; -1: no number.
int32_t last_number(std::string_view text) {
    const std::size_t end = text.find_last_of("0123456789");
    if (end == std::string_view::npos) return -1;
    const std::size_t before = text.find_last_not_of("0123456789", end);
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    int32_t number = -1;
    const auto [stop, code] = std::from_chars(text.data() + begin, text.data() + end + 1, number);
    return code == std::errc() ? number : -1;
}

}  // namespace

void PftraceReader::read_arguments(const AnnotationReader& reader) {
    rocm_.clear();
    for (const std::string_view message : fields_.annotations)
        take_argument(read_annotation(message, reader), reader);
    if (rocm_.empty()) return;
    const auto take = [&](const char* name, ArgumentKey key) {
        const auto found = rocm_.find(name);
        if (found != rocm_.end()) arguments_.set_number(key, found->second);
    };
    take("correlation_id", ArgumentKey::correlation);
    take("corr_id", ArgumentKey::correlation);
    take("queue", ArgumentKey::stream);
    take("stream_id", ArgumentKey::stream);
    take("stream_ID", ArgumentKey::stream);
    take("bytes", ArgumentKey::bytes);
    take("copy_bytes", ArgumentKey::bytes);
    take("group_segment_size", ArgumentKey::shared_memory);
    take("LDS_Block_Size", ArgumentKey::shared_memory);
    take("VGPR_Count", ArgumentKey::registers);
    take("agent", ArgumentKey::device);
    // Only products of the three sizes are recorded; the grid is in work-items.
    const auto grid = rocm_.find("grid_size");
    const auto block = rocm_.find("workgroup_size");
    if (grid == rocm_.end() || block == rocm_.end() || block->second <= 0 || grid->second < 0)
        return;
    const int64_t blocks = grid->second / block->second + (grid->second % block->second != 0);
    const auto size = [](int64_t number) {
        return static_cast<uint32_t>(std::min<int64_t>(number, UINT32_MAX));
    };
    arguments_.grid[0] = size(blocks);
    arguments_.block[0] = size(block->second);
    arguments_.grid[1] = arguments_.grid[2] = arguments_.block[1] = arguments_.block[2] = 1;
    arguments_.mark(ArgumentKey::grid);
    arguments_.mark(ArgumentKey::block);
}

void PftraceReader::take_argument(const Annotation& annotation, const AnnotationReader& reader) {
    const ArgumentKey key = argument_key(annotation.name);
    if (key != ArgumentKey::none) return store_argument(key, annotation, reader);
    // Kineto's writer puts all arguments into one text: members of a JSON object without the
    // braces.
    if (annotation.name == "metadata" && annotation.kind == AnnotationKind::text)
        return take_json_arguments(annotation.text);
    take_rocm_argument(annotation);
}

void PftraceReader::take_rocm_argument(const Annotation& annotation) {
    if (annotation.name == "agent" || annotation.name == "dst_agent") {
        const int32_t number = annotation.kind == AnnotationKind::text
                                   ? last_number(annotation.text)
                                   : static_cast<int32_t>(annotation.integer());
        if (number >= 0) rocm_["agent"] = number;
        return;
    }
    if (std::ranges::find(kRocmNumbers, annotation.name) == kRocmNumbers.end()) return;
    if (const auto number = annotation_integer(annotation))
        rocm_[std::string(annotation.name)] = *number;
}

void PftraceReader::store_argument(ArgumentKey key, const Annotation& annotation,
                                   const AnnotationReader& reader) {
    if (key < ArgumentKey::input_dims) {
        if (const auto number = annotation_integer(annotation)) arguments_.set_number(key, *number);
        return;
    }
    const std::string value = annotation_value(annotation, reader);
    if (key < ArgumentKey::grid)
        arguments_.set_text(key, sink_.text(value));
    else if (read_triple(value, key == ArgumentKey::grid ? arguments_.grid : arguments_.block))
        arguments_.mark(key);
}

void PftraceReader::take_json_arguments(std::string_view members) {
    std::string text(members);
    if (!text.starts_with('{')) text = '{' + text + '}';
    const auto object = nlohmann::ordered_json::parse(text, nullptr, false);
    if (!object.is_object()) return;
    const AnnotationReader none{memory_.pool, nullptr};
    for (const auto& [name, value] : object.items()) {
        const ArgumentKey key = argument_key(name);
        if (key == ArgumentKey::none) continue;
        Annotation annotation;
        std::string own =
            value.is_string() ? value.get<std::string>() : json_on_one_line(value.dump());
        annotation.kind = AnnotationKind::text;
        annotation.text = own;
        store_argument(key, annotation, none);
    }
}

// PyTorch's writers omit the categories of some events.
std::string_view PftraceReader::category_by_arguments(std::string_view name) const {
    const auto has = [&](ArgumentKey key) { return arguments_.has(key); };
    if (has(ArgumentKey::sync_kind)) return "cuda_sync";
    if (has(ArgumentKey::correlation) && has(ArgumentKey::stream) && has(ArgumentKey::device)) {
        if (has(ArgumentKey::grid)) return "kernel";
        if (name.starts_with("Memset")) return "gpu_memset";
        if (has(ArgumentKey::bytes)) return "gpu_memcpy";
        return "";
    }
    const bool is_call = has(ArgumentKey::correlation) && !has(ArgumentKey::stream);
    if (is_call && name.size() > 2 && name.starts_with("cu"))
        return name[2] >= 'A' && name[2] <= 'Z' ? "cuda_driver" : "cuda_runtime";
    if (is_call && name.starts_with("hip")) return "cuda_runtime";
    if (has(ArgumentKey::python_id)) return "python_function";
    if (!has(ArgumentKey::external_id)) return "";
    return name.starts_with("ProfilerStep#") ? "user_annotation" : "cpu_op";
}

}  // namespace lanescope
