#include "kardan/run/stability.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "kardan/run/linearize.h"

namespace kardan {
namespace {

/// Eigenvalues are found by dense matrices, whose work grows with the cube of their size.
constexpr int most_velocities = 500;

}  // namespace

std::string_view to_string(Stability kind) {
  switch (kind) {
    case Stability::stable:
      return "stable";
    case Stability::undamped:
      return "undamped";
    case Stability::unstable:
      return "unstable";
    case Stability::unknown:
      break;
  }
  return "unknown";
}

StabilityReport find_stability(const Prepared& prepared) {
  StabilityReport out;
  if (prepared.system->sizes().v > most_velocities) {
    out.why = fmt::format("more than {} velocities", most_velocities);
    return out;
  }
  const Linearization small = linearize(prepared, ModeShapes::find);
  if (small.status != Eval::ok) {
    out.why = small.message;
    return out;
  }
  double largest = 0;
  for (const Mode& mode : small.modes.modes) largest = std::max(largest, std::abs(mode.value));
  // Rounding moves a double eigenvalue by the root of itself.
  const double rounding = std::sqrt(std::numeric_limits<double>::epsilon()) * largest;
  out.kind = Stability::stable;
  const Mode* fastest = nullptr;
  for (const Mode& mode : small.modes.modes) {
    if (mode.zero || mode.value.real() >= -rounding) out.kind = Stability::undamped;
    if (!mode.zero && mode.value.real() > std::max(rounding, out.growth)) {
      out.growth = mode.value.real();
      fastest = &mode;
    }
  }
  if (!fastest) return out;
  out.kind = Stability::unstable;
  const auto& shape = fastest->shape;
  const auto most = std::max_element(shape.begin(), shape.end(), [](const auto& a, const auto& b) {
    return std::abs(a) < std::abs(b);
  });
  if (most != shape.end())
    out.moves = small.coordinates[static_cast<std::size_t>(most - shape.begin())];
  return out;
}

}  // namespace kardan
