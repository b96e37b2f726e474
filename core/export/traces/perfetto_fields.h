// Numbers of fields and values in Perfetto's published schema (protos/perfetto/trace), as far as we
// write them. tests/app/convert_perfetto_test.py reads our files with the schema's own messages.
#pragma once

#include <cstdint>
#include <protozero/types.hpp>

namespace lanescope::perfetto {

using Tag = protozero::pbf_tag_type;

namespace trace {
inline constexpr Tag kPacket = 1;
}

namespace packet {
inline constexpr Tag kClockSnapshot = 6;
inline constexpr Tag kTimestamp = 8;
inline constexpr Tag kSequence = 10;
inline constexpr Tag kTrackEvent = 11;
inline constexpr Tag kInterned = 12;
inline constexpr Tag kFlags = 13;
inline constexpr Tag kSystemInfo = 45;
inline constexpr Tag kTrackDescriptor = 60;
inline constexpr Tag kGpuInfo = 128;
inline constexpr uint32_t kStateCleared = 1;
inline constexpr uint32_t kNeedsState = 2;
}  // namespace packet

namespace system_info {
inline constexpr Tag kServiceVersion = 4;
}

namespace gpu_info {
inline constexpr Tag kGpu = 1;
inline constexpr Tag kName = 1;
inline constexpr Tag kMore = 6;  // key–value pairs
inline constexpr Tag kKey = 1;
inline constexpr Tag kValue = 2;
}  // namespace gpu_info

namespace clocks {
inline constexpr Tag kClock = 1;
inline constexpr Tag kId = 1;
inline constexpr Tag kTimestamp = 2;
inline constexpr uint32_t kRealTime = 1;
inline constexpr uint32_t kBootTime = 6;  // the clock of timestamps, unless a packet names another
}  // namespace clocks

namespace interned {
inline constexpr Tag kCategories = 1;
inline constexpr Tag kEventNames = 2;
inline constexpr Tag kAnnotationNames = 3;
inline constexpr Tag kAnnotationTexts = 29;
inline constexpr Tag kId = 1;
inline constexpr Tag kText = 2;
}  // namespace interned

namespace track {
inline constexpr Tag kId = 1;
inline constexpr Tag kName = 2;
inline constexpr Tag kProcess = 3;
inline constexpr Tag kThread = 4;
inline constexpr Tag kParent = 5;
inline constexpr Tag kCounter = 8;
inline constexpr Tag kChildOrdering = 11;
inline constexpr Tag kRank = 12;  // among its siblings
inline constexpr Tag kMerge = 15;
inline constexpr Tag kMergeKey = 16;
inline constexpr int32_t kMergeByKey = 3;  // siblings with the same key share a lane
inline constexpr int32_t kExplicitOrder = 3;
}  // namespace track

namespace process {
inline constexpr Tag kPid = 1;
inline constexpr Tag kName = 6;
inline constexpr Tag kLabels = 8;
}  // namespace process

namespace thread {
inline constexpr Tag kPid = 1;
inline constexpr Tag kTid = 2;
inline constexpr Tag kName = 5;
}  // namespace thread

namespace counter {
inline constexpr Tag kUnit = 3;
inline constexpr int32_t kBytes = 3;
}  // namespace counter

namespace event {
inline constexpr Tag kCategories = 3;
inline constexpr Tag kAnnotations = 4;
inline constexpr Tag kType = 9;
inline constexpr Tag kName = 10;
inline constexpr Tag kTrack = 11;
inline constexpr Tag kCounterValue = 44;
inline constexpr Tag kFlows = 47;
inline constexpr Tag kEndingFlows = 48;
inline constexpr int32_t kSliceBegin = 1;
inline constexpr int32_t kSliceEnd = 2;
inline constexpr int32_t kInstant = 3;
inline constexpr int32_t kCounter = 4;
}  // namespace event

namespace annotation {
inline constexpr Tag kNameId = 1;
inline constexpr Tag kBool = 2;
inline constexpr Tag kUnsigned = 3;
inline constexpr Tag kInteger = 4;
inline constexpr Tag kDouble = 5;
inline constexpr Tag kDict = 11;
inline constexpr Tag kArray = 12;
inline constexpr Tag kTextId = 17;
}  // namespace annotation

}  // namespace lanescope::perfetto
