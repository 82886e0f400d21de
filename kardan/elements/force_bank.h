#pragma once
/// Banks: all forces of one kind in a compiled system, evaluated in one call.

#include <concepts>
#include <numbers>
#include <optional>
#include <span>
#include <type_traits>
#include <vector>

#include "kardan/elements/law.h"
#include "kardan/elements/measure.h"
#include "kardan/elements/values.h"

namespace kardan {

/// Generalized force of one element on its two bodies, with its derivatives.
/// In Depth::first only Q is wanted; Depth::second wants everything.
template <int D>
struct Force {
  static constexpr int n = 2 * dofs<D>;
  double Q[n];
  double Q_p[n][n], Q_v[n][n], Q_t[n];
  void clear(Depth depth) {
    std::memset(Q, 0, sizeof Q);
    if (depth != Depth::second) return;
    std::memset(Q_p, 0, sizeof Q_p);
    std::memset(Q_v, 0, sizeof Q_v);
    std::memset(Q_t, 0, sizeof Q_t);
  }
};

/// Bounds of a body's speeds: components of the velocity of its centre, and its spin.
template <int D>
struct SpeedBound {
  VecOf<D> v{};
  double w = 0;
};

template <int D>
SpeedBound<D> speed_bound(const BodyColumns& body, const double* speed) {
  SpeedBound<D> out;
  for (int k = 0; k < D && k < body.count; ++k) out.v[k] = speed[body.first + k];
  double w2 = 0;
  for (int k = D; k < body.count; ++k) w2 += speed[body.first + k] * speed[body.first + k];
  out.w = std::sqrt(w2);
  return out;
}

struct Potential {
  double energy = 0;  // [J]
  double rate = 0;    // [W] its change along the motion
};

/// Index of an element's own variables in (r, w) and of its blocks; -1 where it has none.
struct AuxSlots {
  int r = -1, w = -1;                      // index in r, in w
  int row_r = -1, row_w = -1;              // first value (A) of its rows in aux_p and aux_v
  int row_r_B = -1, row_w_B = -1;          // first value (B)
  int rr = -1, rw = -1, wr = -1, ww = -1;  // values in aux_aux
  int f_r_A = -1, f_r_B = -1;              // first value in f_aux of column r, rows of A and B
  int f_w_A = -1, f_w_B = -1;
  int f_stride_A = 0, f_stride_B = 0;
};

template <int D>
class ForceBank {
 public:
  struct Slots {
    int pair = 0;  // index in the system's list of body pairs
    BodyColumns A, B;
    AuxSlots aux;
    int mode = -1;               // index of its first mode, -1 if it has none
    int event = -1;              // index of its first event function
    int counter = -1;            // index of its count of turns, -1 if it has none
    int element = 0;             // index of the element in the model
    bool differentiable = true;  // false: its derivatives count as unknown and are left out
  };
  virtual ~ForceBank() = default;
  virtual void evaluate(const Context<D>&, std::span<const PairSlots>,
                        const ForceValues&) const = 0;
  virtual void differentiate(const Context<D>&, std::span<const PairSlots>,
                             const ForceValues&) const = 0;
  virtual Potential potential(const Context<D>&) const = 0;
  /// Adds the scalar shown as ELEMENT.force: force along the line, torque or normal force.
  virtual void magnitudes(const Context<D>&, double* by_element) const = 0;
  /// Adds the force on body B [N], in the world; a torque has none.
  virtual void vectors(const Context<D>&, VecOf<D>* by_element) const = 0;
  virtual void each_slot(void (*visit)(void* user, Slots&), void* user) = 0;
};

/// What banks of forces with kinks have beside the above.
template <int D>
class SwitchingForces {
 public:
  virtual ~SwitchingForces() = default;
  /// Event functions at the modes of the context, and the modes that belong to a state.
  virtual void events(const Context<D>&, double* z) const = 0;
  virtual void choose_modes(const Context<D>&, int* modes) const = 0;
};

/// What those have whose events are the passage of a distance.
template <int D>
class GuardedForces {
 public:
  virtual ~GuardedForces() = default;
  /// The distance, and how fast it can change while no velocity exceeds `speed`.
  virtual void event_guards(const Context<D>&, const double* speed, double* guard,
                            double* rate) const = 0;
};

/// Springs, dampers, motors, controllers: a law on a measure of type M.
template <int D, class M>
class LineForces final : public ForceBank<D> {
 public:
  using Slots = typename ForceBank<D>::Slots;
  struct Item {
    M measure;
    Law law;
    int counter = -1;  // turn counter of a continuous angle, or -1
    Slots slots;
  };
  std::vector<Item> items;

