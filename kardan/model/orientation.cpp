#include "kardan/model/orientation.h"

#include <fmt/format.h>

#include <cmath>

#include "kardan/base/rotation.h"
#include "kardan/base/text.h"

namespace kardan {

void check_flat(const Vec3d& a, int dimension, const std::string& what, const SourceLocation& where,
                Diagnostics& diagnostics) {
  if (dimension == 2 && a.z != 0)
    diagnostics.error("field.planar",
                      fmt::format("{} has the third component {}; wanted [x, y] in a planar model",
                                  what, format_number(a.z)),
                      where);
}

Mat3d orientation(const OrientationFields& o, int dimension, const std::string& owner,
                  const SourceLocation& where, Diagnostics& diagnostics) {
  const int given = !o.quaternion.empty() + !is_zero(o.rotation) + !is_zero(o.z);
  if (dimension == 2) {
    if (given || !is_zero(o.x))
      diagnostics.error("body.orientation", owner + ": a planar model is oriented by 'angle' alone",
                        where, "remove quaternion, rotation, z, x");
    return rotation_exp({0, 0, o.angle});
  }
  if (o.angle != 0)
    diagnostics.error("body.orientation", owner + ": 'angle' is for planar models", where,
                      "use rotation: [rx, ry, rz], quaternion, or z and x");
  if (given > 1 || (!is_zero(o.x) && is_zero(o.z) && given == 1))
    diagnostics.error("body.orientation", owner + ": the orientation is given more than once",
                      where, "keep one of quaternion, rotation, or z with x");
  if (!o.quaternion.empty()) {
    const auto& q = o.quaternion;
    double length = 0;
    for (double c : q) length += c * c;
    if (q.size() != 4 || std::abs(length - 1) > 1e-6) {
      diagnostics.error("body.orientation",
                        fmt::format("{}: got {} numbers with square sum {}; wanted a unit "
                                    "quaternion [w, x, y, z]",
                                    owner, q.size(), format_number(length)),
                        where);
      return Mat3d::identity();
    }
    return rotation_matrix(normalized(Quaternion{q[0], q[1], q[2], q[3]}));
  }
  if (!is_zero(o.z)) return axes_from_z(o.z, o.x);
  if (!is_zero(o.x)) {
    // Only x: z is chosen, x kept exactly.
    const Mat3d A = axes_from_z(o.x, {});
    return Mat3d::from_columns(A.column(2), A.column(0), A.column(1));
  }
  return rotation_exp(o.rotation);
}

}  // namespace kardan
