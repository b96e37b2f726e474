// Traces on other machines. Only what the user typed, on the command line or in the Open dialog,
// may make this program connect to a host: TypedAddresses is that border. Paths from anywhere else
// (a trace, notes, settings and their recent files, a dropped file, the socket of --reuse) are
// never parsed as addresses; they are local paths, whatever they look like.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>

#include "core/base/result.h"
#include "core/ingest/load.h"
#include "core/source/remote_address.h"

namespace lanescope {

class TypedAddresses {
  public:
    // The user typed this text, which is_url(). Errors: it is not a sound address.
    Result<void> admit(const std::string& text);
    // The address, if the user has typed this text since the program began.
    std::optional<RemoteAddress> find(const std::string& text) const;

  private:
    std::map<std::string, RemoteAddress> admitted_;
};

// Copies the file to this machine, to be passed as LoadOptions::file. `progress` may be null.
// Errors: see copy_remote().
Result<std::shared_ptr<InputFile>> copy_remote_trace(const RemoteAddress& address,
                                                     LoadProgress* progress);
// Copies and loads. The trace's path is the address. The copy exists as long as the trace, whose
// arguments are read from it.
Result<TracePtr> load_remote_trace(const RemoteAddress& address, LoadOptions options);

}  // namespace lanescope
