#pragma once
/// The part of nonholonomic rows that comes from a surface moving with the velocity b(t) d, d a
/// direction of the world: for a row psi = (R e).V across e, fixed to body B,
///
///   psi += -b(t) y,   y = (R e).d

#include "kardan/elements/constraint_bank.h"

namespace kardan {

template <int D>
class MovingSurfaceRows final : public ConstraintBank<D> {
 public:
  struct Item {
    VecOf<D> e, d;
    TimeFunction speed;
    RowSlots slots;
  };
  std::vector<Item> items;

  void evaluate(const Context<D>& at, Depth depth, const ConstraintValues& out) const override {
    if (depth == Depth::value) return;
    for (const Item& i : items) {
      const FixedVector<D> E(at.bodies[i.slots.B.body], i.e);
      const TimeJet b = i.speed.at(at.t);
      const double y = dot(E.U0, i.d), y1 = dot(E.U1, i.d);
      const int row = i.slots.row;
      out.rate[row] -= b.value * y;
      out.g_t[row] -= b.value * y;
      out.accel[row] -= b.d1 * y + b.value * y1;
    }
  }
  void differentiate(const Context<D>& at, std::span<const PairSlots>, const ConstraintValues& out,
                     const ForceValues&) const override {
    for (const Item& i : items) {
      const FixedVector<D> E(at.bodies[i.slots.B.body], i.e);
      const TimeJet b = i.speed.at(at.t);
      const double y = dot(E.U0, i.d), y1 = dot(E.U1, i.d);
      out.rate_t[i.slots.row] -= b.d1 * y;
      out.accel_t[i.slots.row] -= b.d2 * y + b.d1 * y1;
      constexpr int q = Measure<D>::qB;
      const auto local = E.local(i.d);
      double G[Measure<D>::n] = {}, rate_p[Measure<D>::n] = {};
      add(G, q, 1, E.d0(local));
      add(rate_p, q, 1, E.d1(local));
      scatter_row<D>(i.slots, 0, -b.value, G, out.rate_p);
      scatter_row<D>(i.slots, 0, -b.d1, G, out.accel_p);
      scatter_row<D>(i.slots, 0, -b.value, rate_p, out.accel_p);
      scatter_row<D>(i.slots, 0, -b.value, G, out.accel_v);
    }
  }
  bool splits() const override { return false; }
  void each_slot(void (*visit)(void*, RowSlots&), void* user) override {
    for (Item& i : items) visit(user, i.slots);
  }
};

}  // namespace kardan
