#include "kardan/formulation/wishes.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/text.h"

namespace kardan {

std::vector<BoundWish> bind_wishes(const std::vector<WishData>& wishes, const System& system,
                                   Diagnostics& diagnostics) {
  std::vector<BoundWish> bound;
  for (const WishData& wish : wishes) {
    BoundWish b;
    b.data = &wish;
    bool ok = true;
    for (const std::string& name : wish.want.names()) {
      const auto q = system.find_quantity(name);
      if (!q && system.blueprint().faulty.contains(name.substr(0, name.find('.')))) {
        ok = false;  // reported already
        continue;
      }
      if (!q) {
        const std::string near = did_you_mean(name, system.quantity_names());
        diagnostics.error(
            "wish.unknown_name", fmt::format("'{}': there is no quantity '{}'", wish.text, name),
            wish.where,
            near.empty() ? "use BODY.x, BODY.vx, ... or a sensor" : "did you mean '" + near + "'?");
        ok = false;
        continue;
      }
      if (q->kind == Quantity::Kind::state || q->kind == Quantity::Kind::auxiliary) {
        diagnostics.error(
            "wish.unknown_name",
            fmt::format("'{}': '{}' is neither a position nor a velocity", wish.text, name),
            wish.where, "wish for positions, velocities or sensors of them");
        ok = false;
        continue;
      }
      b.quantities.push_back(*q);
      if (system.is_velocity(*q)) b.level = WishLevel::velocity;
      for (int c : system.quantity_columns(*q)) b.columns.push_back(c);
    }
    std::sort(b.columns.begin(), b.columns.end());
    b.columns.erase(std::unique(b.columns.begin(), b.columns.end()), b.columns.end());
    if (ok) bound.push_back(std::move(b));
  }
  return bound;
}

double wish_residual(const BoundWish& wish, const System& system, const State& state,
                     std::span<double> row, Workspace& ws) {
  const std::size_t n = wish.quantities.size();
  Vector values(n), gradient(n);
  for (std::size_t i = 0; i < n; ++i)
    values[i] = system.quantity(wish.quantities[i], state, 0, {}, {}, ws);
  const double value = wish.data->want.evaluate_with_gradient(values, gradient);
  if (!row.empty()) {
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t i = 0; i < n; ++i)
      system.quantity(wish.quantities[i], state, gradient[i],
                      wish.level == WishLevel::position ? row : std::span<double>{},
                      wish.level == WishLevel::velocity ? row : std::span<double>{}, ws);
  }
  return value - wish.data->equals;
}

}  // namespace kardan
