// Ids of texts, threads, devices and streams.
#include <fmt/format.h>

#include <array>

#include "core/ingest/nsight/nsight_state.h"

namespace lanescope {

std::string_view NsightReader::text_of(int64_t string_id) {
    const SqliteTable* const table = file_.find("StringIds");
    if (!table || string_id == kNoValue) return {};
    constexpr std::array<std::string_view, 2> columns = {"value", "id"};
    if (table->alias == "id") {
        if (!string_lookup_) string_lookup_.emplace(file_.lookup(*table, columns));
        return string_lookup_->seek(string_id) ? string_lookup_->text(0) : std::string_view();
    }
    // A copy of the file by another program: its texts have no index.
    if (string_values_.empty()) {
        SqliteRows rows = file_.rows(*table, columns);
        while (rows.next()) string_values_.try_emplace(rows.number(1), rows.text(0));
    }
    const auto found = string_values_.find(string_id);
    return found == string_values_.end() ? std::string_view() : found->second;
}

LocalId NsightReader::string(int64_t string_id) {
    const auto [found, is_new] = strings_.try_emplace(string_id, 0);
    if (is_new) found->second = sink_.text(text_of(string_id));
    return found->second;
}

LocalId NsightReader::call_name(int64_t string_id) {
    const auto [found, is_new] = calls_.try_emplace(string_id, 0);
    if (is_new) found->second = sink_.text(nsight_call_name(text_of(string_id)));
    return found->second;
}

// Processes of several machines may have the same pid.
LocalId NsightReader::process(int64_t global) {
    const int64_t key = nsight_process(global);
    const auto [found, is_new] = processes_.try_emplace(key, 0);
    if (!is_new) return found->second;
    const std::string pid = std::to_string(nsight_pid(key));
    std::string text = pid;
    for (int i = 2; !pids_.try_emplace(text, key).second; ++i)
        text = fmt::format("{} ({})", pid, i);
    found->second = sink_.process(text);
    return found->second;
}

LocalId NsightReader::thread(int64_t global_tid) {
    if (last_thread_.first == global_tid) return last_thread_.second;
    const auto [found, is_new] = threads_.try_emplace(global_tid, 0);
    if (is_new)
        found->second = sink_.thread(process(global_tid), std::to_string(nsight_tid(global_tid)));
    last_thread_ = *found;
    return found->second;
}

LocalId NsightReader::device(int64_t global_pid, int64_t ordinal) {
    const auto [found, is_new] = devices_.try_emplace({nsight_process(global_pid), ordinal}, 0);
    if (is_new) found->second = sink_.device(process(global_pid), static_cast<uint32_t>(ordinal));
    return found->second;
}

// Streams are numbered within a context, mostly without repetition.
LocalId NsightReader::stream(int64_t global_pid, int64_t ordinal, int64_t context,
                             int64_t stream_id) {
    const StreamKey key = {global_pid, ordinal, context, stream_id};
    if (last_stream_.first == key) return last_stream_.second;
    const auto [found, is_new] = streams_.try_emplace(key, 0);
    if (is_new) {
        const bool is_first = stream_texts_.insert({global_pid, ordinal, stream_id}).second;
        const LocalId on = device(global_pid, ordinal);
        device_of_context_.try_emplace({nsight_pid(global_pid), context}, ordinal);
        found->second =
            sink_.stream(on, is_first ? std::to_string(stream_id)
                                      : fmt::format("stream {} of context {}", stream_id, context));
    }
    last_stream_ = *found;
    return found->second;
}

}  // namespace lanescope
