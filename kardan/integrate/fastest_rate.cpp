#include "kardan/integrate/fastest_rate.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

double size_of(const Local& w, double H) {
  double sum = 0;
  for (const double x : w.x) sum += x * x;
  for (const double u : w.u) sum += H * H * u * u;
  for (const double z : w.z) sum += z * z;
  return std::sqrt(sum);
}

}  // namespace

void FastestRate::resize(int second, int first) {
  w_.resize(second, first);
  begin(1);
}

/// Velocities that favour no mode: displacements would hide them where H is short.
void FastestRate::begin(double H) {
  std::ranges::fill(w_.x, 0.0);
  double x = 0.5;
  for (double& u : w_.u) u = (x = std::fmod(x + 0.6180339887498949, 1.0)) - 0.5;
  for (double& z : w_.z) z = H * ((x = std::fmod(x + 0.6180339887498949, 1.0)) - 0.5);
}

const Local& FastestRate::direction(double size, double H) {
  double now = size_of(w_, H);
  if (looks_ == 0 || !(now > 0) || !std::isfinite(now)) {
    begin(H);
    now = size_of(w_, H);
  }
  const double scale = now > 0 ? size / now : 0;
  for (Vector* part : {&w_.x, &w_.u, &w_.z})
    for (double& value : *part) value *= scale;
  return w_;
}

void FastestRate::answered(const LocalRate& change, double H) {
  const double before = size_of(w_, H);
  for (std::size_t i = 0; i < w_.x.size(); ++i) {
    w_.x[i] = H * w_.u[i];
    w_.u[i] = H * change.a[i];
  }
  for (std::size_t i = 0; i < w_.z.size(); ++i) w_.z[i] = H * change.b[i];
  const double now = before > 0 ? size_of(w_, H) / before / H : 0;
  rate_ = looks_ > 0 ? std::sqrt(now * last_) : now;
  last_ = now;
  ++looks_;
}

}  // namespace kardan