  void evaluate(const Context<D>& at, std::span<const PairSlots> pairs,
                const ForceValues& out) const override {
    Measure<D> y;
    for (const Item& i : items) {
      const LawValue law = value(at, i, Depth::first, y);
      scatter_vector<D>(pairs[i.slots.pair], law.force.value, y.G, out.f);
      if (i.slots.aux.r >= 0) out.b[i.slots.aux.r] += law.b.value;
      if (i.slots.aux.w >= 0) out.d[i.slots.aux.w] += law.d.value;
    }
  }
  void differentiate(const Context<D>& at, std::span<const PairSlots> pairs,
                     const ForceValues& out) const override;
  Potential potential(const Context<D>& at) const override {
    Measure<D> y;
    Potential sum;
    for (const Item& i : items) {
      const LawValue law = value(at, i, Depth::first, y);
      sum.energy += law.potential;
      sum.rate += law.potential_rate;
    }
    return sum;
  }
  void magnitudes(const Context<D>& at, double* by_element) const override {
    Measure<D> y;
    for (const Item& i : items)
      by_element[i.slots.element] += value(at, i, Depth::first, y).force.value;
  }
  void vectors(const Context<D>& at, VecOf<D>* by_element) const override {
    Measure<D> y;
    for (const Item& i : items) {
      const double force = value(at, i, Depth::first, y).force.value;
      for (int k = 0; k < D; ++k) by_element[i.slots.element][k] += force * y.G[dofs<D> + k];
    }
  }
  void each_slot(void (*visit)(void*, Slots&), void* user) override {
    for (Item& i : items) visit(user, i.slots);
  }

