#pragma once
/// Nonholonomic rows 0 = psi(t, p, v) = H(t, p) v + h(t, p) written once, as a template over the
/// scalar; every derivative comes from dual numbers. The kernel has
///   static constexpr int rows;
///   template <class T>
///   void velocity(const T& t, const Frame<D, T>& A, const Frame<D, T>& B, std::span<T> psi) const;
/// and must be linear in the velocities.

#include "kardan/elements/automatic.h"

namespace kardan {

template <int D, class K>
class AutomaticVelocityConstraint final : public ConstraintBank<D> {
 public:
  struct Item {
    K kernel;
    RowSlots slots;  // of the first of K::rows consecutive rows
  };
  std::vector<Item> items;

  void evaluate(const Context<D>& at, Depth depth, const ConstraintValues& out) const override {
    if (depth == Depth::value) return;
    for (const Item& i : items) {
      const Rows g = along(at, i);
      for (int k = 0; k < K::rows; ++k) {
        const int row = i.slots.row + k;
        out.rate[row] += g[k].value.value;
        out.g_t[row] += g[k].value.value - along_velocities(at, i.slots, g[k].value.d.data() + n);
        out.accel[row] += g[k].d[0].value;
        scatter_row<D>(i.slots, k, 1, g[k].value.d.data() + n, out.G);
      }
    }
  }
  void differentiate(const Context<D>& at, std::span<const PairSlots> pairs,
                     const ConstraintValues& out, const ForceValues& forces) const override {
    for (const Item& i : items) {
      const Rows g = along(at, i);
      for (int k = 0; k < K::rows; ++k) {
        const Seeded &rate = g[k].value, &accel = g[k].d[0];
        scatter_row<D>(i.slots, k, 1, rate.d.data(), out.rate_p);
        scatter_row<D>(i.slots, k, 1, accel.d.data(), out.accel_p);
        scatter_row<D>(i.slots, k, 1, accel.d.data() + n, out.accel_v);
        out.rate_t[i.slots.row + k] += rate.d[2 * n];
        out.accel_t[i.slots.row + k] += accel.d[2 * n];
      }
      if (forces.lambda) add_curvature(at, i, pairs[i.slots.pairs], forces);
    }
  }
  bool splits() const override { return false; }
  void each_slot(void (*visit)(void*, RowSlots&), void* user) override {
    for (Item& i : items) visit(user, i.slots);
  }

 private:
  static constexpr int m = dofs<D>, n = 2 * m;

  /// H v of one row.
  static double along_velocities(const Context<D>& at, const RowSlots& slots, const double* H) {
    double sum = 0;
    for (const BodyColumns* columns : {&slots.A, &slots.B}) {
      const BodyMotion<D>& body = at.bodies[columns->body];
      for (int c = 0; c < D; ++c) sum += H[c] * body.v[c];
      if constexpr (D == 2)
        sum += H[2] * body.w;
      else
        for (int c = 0; c < 3; ++c) sum += H[3 + c] * body.w[c];
      H += m;
    }
    return sum;
  }
  using Seeded = Dual<double, automatic::seeds<D>>;
  using Along = Dual<Seeded, 1>;
  using Rows = std::array<Along, K::rows>;

  /// psi and psi' along the motion, seeded in position, velocity and time.
  static Rows along(const Context<D>& at, const Item& i) {
    const Pair<D> b{at.bodies[i.slots.A.body], at.bodies[i.slots.B.body]};
    const auto seed = [](int k) { return Along(Seeded::variable(0.0, k)); };
    const Along tau = Along::variable(Seeded(0.0));
    auto f = automatic::seeded_frames<D, Along>(b, seed);
    automatic::advance(f[0], b.A, tau);
    automatic::advance(f[1], b.B, tau);
    Rows psi{};
    i.kernel.velocity(at.t + seed(2 * n) + tau, f[0], f[1], std::span<Along>(psi));
    return psi;
  }

  /// -(H' mu)_p: H by the velocity seeds outside, its derivative by the position seeds inside.
  static void add_curvature(const Context<D>& at, const Item& i, const PairSlots& pairs,
                            const ForceValues& forces) {
    using Inner = Dual<double, n>;
    using Outer = Dual<Inner, n>;
    const auto seed = [](int k) {
      return k < n ? Outer(Inner::variable(0.0, k)) : Outer::variable(Inner(0.0), k - n);
    };
    const Pair<D> b{at.bodies[i.slots.A.body], at.bodies[i.slots.B.body]};
    const auto f = automatic::seeded_frames<D, Outer>(b, seed);
    std::array<Outer, K::rows> psi{};
    i.kernel.velocity(Outer(at.t), f[0], f[1], std::span<Outer>(psi));
    double local[n][n];
    for (int k = 0; k < K::rows; ++k) {
      for (int a = 0; a < n; ++a)
        for (int c = 0; c < n; ++c) local[a][c] = psi[k].d[a].d[c];
      scatter<D>(pairs, -forces.lambda[i.slots.row + k], local, forces.f_p);
    }
  }
};

}  // namespace kardan
