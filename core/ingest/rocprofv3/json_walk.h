// JsonWalk: reads a JSON text of any length once, from its beginning to its end. Only single values
// that are asked for are in memory.
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
    // The next character that is not white space; '\0' at the end of the text.
    char peek();
    // Moves past this character, if it is the next one.
    bool take(char c);

    // Visits the members of an object, or the elements of a list, which comes next; `visit` must
    // move past the value, and returns false to end. False if it did so, or if the text is damaged
    // or ends.
    bool members(const std::function<bool(std::string_view name)>& visit);
    bool elements(const std::function<bool()>& visit);
    // Moves past the next value; `raw` is its text, valid until the next call, with kTextPadding
    // bytes behind it. False if the text ends first, or if the value is longer than 64 MiB.
    bool value(std::string_view& raw);
    // Moves past the next value, of any length.
    bool skip();

    // Nothing follows, or a value that is not whole.
    bool is_at_end();
    // The error of reading the file, if any. Damaged JSON is no error here.
    const Result<void>& outcome() const { return outcome_; }

  private:
    // Makes at least so many bytes of the text from at_ on available, or all that are left.
    bool fill(std::size_t bytes);
    void advance(std::size_t bytes);

    ForwardText text_;
    std::string_view window_;  // the text from at_ on
    uint64_t at_ = 0;
    bool is_cut_ = false;  // the text ends within a value
    Result<void> outcome_;
};

}  // namespace lanescope