 private:
  LawValue value(const Context<D>& at, const Item& i, Depth depth, Measure<D>& y) const {
    i.measure.evaluate({at.bodies[i.slots.A.body], at.bodies[i.slots.B.body]}, depth, y);
    if (i.counter >= 0) y.value += 2 * std::numbers::pi * at.turns[i.counter];
    const AuxSlots& aux = i.slots.aux;
    const LawArguments x{y.value, y.rate, at.t, aux.r >= 0 ? at.r[aux.r] : 0,
                         aux.w >= 0 ? at.w[aux.w] : 0};
    return std::visit([&](const auto& law) { return law.at(x); }, i.law);
  }
};

namespace detail {
/// Derivatives of one auxiliary equation (b or d) of a law on a measure.
template <int D>
void scatter_aux(const LawPart& part, const Measure<D>& y, int value_A, int value_B, int by_r,
                 int by_w, const BodyColumns& A, const BodyColumns& B, const ForceValues& out) {
  for (int k = 0; k < A.count; ++k) {
    out.aux_p[value_A + k] += part.y * y.G[k] + part.rate * y.rate_p[k];
    out.aux_v[value_A + k] += part.rate * y.G[k];
  }
  for (int k = 0; k < B.count; ++k) {
    out.aux_p[value_B + k] += part.y * y.G[dofs<D> + k] + part.rate * y.rate_p[dofs<D> + k];
    out.aux_v[value_B + k] += part.rate * y.G[dofs<D> + k];
  }
  if (by_r >= 0) out.aux_aux[by_r] += part.r;
  if (by_w >= 0) out.aux_aux[by_w] += part.w;
}
}  // namespace detail

template <int D, class M>
void LineForces<D, M>::differentiate(const Context<D>& at, std::span<const PairSlots> pairs,
                                     const ForceValues& out) const {
  constexpr int n = Measure<D>::n;
  Measure<D> y;
  double local[n][n];
  for (const Item& i : items) {
    if (!i.slots.differentiable) continue;
    const LawValue law = value(at, i, Depth::second, y);
    const LawPart& phi = law.force;
    const PairSlots& pair = pairs[i.slots.pair];
    // Q = phi G':  Q_p = phi curvature + G' (phi_y G + phi_y' (G v)_p),  Q_v = phi_y' G' G.
    for (int a = 0; a < n; ++a)
      for (int b = 0; b < n; ++b)
        local[a][b] =
            phi.value * y.curvature[a][b] + y.G[a] * (phi.y * y.G[b] + phi.rate * y.rate_p[b]);
    scatter<D>(pair, 1, local, out.f_p);
    if (phi.rate != 0) {
      for (int a = 0; a < n; ++a)
        for (int b = 0; b < n; ++b) local[a][b] = y.G[a] * y.G[b];
      scatter<D>(pair, phi.rate, local, out.f_v);
    }
    if (phi.t != 0) scatter_vector<D>(pair, phi.t, y.G, out.f_t);

    const AuxSlots& s = i.slots.aux;
    if (s.r >= 0) {
      detail::scatter_aux(law.b, y, s.row_r, s.row_r_B, s.rr, s.rw, i.slots.A, i.slots.B, out);
      out.b_t[s.r] += law.b.t;
      for (int k = 0; k < i.slots.A.count; ++k)
        out.f_aux[s.f_r_A + k * s.f_stride_A] += phi.r * y.G[k];
      for (int k = 0; k < i.slots.B.count; ++k)
        out.f_aux[s.f_r_B + k * s.f_stride_B] += phi.r * y.G[dofs<D> + k];
    }
    if (s.w >= 0) {
      detail::scatter_aux(law.d, y, s.row_w, s.row_w_B, s.wr, s.ww, i.slots.A, i.slots.B, out);
      out.d_t[s.w] += law.d.t;
      for (int k = 0; k < i.slots.A.count; ++k)
        out.f_aux[s.f_w_A + k * s.f_stride_A] += phi.w * y.G[k];
      for (int k = 0; k < i.slots.B.count; ++k)
        out.f_aux[s.f_w_B + k * s.f_stride_B] += phi.w * y.G[dofs<D> + k];
    }
  }
}

/// A kernel without kinks may depend on the full turns of a frame of B seen from the frame of body
/// A. Where counted_frame() names that frame, it is given their number in place of the mode.
template <class K>
concept CountsTurns = requires(const K& kernel) {
  { kernel.counted_frame() } -> std::same_as<std::optional<Mat3d>>;
};

/// A force kernel over two bodies, with or without kinks.
///   void evaluate(double t, const Pair<D>&, int mode, Depth, Force<D>&) const;
///   Potential potential(double t, const Pair<D>&, int mode) const;       // {} if it has none
///   double magnitude(double t, const Pair<D>&, int mode) const;          // shown as ELEMENT.force
/// and, with `static constexpr int events > 0` (a kernel with kinks has one mode):
///   void event_functions(double t, const Pair<D>&, int mode, double* z) const;
///   int choose_mode(double t, const Pair<D>&) const;
/// and, where events are the passage of a distance,
///   void event_guards(double t, const Pair<D>&, int mode, const SpeedBound<D>& A,
///                     const SpeedBound<D>& B, double* guard, double* rate) const;
template <int D, class K>
class SmoothKernels : public ForceBank<D> {
 public:
  using Slots = typename ForceBank<D>::Slots;
  struct Item {
    K kernel;
    Slots slots;
  };
  std::vector<Item> items;

