#include "examples/extend/model/distances.h"

namespace lanescope {

Work distances(Call& c, const Rule& rule) {
    const auto [a, b] = std::array{rule.at[0], rule.at[1]};
    const Shape& x = c.shape(a);
    const Shape& y = c.shape(b);
    c.need(x.size() >= 2 && x.size() == y.size());
    c.need(c.dim(a, -1) == c.dim(b, -1));
    Count pairs(c.dim(a, -2));
    pairs = pairs * Count(c.dim(b, -2));
    for (std::size_t i = 0; i + 2 < x.size() && i + 2 < y.size(); ++i) {
        c.need(x[i] == y[i]);
        pairs = pairs * Count(x[i]);
    }
    Work w;
    w.type = c.type(a);
    w.flops = w.flops_dense = Count(3) * pairs * Count(c.dim(a, -1));
    w.bytes_read = c.bytes(a) + c.bytes(b);
    w.bytes_written = c.bytes_of_type(pairs, w.type);
    return w;
}

}  // namespace lanescope
