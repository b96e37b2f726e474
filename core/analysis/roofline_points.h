// The roofline as a picture needs it: the devices' roofs, and a point for each operator or kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/models.h"

namespace lanescope {

// A device's memory gives the slope of its roofs.
struct RooflineDevice {
    std::string name;        // empty: the file names none
    double bytes_per_s = 0;  // 0: not known
    bool in_sheet = false;   // something is known of it
    bool uncertain = false;  // no source confirmed bytes_per_s
};

// The flat part: what a device reaches with numbers of one kind.
struct Roof {
    uint32_t device = 0;  // of RooflinePoints::devices
    Spec spec = Spec::fp32;
    double flop_per_s = 0;
    bool uncertain = false;
};

struct RooflinePoint {
    StringId name = 0;
    StringId dims = 0;  // of an operator's inputs; 0: of a kernel
    int64_t calls = 0;
    Nanos time = 0;
    double intensity = 0;  // operations a byte
    double flop_per_s = 0;
    uint32_t roof = kNoRow;  // of RooflinePoints::roofs; kNoRow: the peak is not known
    WorkBound bound = WorkBound::unknown;
    SliceRef longest;
};

struct RooflinePoints {
    std::vector<RooflineDevice> devices;
    std::vector<Roof> roofs;            // from the highest to the lowest
    std::vector<RooflinePoint> points;  // from the longest to the shortest
    Nanos all_time = 0;                 // of kernels and collectives that begin in the range
};

enum class RooflineOf : uint8_t { operators, kernels };

// Those with operations, bytes and time; an operator's time is that of all its kernels, helpers
// too. Kernels of one name are several points where they were worked out in several types.
RooflinePoints roofline_points(const TraceContext& context, const TableQuery& query, RooflineOf of);

// What a roof allows at an intensity, in operations a second.
double roof_at(const RooflinePoints& points, const Roof& roof, double intensity);

}  // namespace lanescope
