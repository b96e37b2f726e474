// Splits a TORCH_TRACE log into its records.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace lanescope {

// A record is a line such as
//     V1121 07:36:34.963000 17809 torch/_dynamo/utils.py:2473] {"chromium_event": {}, …}
// and its payload: the lines behind it that begin with a tab.
struct TorchRecord {
    uint64_t offset = 0;  // position of the record's first byte in the text
    int64_t pid = -1;
    std::string_view head;     // the JSON object
    std::string_view payload;  // without tabs
};

// Whether the line begins like a record.
bool begins_torch_record(std::string_view line);

// Takes the text in blocks. Skips and counts lines outside of records.
class TorchLogSplitter {
  public:
    using Take = std::function<void(const TorchRecord&)>;
    explicit TorchLogSplitter(Take take) : take_(std::move(take)) {}

    void add(std::string_view block);
    void finish();

    uint64_t foreign_lines() const { return foreign_lines_; }
    uint64_t first_foreign() const { return first_foreign_; }  // position of the first such line

  private:
    void add_line(std::string_view line);
    void hand_over();

    Take take_;
    std::string rest_;     // part of a line whose end has not arrived
    uint64_t offset_ = 0;  // position of the next line
    bool in_record_ = false;
    TorchRecord record_;
    std::string head_;
    std::string payload_;
    uint64_t foreign_lines_ = 0;
    uint64_t first_foreign_ = 0;
};

}  // namespace lanescope
