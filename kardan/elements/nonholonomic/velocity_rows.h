#pragma once
/// Nonholonomic rows 0 = psi(p, v) = H(p) v. A residual is kept in the same record as a measure:
/// its `rate` is psi, `accel` psi', G is H, and rate_p, accel_p, accel_v and curvature = H_p are
/// those of psi; there is no value. The rate of a measure is such a record, and so are sums of them
/// and products with functions of measures, which is how rolling is put together.

#include "kardan/elements/constraint_bank.h"

namespace kardan {

/// psi += factor * u
template <int D>
void add_residual(double factor, const Measure<D>& u, Depth depth, Measure<D>& psi);

/// f(y) of a measure y with its first two derivatives.
struct FunctionOfOne {
  double f, f1, f2;
};
/// psi += f(y) u
template <int D>
void add_residual(const FunctionOfOne& f, const Measure<D>& y, const Measure<D>& u, Depth depth,
                  Measure<D>& psi);

/// u = m.w_B, the angular velocity of B along a direction m fixed in the world.
void spin_along(const Vec3d& m, const BodyMotion<3>& B, Depth depth, Measure<3>& u);

/// Rows of residuals R with  void evaluate(const Pair<D>&, Depth, Measure<D>& psi) const.
template <int D, class R>
class VelocityRows final : public ConstraintBank<D> {
 public:
  struct Item {
    R residual;
    RowSlots slots;
  };
  std::vector<Item> items;

  void evaluate(const Context<D>& at, Depth depth, const ConstraintValues& out) const override {
    if (depth == Depth::value) return;
    Measure<D> psi;
    for (const Item& i : items) {
      i.residual.evaluate({at.bodies[i.slots.A.body], at.bodies[i.slots.B.body]}, depth, psi);
      out.rate[i.slots.row] += psi.rate;
      out.accel[i.slots.row] += psi.accel;
      scatter_row<D>(i.slots, 0, 1, psi.G, out.G);
    }
  }
  void differentiate(const Context<D>& at, std::span<const PairSlots> pairs,
                     const ConstraintValues& out, const ForceValues& forces) const override {
    Measure<D> psi;
    for (const Item& i : items) {
      i.residual.evaluate({at.bodies[i.slots.A.body], at.bodies[i.slots.B.body]}, Depth::second,
                          psi);
      add_row_derivatives(psi, i.slots, 1, pairs, out, forces);
    }
  }
  bool splits() const override { return false; }
  void each_slot(void (*visit)(void*, RowSlots&), void* user) override {
    for (Item& i : items) visit(user, i.slots);
  }
};

}  // namespace kardan
