#include "ui/panels/footprint.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "core/analysis/work/footprints.h"
#include "core/base/format.h"
#include "core/trace/query.h"

namespace lanescope {

namespace {

constexpr float kBarRow = 15;
constexpr float kBarLabel = 96;
constexpr int64_t kDefaultShared = 48 << 10;  // Kineto's limit for a block

std::string three(const uint32_t (&v)[3]) {
    return fmt::format("{}×{}×{}", v[0], v[1], v[2]);
}

std::string why_unknown(const Trace& trace, uint32_t gpu_row, bool has_device) {
    if (has_device) return "Its blocks do not fit on a multiprocessor of this device.";
    const int32_t id =
        trace.gpu_activities.device.empty() ? -1 : trace.gpu_activities.device[gpu_row];
    const auto found =
        std::ranges::find_if(trace.devices, [&](const Device& d) { return d.id == id; });
    if (found == trace.devices.end())
        return "The file does not describe the device, so the occupancy is not known.";
    return "The limits of " + (found->name.empty() ? std::string("this device") : found->name) +
           " are not known, so the occupancy is not either.";
}

// In the terms of the device's vendor.
std::string_view limit_name(OccupancyLimit limit, const OccupancyDevice& device) {
    if (!device.amd) return occupancy_limit_name(limit);
    switch (limit) {
        case OccupancyLimit::warps:
            return "waves";
        case OccupancyLimit::registers:
            return "VGPRs";
        case OccupancyLimit::shared_memory:
            return "LDS";
        case OccupancyLimit::blocks:
            return "work-groups";
        case OccupancyLimit::barriers:
            break;
    }
    return occupancy_limit_name(limit);
}

bool is_recorded(OccupancyLimit limit, const LaunchConfig& config) {
    if (limit == OccupancyLimit::registers) return config.registers_per_thread >= 0;
    return limit != OccupancyLimit::shared_memory || config.shared_memory_bytes >= 0;
}

// The occupancy that each resource alone allows, as a fraction of the maximum of warps.
void limit_bars(PanelColumn& c, const KernelFootprint& f) {
    const Occupancy& o = *f.occupancy;
    const OccupancyDevice& device = *f.device;
    constexpr std::array kBars = {OccupancyLimit::registers, OccupancyLimit::shared_memory,
                                  OccupancyLimit::warps, OccupancyLimit::blocks};
    ImGui::Dummy({0, c.look.px(4)});
    for (const OccupancyLimit limit : kBars) {
        if (!is_recorded(limit, f.config)) continue;
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const int fits = o.fits[static_cast<std::size_t>(limit)];
        const double part =
            fits == kNoLimit
                ? 1
                : std::min(1.0, double{1} * fits * o.warps_per_block / device.limits.warps);
        const bool limits = std::ranges::find(o.limiters, limit) != o.limiters.end();
        const float height = c.look.px(kBarRow);
        draw_text(c.list, c.look, c.look.fonts.regular, type::kSecondary,
                  {at.x + c.look.px(8), text_y(c.look, type::kSecondary, at.y, height)},
                  limits ? c.look.colors.hi : c.look.colors.mid, limit_name(limit, device));
        const float x0 = at.x + c.look.px(kBarLabel + 8);
        const float value_width = c.look.px(46);
        const float x1 = c.x1 - value_width;
        const float y = std::round(at.y + height / 2 - c.look.px(2.5f));
        const float end = x0 + std::max(c.look.px(2), (x1 - x0) * static_cast<float>(part));
        c.list.AddRectFilled({x0, y}, {x1, y + c.look.px(5)}, c.look.colors.line, c.look.px(2));
        c.list.AddRectFilled({x0, y}, {end, y + c.look.px(5)},
                             limits ? c.look.colors.accent : c.look.colors.low, c.look.px(2));
        const std::string value = format_percent(part);
        draw_text(c.list, c.look, c.look.fonts.regular, type::kSecondary,
                  {c.x1 - text_width(c.look, c.look.fonts.regular, type::kSecondary, value),
                   text_y(c.look, type::kSecondary, at.y, height)},
                  limits ? c.look.colors.hi : c.look.colors.mid, value);
        ImGui::Dummy({c.width(), height});
    }
    ImGui::Dummy({0, c.look.px(2)});
}

std::string limiters_in_words(const Occupancy& o, const OccupancyDevice& device) {
    std::string text;
    for (std::size_t i = 0; i < o.limiters.size(); ++i) {
        if (i > 0) text += i + 1 == o.limiters.size() ? " and " : ", ";
        text += limit_name(o.limiters[i], device);
    }
    return text;
}

// Names the missing data that prevents computing the occupancy.
std::string what_is_missing(const LaunchConfig& config, const OccupancyDevice& device) {
    const bool registers = config.registers_per_thread < 0;
    const bool shared = config.shared_memory_bytes < 0;
    std::string text;
    if (registers || shared)
        text = fmt::format("The file has no {}{}{} of this launch, which may allow less.",
                           registers ? device.amd ? "VGPRs" : "registers" : "",
                           registers && shared ? " and no " : "",
                           shared ? device.amd ? "LDS" : "shared memory" : "");
    if (device.either_wave)
        text += fmt::format(
            "{} does not record whether waves had 32 or 64 threads, or whether a work-group ran on "
            "one CU or on a pair: the better case is shown.",
            text.empty() ? "The file" : " It");
    if (!registers && device.limits.registers == 0)
        text += " How many VGPRs this device has is not known.";
    return text;
}

void notes_on(PanelColumn& c, const KernelFootprint& f) {
    const Occupancy& o = *f.occupancy;
    if (f.room) {
        const bool registers = f.room->limit == OccupancyLimit::registers;
        say(c, fmt::format("{} fewer → {}",
                           registers ? fmt::format("{} registers", f.room->less)
                                     : format_bytes(f.room->less) + " of shared memory",
                           format_percent(f.room->theoretical)));
    }
    if (!std::isnan(o.waves) && o.reached < o.theoretical)
        say(c, "At most " + format_percent(o.reached) + " is reached with this grid");
    const int kineto = f.config.kineto_occupancy_percent;
    if (kineto == 0 && f.config.shared_memory_bytes > kDefaultShared - 1024)
        say(c,
            "Kineto wrote 0 %: it counts with the default limit of shared memory, and this launch "
            "asked for more");
    else if (kineto >= 0)
        say(c,
            fmt::format("Kineto wrote {} %: by threads, and no more than the grid fills", kineto));
    if (f.device->nearest)
        say(c, fmt::format("By the limits of compute capability {}.{}, the nearest that is known",
                           f.device->limits.major, f.device->limits.minor));
}

}  // namespace

std::optional<KernelFootprint> footprint_of(const Trace& trace, SliceRef slice) {
    const GpuActivities& gpu = trace.gpu_activities;
    const uint32_t gpu_row = find_row(gpu.slice, slice);
    if (gpu_row == kNoRow || gpu.config.empty() || gpu.config[gpu_row] == kNoRow)
        return std::nullopt;
    KernelFootprint f;
    f.config = trace.launch_configs[gpu.config[gpu_row]];
    const Footprints footprints(trace);
    if (const OccupancyDevice* const device = footprints.device_of(gpu_row)) {
        f.device = *device;
        f.occupancy = occupancy_of(f.config, *device);
        f.room = head_room(f.config, *device);
    }
    if (!f.occupancy) f.unknown = why_unknown(trace, gpu_row, f.device.has_value());
    return f;
}

void draw_footprint(PanelColumn& c, const KernelFootprint& f) {
    section(c, "FOOTPRINT");
    row(c, "Grid · block", three(f.config.grid) + " · " + three(f.config.block));
    if (f.config.registers_per_thread >= 0)
        row(c, "Registers a thread", format_count(f.config.registers_per_thread));
    if (f.config.shared_memory_bytes >= 0)
        row(c, "Shared memory a block", format_bytes(f.config.shared_memory_bytes));
    if (f.config.static_shared_bytes >= 0 && f.config.shared_memory_bytes > 0)
        row(c, "Of it static · dynamic",
            format_bytes(f.config.static_shared_bytes) + " · " +
                format_bytes(dynamic_shared_bytes(f.config)));
    if (!f.occupancy) {
        say(c, f.unknown);
        return;
    }
    const Occupancy& o = *f.occupancy;
    if (o.at_most) {
        row(c, f.device->amd ? "Waves a work-group" : "Warps a block",
            format_count(o.warps_per_block));
        row(c, "Theoretical occupancy",
            "at most " + format_percent(o.theoretical) + " by " + limiters_in_words(o, *f.device));
        limit_bars(c, f);
        say(c, what_is_missing(f.config, *f.device));
        return;
    }
    row(c, f.device->amd ? "Waves a work-group · work-groups a CU" : "Warps a block · blocks an SM",
        fmt::format("{} · {}", o.warps_per_block, o.active_blocks));
    if (!std::isnan(o.waves))
        row(c,
            fmt::format("{} on {} {}s", f.device->amd ? "Work-groups" : "Blocks", f.device->sms,
                        f.device->amd ? "CU" : "SM"),
            fmt::format("{} · {} {}", format_count(o.blocks),
                        format_number(o.waves, o.waves < 1 ? 2 : 3),
                        o.waves == 1 ? "wave" : "waves"));
    if (o.waves > 1 && o.tail_share > 0) row(c, "Last wave empty by", format_percent(o.tail_share));
    row(c, "Theoretical occupancy",
        format_percent(o.theoretical) + " by " + limiters_in_words(o, *f.device));
    limit_bars(c, f);
    notes_on(c, f);
}

}  // namespace lanescope
