#include "kardan/run/tightened.h"

#include <algorithm>

namespace kardan {

SimulateOptions tightened(SimulateOptions o, double factor) {
  if (o.driver.fixed_step > 0) {
    o.driver.fixed_step *= factor;
    return o;
  }
  o.driver.tolerance *= factor;
  o.relative *= factor;
  o.absolute *= factor;
  for (VariableTolerance& t : o.tolerance_of) t.value *= factor;
  return o;
}

double tolerance_of(const SimulateOptions& o) {
  double tolerance = o.driver.tolerance;
  if (o.relative > 0 || o.absolute > 0)
    tolerance =
        std::min(o.relative > 0 ? o.relative : tolerance, o.absolute > 0 ? o.absolute : tolerance);
  return tolerance;
}

}  // namespace kardan
