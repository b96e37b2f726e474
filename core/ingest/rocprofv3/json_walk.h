// JsonWalk: reads a JSON text of any length once, from start to end. Keeps only single requested
// values in memory.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>

#include "core/base/result.h"
#include "core/source/forward_text.h"

namespace lanescope {

class JsonWalk {
  public:
    JsonWalk(std::shared_ptr<InputFile> file, Compression compression,
             std::shared_ptr<GzipIndex> index);

    uint64_t position() const { return at_; }
    uint64_t file_bytes_done() const { return text_.file_bytes_done(); }
    // The next character other than white space; '\0': end of the text.
    char peek();
    // Skips this character if it is the next one, and returns whether it was.
    bool take(char c);

    // Visits the members of the next object, or the elements of the next list. `visit`: must move
    // past the value, and returns false to stop. Returns false if `visit` did, or if the text is
    // damaged or ends.
    bool members(const std::function<bool(std::string_view name)>& visit);
    bool elements(const std::function<bool()>& visit);
    // Moves past the next value. `raw`: its text, followed by kTextPadding bytes; valid until the
    // next call. False: the text ends first, or the value is longer than 64 MiB.
    bool value(std::string_view& raw);
    // Moves past the next value, of any length.
    bool skip();

    // Whether nothing follows, or only an incomplete value.
    bool is_at_end();
    // The error of reading the file, if any. Damaged JSON is not such an error.
    const Result<void>& outcome() const { return outcome_; }

  private:
    // Makes at least `bytes` bytes of the text available from at_ on, or all remaining bytes.
    bool fill(std::size_t bytes);
    void advance(std::size_t bytes);

    ForwardText text_;
    std::string_view window_;  // text from at_ on
    uint64_t at_ = 0;
    bool is_cut_ = false;  // the text ends within a value
    Result<void> outcome_;
};

}  // namespace lanescope
