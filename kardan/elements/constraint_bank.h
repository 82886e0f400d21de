#pragma once
/// Banks: all constraint rows of one kind in a compiled system, evaluated in one call.

#include <numbers>
#include <vector>

#include "kardan/base/time_function.h"
#include "kardan/elements/measure.h"
#include "kardan/elements/values.h"

namespace kardan {

template <int D>
class ConstraintBank {
 public:
  virtual ~ConstraintBank() = default;
  /// Adds values (first order: rates, accelerations and G with them).
  virtual void evaluate(const Context<D>&, Depth, const ConstraintValues&) const = 0;
  /// Adds rate_p, accel_p, accel_v and the partial time derivatives, and, when forces.lambda is
  /// given, -(G' lambda)_p to forces.f_p.
  virtual void differentiate(const Context<D>&, std::span<const PairSlots>, const ConstraintValues&,
                             const ForceValues&) const = 0;
  /// Whether evaluate() knows Depth::gradient and Depth::rates.
  virtual bool splits() const = 0;
  /// The row positions, which the system fills in once the pattern is known.
  virtual void each_slot(void (*visit)(void* user, RowSlots&), void* user) = 0;
};

/// Adds a record to one row.
template <int D>
void add_row(const Measure<D>& y, const RowSlots& s, double factor, Depth depth,
             const ConstraintValues& out) {
  out.g[s.row] += factor * y.value;
  if (depth == Depth::value) return;
  if (depth != Depth::gradient) {
    out.rate[s.row] += factor * y.rate;
    out.accel[s.row] += factor * y.accel;
  }
  if (depth != Depth::rates) scatter_row<D>(s, 0, factor, y.G, out.G);
}
template <int D>
void add_row_derivatives(const Measure<D>& y, const RowSlots& s, double factor,
                         std::span<const PairSlots> pairs, const ConstraintValues& out,
                         const ForceValues& forces) {
  scatter_row<D>(s, 0, factor, y.rate_p, out.rate_p);
  scatter_row<D>(s, 0, factor, y.accel_p, out.accel_p);
  scatter_row<D>(s, 0, factor, y.accel_v, out.accel_v);
  if (forces.lambda) {
    const double l = factor * forces.lambda[s.row];
    if (l != 0) scatter<D>(pairs[s.pairs], -l, y.curvature, forces.f_p);
  }
}

/// Rows  g[row] += coefficient * measure  for measures of type M (Dot1, Dot2, Distance, Angle ...).
template <int D, class M>
class MeasureRows final : public ConstraintBank<D> {
 public:
  struct Item {
    M measure;
    double coefficient = 1;
    int counter = -1;  // index of the turn counter of a continuous angle, or -1
    RowSlots slots;
  };
  std::vector<Item> items;

  void evaluate(const Context<D>& at, Depth depth, const ConstraintValues& out) const override {
    Measure<D> y;
    for (const Item& i : items) {
      i.measure.evaluate({at.bodies[i.slots.A.body], at.bodies[i.slots.B.body]}, depth, y);
      if (i.counter >= 0) y.value += 2 * std::numbers::pi * at.turns[i.counter];
      add_row(y, i.slots, i.coefficient, depth, out);
    }
  }
  void differentiate(const Context<D>& at, std::span<const PairSlots> pairs,
                     const ConstraintValues& out, const ForceValues& forces) const override {
    Measure<D> y;
    for (const Item& i : items) {
      i.measure.evaluate({at.bodies[i.slots.A.body], at.bodies[i.slots.B.body]}, Depth::second, y);
      add_row_derivatives(y, i.slots, i.coefficient, pairs, out, forces);
    }
  }
  bool splits() const override { return true; }
  void each_slot(void (*visit)(void*, RowSlots&), void* user) override {
    for (Item& i : items) visit(user, i.slots);
  }
};

/// Points: D rows  g = p_WB - p_WA  in world components; the workhorse of all joints.
template <int D>
class PointRows final : public ConstraintBank<D> {
 public:
  struct Item {
    VecOf<D> sA, sB;
    RowSlots slots;
  };
  std::vector<Item> items;

  void evaluate(const Context<D>&, Depth, const ConstraintValues&) const override;
  void differentiate(const Context<D>&, std::span<const PairSlots>, const ConstraintValues&,
                     const ForceValues&) const override;
  bool splits() const override { return true; }
  void each_slot(void (*visit)(void*, RowSlots&), void* user) override {
    for (Item& i : items) visit(user, i.slots);
  }
};

/// Rheonomic part of a row: g[row] += coefficient * phi(t).
template <int D>
class DriverRows final : public ConstraintBank<D> {
 public:
  struct Item {
    TimeFunction phi;
    double coefficient = -1;
    RowSlots slots;  // only `row` is used
  };
  std::vector<Item> items;

  void evaluate(const Context<D>& at, Depth depth, const ConstraintValues& out) const override {
    for (const Item& i : items) {
      const TimeJet phi = i.phi.at(at.t);
      const int row = i.slots.row;
      out.g[row] += i.coefficient * phi.value;
      if (depth == Depth::value) continue;
      if (depth != Depth::gradient) {
        out.rate[row] += i.coefficient * phi.d1;
        out.accel[row] += i.coefficient * phi.d2;
      }
      if (depth != Depth::rates) out.g_t[row] += i.coefficient * phi.d1;
    }
  }
  void differentiate(const Context<D>& at, std::span<const PairSlots>, const ConstraintValues& out,
                     const ForceValues&) const override {
    for (const Item& i : items) {
      const TimeJet phi = i.phi.at(at.t);
      out.rate_t[i.slots.row] += i.coefficient * phi.d2;
      out.accel_t[i.slots.row] += i.coefficient * phi.d3;
    }
  }
  bool splits() const override { return true; }
  void each_slot(void (*visit)(void*, RowSlots&), void* user) override {
    for (Item& i : items) visit(user, i.slots);
  }
};

}  // namespace kardan
