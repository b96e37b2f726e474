#include "core/ingest/perfetto/pftrace_fields.h"

#include <algorithm>
#include <array>
#include <utility>

namespace lanescope::pftrace {

namespace {

using Named = std::pair<uint32_t, std::string_view>;

constexpr std::array kPacketNames = {
    Named{4, "inode_file_map"},
    Named{5, "chrome_events"},
    Named{7, "sys_stats"},
    Named{37, "profile_packet: heap profiles"},
    Named{38, "battery"},
    Named{39, "android_log"},
    Named{40, "power_rails"},
    Named{46, "trigger"},
    Named{47, "packages_list"},
    Named{49, "perfetto_metatrace"},
    Named{54, "streaming_profile_packet"},
    Named{56, "heap_graph"},
    Named{57, "graphics_frame_event"},
    Named{61, "module_symbols"},
    Named{62, "vulkan_memory_event"},
    Named{63, "gpu_log"},
    Named{64, "deobfuscation_mapping"},
    Named{65, "vulkan_api_event"},
    Named{68, "smaps_packet"},
    Named{70, "initial_display_state"},
    Named{73, "memory_tracker_snapshot"},
    Named{74, "streaming_allocation"},
    Named{75, "streaming_free"},
    Named{76, "frame_timeline_event"},
    Named{77, "android_energy_estimation_breakdown"},
    Named{78, "ui_state"},
    Named{80, "android_camera_frame_event"},
    Named{82, "translation_table"},
    Named{84, "statsd_atom"},
    Named{86, "android_system_property"},
    Named{91, "entity_state_residency"},
    Named{95, "etw_events"},
    Named{99, "v8_js_code"},
    Named{100, "v8_internal_code"},
    Named{107, "remote_clock_sync"},
    Named{109, "chrome_trigger"},
    Named{113, "clone_snapshot_trigger"},
    Named{132, "journald_event"},
    Named{134, "concurrent_session_event"},
};

// Configuration, statistics and facts of the recording.
constexpr std::array<uint32_t, 30> kWithoutEvents = {
    3,  33, 34, 35, 36, 42, 45, 48,  51,  67,  69,  72,  79,  81,  83,
    87, 88, 89, 90, 92, 94, 98, 108, 119, 123, 124, 126, 127, 131, 138};

constexpr std::array kEventNames = {
    Named{5, "task_execution"},
    Named{21, "log_message"},
    Named{24, "cc_scheduler_state"},
    Named{25, "chrome_user_event"},
    Named{26, "chrome_keyed_service"},
    Named{27, "chrome_legacy_ipc"},
    Named{28, "chrome_histogram_sample"},
    Named{29, "chrome_latency_info"},
    Named{32, "chrome_frame_reporter"},
    Named{35, "chrome_message_pump"},
    Named{38, "chrome_mojo_event_info"},
    Named{39, "chrome_application_state_info"},
    Named{40, "chrome_renderer_scheduler_state"},
    Named{41, "chrome_window_handle_event_info"},
    Named{43, "chrome_content_settings_event_info"},
    Named{49, "chrome_active_processes"},
    Named{50, "screenshot"},
    Named{55, "callstack"},
    Named{56, "callstack_iid"},
    Named{57, "callstack_weight"},
    Named{3000, "gpu_correlation"},
    Named{3001, "gpu_api"},
};

template <std::size_t n>
std::string_view find_name(const std::array<Named, n>& names, uint32_t field) {
    const auto* found = std::ranges::find(names, field, &Named::first);
    return found == names.end() ? std::string_view() : found->second;
}

}  // namespace

std::string_view packet::name_of(uint32_t field) {
    return find_name(kPacketNames, field);
}

bool packet::has_no_events(uint32_t field) {
    return std::ranges::find(kWithoutEvents, field) != kWithoutEvents.end();
}

std::string_view event::name_of(uint32_t field) {
    return find_name(kEventNames, field);
}

}  // namespace lanescope::pftrace
