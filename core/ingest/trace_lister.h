// TraceLister: collects the traces of a folder or archive, and says what is left out and why.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/base/result.h"
#include "core/ingest/open_input.h"
#include "core/ingest/trace_list.h"

namespace lanescope {

class TraceLister {
  public:
    // A file by what it was recognised as. `name`: within the folder or archive, for messages. A
    // later file of the same path replaces an earlier one.
    void add(const std::string& path, const std::string& name, const Result<RecognisedFile>& known,
             uint64_t bytes);
    // A file that is not read: "is a link".
    void refuse(const std::string& path, const std::string& name, std::string_view why);
    void note(std::string sentence) { notes_.push_back(std::move(sentence)); }

    TraceList finish();

  private:
    enum class Kind : uint8_t { trace, other, archive, unreadable, refused };
    struct Seen {
        Kind kind = Kind::other;
        std::size_t order = 0;
        std::string name;
        std::string why;  // it is unreadable or refused
        ListedTrace trace;
    };
    Seen& put(const std::string& path, const std::string& name, Kind kind);

    std::map<std::string, Seen> files_;  // by path
    std::vector<std::string> notes_;
};

}  // namespace lanescope
