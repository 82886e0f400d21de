#include "kardan/base/signal.h"

#include "kardan/base/taylor.h"

namespace kardan {

TimeJet SignalCourse::at(double t) const {
  const double s = t - t0;
  return {c[0] + s * (c[1] + s * (c[2] + s * c[3])), c[1] + s * (2 * c[2] + 3 * s * c[3]),
          2 * c[2] + 6 * s * c[3], 6 * c[3]};
}

Taylor SignalFunction::enclose(const Taylor& t) const {
  const std::array<double, 4>& c = course_->c;
  Taylor out = Taylor::constant(c[0], t.order);
  if (c[1] == 0 && c[2] == 0 && c[3] == 0) return out;  // however long the time
  const Taylor s = t + (-course_->t0);
  out = s * c[3] + c[2];
  out = out * s + c[1];
  return out * s + c[0];
}

}  // namespace kardan
