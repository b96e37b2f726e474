// The roofline as data for a picture: the devices' roofs, and a point for each operator or kernel.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/analysis/work/models.h"

namespace lanescope {

// A device's memory bandwidth is the slope of its roofs.
struct RooflineDevice {
    std::string name;        // empty: the file names none
    double bytes_per_s = 0;  // 0: not known
    bool in_sheet = false;   // something is known of it
    bool uncertain = false;  // the source of bytes_per_s is not confirmed
};

// The flat part: the device's peak for one data type.
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
    uint32_t roof = kNoRow;  // index in RooflinePoints::roofs; kNoRow: unknown peak
    WorkBound bound = WorkBound::unknown;
    SliceRef longest;
};

struct RooflinePoints {
    std::vector<RooflineDevice> devices;
    std::vector<Roof> roofs;            // from the highest to the lowest
    std::vector<RooflinePoint> points;  // longest first
    Nanos all_time = 0;                 // of kernels and collectives that begin in the range
};

enum class RooflineOf : uint8_t { operators, kernels };

// Only points with operations, bytes and time; an operator's time includes all its kernels, also
// helpers. Kernels of one name form several points if they used several data types.
RooflinePoints roofline_points(const TraceContext& context, const TableQuery& query,
                               RooflineOf kind);

// The rate that a roof allows at an intensity, in operations per second.
double roof_at(const RooflinePoints& points, const Roof& roof, double intensity);

}  // namespace lanescope
