#include "core/session/remote_trace.h"

#include <utility>

#include "core/source/remote_copy.h"

namespace lanescope {

Result<void> TypedAddresses::admit(const std::string& text) {
    Result<RemoteAddress> address = parse_remote_address(text);
    if (!address) return address.error();
    admitted_.insert_or_assign(text, std::move(*address));
    return {};
}

std::optional<RemoteAddress> TypedAddresses::find(const std::string& text) const {
    const auto found = admitted_.find(text);
    return found == admitted_.end() ? std::nullopt : std::optional(found->second);
}

Result<std::shared_ptr<InputFile>> copy_remote_trace(const RemoteAddress& address,
                                                     LoadProgress* progress) {
    if (!progress) return copy_remote(address);
    RemoteCopyOptions options;
    options.bytes_done = &progress->bytes_done;
    options.cancel = &progress->cancel;
    progress->copying = true;
    Result<std::shared_ptr<InputFile>> copy = copy_remote(address, options);
    progress->copying = false;
    progress->bytes_done = 0;
    if (copy) progress->bytes_copied = (*copy)->size();
    return copy;
}

Result<TracePtr> load_remote_trace(const RemoteAddress& address, LoadOptions options) {
    const Result<std::shared_ptr<InputFile>> copy = copy_remote_trace(address, options.progress);
    if (!copy) return copy.error();
    options.file = *copy;
    return load_trace(address.text, options);
}

}  // namespace lanescope
