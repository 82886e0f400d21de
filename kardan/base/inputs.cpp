#include "kardan/base/inputs.h"

namespace kardan {

InputBounds InputBounds::of(const Taylor& f, int derivative, double factor) {
  Taylor u = f;
  for (int i = 0; i < derivative; ++i) u = u.derivative();
  InputBounds out;
  out.value = u.c[0] * Interval(factor);
  for (int k = 1; k <= max_order; ++k)
    out.size[static_cast<std::size_t>(k)] =
        k <= u.order ? (u.c[static_cast<std::size_t>(k)] * Interval(factor)).size()
                     : std::numeric_limits<double>::infinity();
  return out;
}

bool InputBounds::smooth(int order) const {
  if (!value.finite()) return false;
  for (int k = 1; k <= order; ++k)
    if (!std::isfinite(size[static_cast<std::size_t>(k)])) return false;
  return true;
}

void InputBounds::join(const InputBounds& other) {
  value = hull(value, other.value);
  for (std::size_t k = 1; k < size.size(); ++k) size[k] = std::max(size[k], other.size[k]);
}

/// Half the width, or Chebyshev's 2 (h/4)^k |u^(k)|/k!.
double InputBounds::deviation(double h, int order) const {
  double least = 0.5 * value.width(), scale = 2;
  if (!(least >= 0)) least = std::numeric_limits<double>::infinity();
  for (int k = 1; k <= order; ++k) {
    scale *= 0.25 * h;
    least = std::min(least, detail::product(scale, size[static_cast<std::size_t>(k)]));
  }
  return least;
}

}  // namespace kardan
