// A page is not told of changes of a file; reading a file that has changed fails with a message.
#include "core/session/file_watch.h"

namespace lanescope {

struct FileWatch::State {};

FileWatch::FileWatch(const std::string& /*path*/, std::function<void()> /*changed*/) {}
FileWatch::~FileWatch() = default;

}  // namespace lanescope