  void evaluate(const Context<D>& at, std::span<const PairSlots> pairs,
                const ForceValues& out) const override {
    Force<D> F;
    for (const Item& i : items) {
      i.kernel.evaluate(at.t, pair(at, i), mode(at, i), Depth::first, F);
      scatter_vector<D>(pairs[i.slots.pair], 1, F.Q, out.f);
    }
  }
  void differentiate(const Context<D>& at, std::span<const PairSlots> pairs,
                     const ForceValues& out) const override {
    Force<D> F;
    for (const Item& i : items) {
      if (!i.slots.differentiable) continue;
      i.kernel.evaluate(at.t, pair(at, i), mode(at, i), Depth::second, F);
      const PairSlots& s = pairs[i.slots.pair];
      scatter<D>(s, 1, F.Q_p, out.f_p);
      scatter<D>(s, 1, F.Q_v, out.f_v);
      scatter_vector<D>(s, 1, F.Q_t, out.f_t);
    }
  }
  Potential potential(const Context<D>& at) const override {
    Potential sum;
    for (const Item& i : items) {
      const Potential p = i.kernel.potential(at.t, pair(at, i), mode(at, i));
      sum.energy += p.energy;
      sum.rate += p.rate;
    }
    return sum;
  }
  void magnitudes(const Context<D>& at, double* by_element) const override {
    for (const Item& i : items)
      by_element[i.slots.element] += i.kernel.magnitude(at.t, pair(at, i), mode(at, i));
  }
  void vectors(const Context<D>& at, VecOf<D>* by_element) const override {
    Force<D> F;
    for (const Item& i : items) {
      i.kernel.evaluate(at.t, pair(at, i), mode(at, i), Depth::first, F);
      for (int k = 0; k < D; ++k) by_element[i.slots.element][k] += F.Q[dofs<D> + k];
    }
  }
  void each_slot(void (*visit)(void*, Slots&), void* user) override {
    for (Item& i : items) visit(user, i.slots);
  }

 protected:
  static Pair<D> pair(const Context<D>& at, const Item& i) {
    return {at.bodies[i.slots.A.body], at.bodies[i.slots.B.body]};
  }
  static int mode(const Context<D>& at, const Item& i) {
    if constexpr (CountsTurns<K>) {
      return i.slots.counter >= 0 ? at.turns[i.slots.counter] : 0;
    } else {
      return i.slots.mode >= 0 ? at.modes[i.slots.mode] : 0;
    }
  }
};

template <int D, class K>
class SwitchingKernels : public SmoothKernels<D, K>, public SwitchingForces<D> {
 public:
  void events(const Context<D>& at, double* z) const override {
    for (const auto& i : this->items)
      i.kernel.event_functions(at.t, this->pair(at, i), this->mode(at, i), z + i.slots.event);
  }
  void choose_modes(const Context<D>& at, int* modes) const override {
    for (const auto& i : this->items)
      modes[i.slots.mode] = i.kernel.choose_mode(at.t, this->pair(at, i));
  }
};

template <int D, class K>
class GuardedKernels final : public SwitchingKernels<D, K>, public GuardedForces<D> {
 public:
  void event_guards(const Context<D>& at, const double* speed, double* guard,
                    double* rate) const override {
    for (const auto& i : this->items)
      i.kernel.event_guards(at.t, this->pair(at, i), this->mode(at, i),
                            speed_bound<D>(i.slots.A, speed), speed_bound<D>(i.slots.B, speed),
                            guard + i.slots.event, rate + i.slots.event);
  }
};

template <class K, int D>
concept GuardsEvents = requires(const K& k, const Pair<D>& p, const SpeedBound<D>& s, double* x) {
  k.event_guards(0.0, p, 0, s, s, x, x);
};

/// The bank of a kernel: with what the kernel has.
template <int D, class K>
using KernelForces = std::conditional_t<
    GuardsEvents<K, D>, GuardedKernels<D, K>,
    std::conditional_t<(K::events > 0), SwitchingKernels<D, K>, SmoothKernels<D, K>>>;

}  // namespace kardan
