// Field numbers of Perfetto's published schema (protos/perfetto/trace), as far as they are read.
#pragma once

#include <cstdint>
#include <string_view>

namespace lanescope::pftrace {

namespace packet {
inline constexpr uint32_t kFtrace = 1;
inline constexpr uint32_t kProcessTree = 2;
inline constexpr uint32_t kClockSnapshot = 6;
inline constexpr uint32_t kTimestamp = 8;
inline constexpr uint32_t kProcessStats = 9;
inline constexpr uint32_t kSequence = 10;
inline constexpr uint32_t kTrackEvent = 11;
inline constexpr uint32_t kInterned = 12;
inline constexpr uint32_t kFlags = 13;
inline constexpr uint32_t kCleared = 41;
inline constexpr uint32_t kDropped = 42;
inline constexpr uint32_t kProcess = 43;
inline constexpr uint32_t kThread = 44;
inline constexpr uint32_t kSystemInfo = 45;
inline constexpr uint32_t kGpuCounter = 52;
inline constexpr uint32_t kGpuStage = 53;
inline constexpr uint32_t kClock = 58;
inline constexpr uint32_t kDefaults = 59;
inline constexpr uint32_t kTrack = 60;
inline constexpr uint32_t kPerfSample = 66;
inline constexpr uint32_t kGpuMemory = 71;
inline constexpr uint32_t kTrustedPid = 79;
inline constexpr uint32_t kFirstOfSequence = 87;
inline constexpr uint32_t kMachine = 98;
inline constexpr uint32_t kTaskState = 117;
inline constexpr uint32_t kCpuFrequency = 118;
inline constexpr uint32_t kTaskRename = 120;
inline constexpr uint32_t kKernelProcessTree = 122;
inline constexpr uint32_t kGpuInfo = 128;
inline constexpr uint32_t kGpuFrequency = 129;
inline constexpr uint32_t kStackSample = 135;
inline constexpr uint64_t kFlagCleared = 1;
inline constexpr uint64_t kFlagNeedsState = 2;

// The schema's name of a kind of packet that is not read; empty: the kind has no events, or is
// unknown.
std::string_view name_of(uint32_t field);
// Whether packets with this field contain nothing for a timeline.
bool has_no_events(uint32_t field);
}  // namespace packet

namespace event {
inline constexpr uint32_t kDelta = 1;  // time, µs
inline constexpr uint32_t kCategoryIds = 3;
inline constexpr uint32_t kAnnotations = 4;
inline constexpr uint32_t kLegacy = 6;
inline constexpr uint32_t kType = 9;
inline constexpr uint32_t kNameId = 10;
inline constexpr uint32_t kTrack = 11;
inline constexpr uint32_t kExtraValues = 12;
inline constexpr uint32_t kAbsolute = 16;  // time, µs
inline constexpr uint32_t kCategories = 22;
inline constexpr uint32_t kName = 23;
inline constexpr uint32_t kCounter = 30;
inline constexpr uint32_t kExtraTracks = 31;
inline constexpr uint32_t kLocation = 33;
inline constexpr uint32_t kLocationId = 34;
inline constexpr uint32_t kOldFlows = 36;
inline constexpr uint32_t kOldEndingFlows = 42;
inline constexpr uint32_t kDoubleCounter = 44;
inline constexpr uint32_t kExtraDoubleTracks = 45;
inline constexpr uint32_t kExtraDoubles = 46;
inline constexpr uint32_t kFlows = 47;
inline constexpr uint32_t kEndingFlows = 48;
inline constexpr uint32_t kCorrelation = 52;
inline constexpr uint32_t kCorrelationText = 53;
inline constexpr uint32_t kCorrelationTextId = 54;
inline constexpr uint32_t kGpuCorrelation = 3000;
inline constexpr uint64_t kBegin = 1;
inline constexpr uint64_t kEnd = 2;
inline constexpr uint64_t kInstant = 3;
inline constexpr uint64_t kCount = 4;
inline constexpr uint64_t kState = 5;

// The schema's name of a field; empty: unknown.
std::string_view name_of(uint32_t field);
}  // namespace event

namespace interned {
inline constexpr uint32_t kCategories = 1;
inline constexpr uint32_t kNames = 2;
inline constexpr uint32_t kAnnotationNames = 3;
inline constexpr uint32_t kLocations = 4;
inline constexpr uint32_t kFunctions = 5;
inline constexpr uint32_t kFrames = 6;
inline constexpr uint32_t kStacks = 7;
inline constexpr uint32_t kPaths = 17;
inline constexpr uint32_t kSourcePaths = 18;
inline constexpr uint32_t kMappings = 19;
inline constexpr uint32_t kContexts = 23;
inline constexpr uint32_t kGpuSpecs = 24;
inline constexpr uint32_t kTexts = 29;
inline constexpr uint32_t kCorrelations = 43;
inline constexpr uint32_t kGpuCounters = 47;
inline constexpr uint32_t kSampleTasks = 48;
inline constexpr uint32_t kKernels = 1000;
inline constexpr uint32_t kArgumentNames = 1001;
}  // namespace interned

}  // namespace lanescope::pftrace
