// IDs of texts, threads, devices and streams.
#include <fmt/format.h>

#include "core/ingest/nsight/nsight_state.h"

namespace lanescope {

std::string_view NsightReader::text_of(int64_t string_id) {
    if (!texts_) texts_.emplace(file_, "StringIds", "value");
    return texts_->text(string_id);
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
    const uint32_t pid = nsight_pid(key);
    const int number = ++processes_of_pid_[pid];
    const std::string text =
        number == 1 ? std::to_string(pid) : fmt::format("{} ({})", pid, number);
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

// Streams are numbered within a context; numbers rarely repeat.
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
        streams_of_context_[{nsight_pid(global_pid), context, stream_id}].push_back(found->second);
    }
    last_stream_ = *found;
    return found->second;
}

}  // namespace lanescope
