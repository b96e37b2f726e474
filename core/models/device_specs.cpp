#include "core/models/device_specs.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <utility>

#include "core/base/read_double.h"
#include "core/base/split.h"

// Embedded into the object by core/embedded.cmake.
extern "C" {
extern const char lanescope_gpu_specs_begin[];
extern const char lanescope_gpu_specs_end[];
}

namespace lanescope {

namespace {

using Json = nlohmann::json;

constexpr std::array<std::string_view, static_cast<std::size_t>(Spec::count)> kSpecNames = {
    "sm_count",
    "boost_clock_mhz",
    "memory_bandwidth_gb_s",
    "memory_gib",
    "l2_mib",
    "infinity_cache_mib",
    "fp64",
    "fp64_tensor",
    "fp32",
    "fp32_matrix",
    "tf32_tensor",
    "fp16_tensor",
    "bf16_tensor",
    "fp8_tensor",
    "fp6_tensor",
    "fp4_tensor",
    "int8_tensor",
    "fp16_nontensor",
    "interconnect_gb_s",
    "pcie_gb_s"};

constexpr double kGiga = 1e9;
constexpr double kTera = 1e12;
constexpr double kMiB = 1 << 20;

Figure* find_figure(DeviceSpecs& specs, std::string_view name) {
    const auto* const at = std::ranges::find(kSpecNames, name);
    return at == kSpecNames.end()
               ? nullptr
               : &specs.figures[static_cast<std::size_t>(at - kSpecNames.begin())];
}

Error damaged(std::string text) {
    return {ErrorCode::damaged, Error::no_offset, std::move(text)};
}

Result<DeviceSpecs> parse_entry(const Json& entry) {
    if (!entry.is_object() || !entry.contains("name") || !entry["name"].is_string())
        return damaged("Each device needs a \"name\", which may contain * and ?");
    DeviceSpecs specs;
    specs.name = entry["name"].get<std::string>();
    const auto text = [&](const char* key) {
        const auto at = entry.find(key);
        return at != entry.end() && at->is_string() ? at->get<std::string>() : std::string();
    };
    specs.vendor = text("vendor");
    specs.architecture = text("architecture");
    specs.source = text("source");
    specs.note = text("note");
    const auto figures = entry.find("figures");
    if (figures == entry.end() || !figures->is_object())
        return damaged(fmt::format("Device {} has no \"figures\"", specs.name));
    for (const auto& [key, value] : figures->items()) {
        Figure* const figure = find_figure(specs, key);
        if (!figure)
            return damaged(fmt::format("Device {}: no figure is named {}", specs.name, key));
        if (!value.is_number() || value.get<double>() < 0)
            return damaged(
                fmt::format("Device {}: {} is not a non-negative number", specs.name, key));
        figure->value = value.get<double>();
    }
    if (const auto marked = entry.find("uncertain"); marked != entry.end() && marked->is_array())
        for (const Json& key : *marked)
            if (Figure* const figure =
                    key.is_string() ? find_figure(specs, key.get<std::string>()) : nullptr)
                figure->uncertain = true;
    return specs;
}

// One line for each device, under the names of its columns; "?" after a figure: no source confirmed
// it. Plain text instead of JSON, because every program start that needs a peak parses it.
SpecsList read_sheet(std::string_view rest) {
    std::vector<std::string_view> columns;
    for (std::string_view line = take_until(rest, '\n'); !line.empty();)
        columns.push_back(take_until(line, '\t'));
    SpecsList sheet;
    while (!rest.empty()) {
        std::string_view line = take_until(rest, '\n');
        DeviceSpecs& specs = sheet.emplace_back();
        const std::array<std::pair<std::string_view, std::string*>, 5> texts = {
            {{"name_pattern", &specs.name},
             {"vendor", &specs.vendor},
             {"architecture", &specs.architecture},
             {"source", &specs.source},
             {"note", &specs.note}}};
        for (const std::string_view column : columns) {
            const std::string_view field = take_until(line, '\t');
            const auto* const text =
                std::ranges::find(texts, column, [](const auto& t) { return t.first; });
            if (text != texts.end()) {
                *text->second = field;
            } else if (Figure* const figure = find_figure(specs, column)) {
                read_double(field.data(), field.data() + field.size(), figure->value);
                figure->uncertain = field.ends_with('?');
            }
        }
    }
    return sheet;
}

bool fits(const DeviceSpecs& specs, const std::string& name) {
    return fnmatch(specs.name.c_str(), name.c_str(), 0) == 0;
}

bool same_count(const DeviceSpecs& specs, int64_t sms) {
    return static_cast<int64_t>(specs.figure(Spec::sm_count).value) == sms;
}

// The first match; among several, the one with the same number of multiprocessors.
const DeviceSpecs* find_in_sheet(const SpecsList& sheet, const Device& device) {
    const DeviceSpecs* first = nullptr;
    for (const DeviceSpecs& specs : sheet) {
        if (!fits(specs, device.name)) continue;
        if (same_count(specs, device.fact(DeviceFact::multiprocessors))) return &specs;
        if (!first) first = &specs;
    }
    return first;
}

// ROCm sometimes leaves the name empty: 304 units of 64 lanes are an MI300X.
const DeviceSpecs* guess(const SpecsList& sheet, const Device& device) {
    if (!device.name.empty() || device.fact(DeviceFact::multiprocessors) != 304 ||
        device.fact(DeviceFact::warp_size) != 64)
        return nullptr;
    const auto at = std::ranges::find_if(sheet, [](const DeviceSpecs& specs) {
        return specs.name.find("MI300X") != std::string::npos;
    });
    return at == sheet.end() ? nullptr : &*at;
}

void overlay(DeviceSpecs& specs, const DeviceSpecs& own) {
    for (std::size_t i = 0; i < specs.figures.size(); ++i)
        if (own.figures[i].value > 0) specs.figures[i] = own.figures[i];
    const auto replace = [](std::string& text, const std::string& replacement) {
        if (!replacement.empty()) text = replacement;
    };
    replace(specs.vendor, own.vendor);
    replace(specs.architecture, own.architecture);
    replace(specs.source, own.source);
}

// A partition of a device (such as a MIG slice) has a proportional share of its rates.
void scale_rates(DevicePeaks& peaks, const Device& device) {
    const double sheet = peaks.specs.figure(Spec::sm_count).value;
    const auto sms = static_cast<double>(device.fact(DeviceFact::multiprocessors));
    // RDNA counts work-group processors in one place and compute units in another.
    const bool comparable = sms > 0 && sheet > 0 && !peaks.specs.architecture.starts_with("RDNA");
    if (!comparable || sms == sheet) return;
    peaks.scale = sms / sheet;
    peaks.remark += fmt::format("{} multiprocessors instead of {}: rates scaled. ", sms, sheet);
}

}  // namespace

std::string_view spec_name(Spec spec) {
    return kSpecNames[static_cast<std::size_t>(spec)];
}

Result<SpecsList> parse_specs(std::string_view json) {
    Json parsed;
    try {
        parsed = Json::parse(json);
    } catch (const Json::parse_error& error) {
        return Error{ErrorCode::damaged, error.byte, "No JSON"};
    }
    if (!parsed.is_array()) return damaged("No JSON list of devices");
    SpecsList list;
    for (const Json& entry : parsed) {
        Result<DeviceSpecs> specs = parse_entry(entry);
        if (!specs) return specs.error();
        list.push_back(std::move(*specs));
    }
    return list;
}

const SpecsBookPtr& built_in_specs() {
    static const SpecsBookPtr book = [] {
        auto parsed = std::make_shared<SpecsBook>();
        parsed->sheet = read_sheet({lanescope_gpu_specs_begin, lanescope_gpu_specs_end});
        return parsed;
    }();
    return book;
}

const SpecsBook& SpecsBook::built_in() {
    return *built_in_specs();
}

std::optional<PeakRate> DevicePeaks::rate(DataType type, Pipe pipe) const {
    const bool scaled = scale != 1 && specs.figure(Spec::sm_count).uncertain;
    const auto first_of = [&](std::initializer_list<Spec> order) -> std::optional<PeakRate> {
        for (const Spec spec : order)
            if (const Figure figure = specs.figure(spec); figure.value > 0)
                return PeakRate{spec, figure.value * kTera * scale, figure.uncertain || scaled};
        return std::nullopt;
    };
    const bool twice = type == DataType::fp64 || type == DataType::complex128;
    if (pipe == Pipe::vector) return first_of({twice ? Spec::fp64 : Spec::fp32});
    switch (type) {
        case DataType::fp64:
        case DataType::complex128:
            return first_of({Spec::fp64_tensor, Spec::fp64});
        case DataType::tf32:
            return first_of({Spec::tf32_tensor, Spec::fp32_matrix, Spec::fp32});
        case DataType::fp16:
            return first_of({Spec::fp16_tensor, Spec::fp16_nontensor, Spec::fp32});
        case DataType::bf16:
            return first_of({Spec::bf16_tensor, Spec::fp32});
        case DataType::fp8:
            return first_of({Spec::fp8_tensor, Spec::fp16_tensor});
        case DataType::fp4:
            return first_of({Spec::fp4_tensor, Spec::fp8_tensor});
        case DataType::int8:
        case DataType::uint8:
            return first_of({Spec::int8_tensor, Spec::fp32});
        default:
            return first_of({Spec::fp32_matrix, Spec::fp32});
    }
}

std::optional<DevicePeaks> find_peaks(const SpecsBook& book, const Device& device) {
    DevicePeaks peaks;
    const DeviceSpecs* found = find_in_sheet(book.sheet, device);
    if (!found && (found = guess(book.sheet, device)))
        peaks.remark = "The file has no name for the device; taken for an MI300X by its size. ";
    if (found) peaks.specs = *found;
    bool own = false;
    for (const DeviceSpecs& specs : book.own) {
        if (!fits(specs, device.name)) continue;
        overlay(peaks.specs, specs);
        own = true;
    }
    if (own) peaks.remark += "Figures of the user's file. ";
    if (!found && !own) return std::nullopt;
    if (!own) scale_rates(peaks, device);
    if (!peaks.remark.empty()) peaks.remark.pop_back();
    const Figure memory = peaks.specs.figure(Spec::memory_bandwidth_gb_s);
    const Figure link = peaks.specs.figure(Spec::pcie_gb_s);
    peaks.memory_bytes_s = memory.value * kGiga;
    peaks.memory_uncertain = memory.uncertain;
    peaks.copy_bytes_s = link.value * kGiga / 2;
    peaks.copy_uncertain = link.uncertain;
    peaks.cache_bytes = std::max(peaks.specs.figure(Spec::l2_mib).value,
                                 peaks.specs.figure(Spec::infinity_cache_mib).value) *
                        kMiB;
    return peaks;
}

}  // namespace lanescope
