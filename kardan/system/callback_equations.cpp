#include "kardan/system/callback_equations.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <tuple>
#include <vector>

#include "kardan/system/automatic_equations.h"
#include "kardan/system/user_arrays.h"

namespace kardan {
namespace {

/// Central differences of order six (Fornberg, Math. Comp. 51 (1988), table 1).
constexpr std::array<double, 3> weights{3.0 / 4, -3.0 / 20, 1.0 / 60};
/// Farthest way along a direction is three times this share of the variables' size: truncation
/// h^6/140 and rounding eps/h of a first derivative, eps/h^2 of a second are all about 1e-12.
constexpr double share = 1e-2;

using Single = Dual<double, 1>;
using SingleSeeded = Dual<Seeded, 1>;

double size_of(double x) {
  return std::abs(x);
}
template <class T, int N>
double size_of(const Dual<T, N>& x) {
  double size = size_of(x.value);
  for (const T& d : x.d) size = std::max(size, size_of(d));
  return size;
}

/// Perturbed variables and what comes of them, for every scalar below another.
struct Memory final : Workspace::Scratch {
  explicit Memory(const UserCounts& n)
      : arrays(n, n, n, n),
        matrix(static_cast<std::size_t>(std::max(n.n * n.n, largest(n))) * largest(n)),
        shifted(matrix.size()) {}
  static int largest(const UserCounts& n) {
    return std::max({2 * n.n, n.r, n.w, n.s, n.constraints(), n.e, n.output, n.mu * n.n, 1});
  }
  std::tuple<UserArrays<double>, UserArrays<Single>, UserArrays<Seeded>, UserArrays<SingleSeeded>>
      arrays;
  Vector matrix;   // a derivative of a callback
  Vector shifted;  // its value at a shifted point
};

/// Calls `use(to, from)` for every kind of variables of two points, time included.
template <class To, class From, class Use>
void each_kind(UserArrays<To>& to, const Variables<From>& from, Use&& use) {
  use(std::span<To>(&to.at.t, 1), std::span<const From>(&from.t, 1));
  use(to.p, from.p);
  use(to.v, from.v);
  use(to.r, from.r);
  use(to.w, from.w);
  use(to.s, from.s);
  use(to.lambda, from.lambda);
  use(to.mu, from.mu);
}

class CallbackFunctions final : public UserFunctions {
 public:
  explicit CallbackFunctions(CallbackEquations callbacks)
      : f_(std::move(callbacks)), counts_(f_.description), exact_(find_exact()) {}

  std::unique_ptr<Workspace::Scratch> make_memory() const override {
    return std::make_unique<Memory>(counts_);
  }
  bool exact() const override { return exact_; }
  const FollowedFunctions* followed() const override { return nullptr; }

  void call(const Variables<double>& x, Terms<double>& y) const override { evaluate(x, y); }
  void call(const Variables<Seeded>& x, Terms<Seeded>& y) const override { first_order(x, y); }
  void call(const Variables<Along>& x, Terms<Along>& y) const override { differences(x, y); }
  void call(const Variables<SeededAlong>& x, Terms<SeededAlong>& y) const override {
    differences(x, y);
  }
  void call(const Variables<Twice>& x, Terms<Twice>& y) const override { differences(x, y); }
  // Scalars below those.
  void call(const Variables<Single>& x, Terms<Single>& y) const { first_order(x, y); }
  void call(const Variables<SingleSeeded>& x, Terms<SingleSeeded>& y) const { differences(x, y); }

 private:
  /// The callbacks of a part with their places in the terms.
  template <class T, class Use>
  void each(Terms<T>& y, Use&& use) const {
    const auto matrix = [](const MatrixView<T>& A, int rows) {
      return std::span<T>(A.data, static_cast<std::size_t>(rows * A.cols));
    };
    switch (y.part) {
      case Part::contact:
        use(f_.contact, y.c);
        break;
      case Part::constraints:
        use(f_.holonomic, y.g);
        use(f_.nonholonomic, matrix(y.H, counts_.mu));
        use(f_.offset, y.h);
        break;
      case Part::dynamics:
        if (counts_.mass) use(f_.mass, matrix(y.M, counts_.n));
        use(f_.force, y.f);
        use(f_.dynamic, y.b);
        use(f_.auxiliary, y.d);
        break;
      case Part::kinematics:
        use(f_.kinematics, matrix(y.Z, counts_.n));
        break;
      case Part::outputs:
        use(f_.invariant, y.e);
        use(f_.output, y.output);
        break;
      case Part::hidden:
        use(f_.rate, y.rate);
        use(f_.bias, y.bias);
        break;
    }
  }

  void evaluate(const Variables<double>& x, Terms<double>& y) const {
    each(y, [&](const Callback& f, std::span<double> out) {
      if (f.value && !out.empty()) f.value(x, out);
    });
    if (y.part != Part::outputs) return;
    if (f_.events && !y.z.empty()) f_.events(x, y.z);
    if (!f_.energy) return;
    std::array<double, 3> energy{};
    f_.energy(x, energy);
    y.kinetic = energy[0];
    y.potential = energy[1];
    y.power = energy[2];
  }

  /// Derivatives in the directions of the seeds: those given times the direction, the others by
  /// differences along what is left of it.
  template <int N>
  void first_order(const Variables<Dual<double, N>>& x, Terms<Dual<double, N>>& y) const {
    Memory& memory = *static_cast<Memory*>(y.memory);
    UserArrays<double>& A = std::get<UserArrays<double>>(memory.arrays);
    each(y, [&](const Callback& f, std::span<Dual<double, N>> out) {
      if (!f.value || out.empty()) return;
      const std::span<double> values(memory.shifted.data(), out.size());
      place(x, A);
      value(f, A, values);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = Dual<double, N>(values[i]);
      given(f, x, A, memory, out);
      for (int seed = 0; seed < N; ++seed) missing(f, x, seed, A, values, out);
    });
  }

  template <int N>
  static void place(const Variables<Dual<double, N>>& x, UserArrays<double>& A) {
    each_kind(A, x, [](auto to, auto from) {
      for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[i].value;
    });
  }

  static void value(const Callback& f, const UserArrays<double>& A, std::span<double> out) {
    std::fill(out.begin(), out.end(), 0.0);
    f.value(A.at, out);
  }

  /// out.d += derivative times direction, for the derivatives that are given.
  template <int N>
  void given(const Callback& f, const Variables<Dual<double, N>>& x, const UserArrays<double>& A,
             Memory& memory, std::span<Dual<double, N>> out) const {
    const auto add = [&](const UserFunction& by, std::span<const Dual<double, N>> direction,
                         std::size_t from, std::size_t width) {
      if (!by || direction.empty()) return;
      const bool moves = std::any_of(direction.begin(), direction.end(),
                                     [](const auto& d) { return !is_independent(d); });
      if (!moves) return;
      const std::span<double> J(memory.matrix.data(), out.size() * width);
      std::fill(J.begin(), J.end(), 0.0);
      by(A.at, J);
      for (std::size_t i = 0; i < out.size(); ++i)
        for (std::size_t j = 0; j < direction.size(); ++j)
          for (int s = 0; s < N; ++s) out[i].d[s] += J[i * width + from + j] * direction[j].d[s];
    };
    const auto all = [&](const UserFunction& by, std::span<const Dual<double, N>> direction) {
      add(by, direction, 0, direction.size());
    };
    all(f.by_p, x.p);
    all(f.by_v, x.v);
    all(f.by_r, x.r);
    all(f.by_w, x.w);
    all(f.by_s, x.s);
    all(f.by_t, {&x.t, 1});
    const std::size_t rows = x.lambda.size() + x.mu.size();
    add(f.by_multipliers, x.lambda, 0, rows);
    add(f.by_multipliers, x.mu, x.lambda.size(), rows);
  }

  /// out.d[seed] += difference along the part of the direction no derivative is given for.
  template <int N>
  void missing(const Callback& f, const Variables<Dual<double, N>>& x, int seed,
               UserArrays<double>& A, std::span<double> values,
               std::span<Dual<double, N>> out) const {
    const UserFunction* const by[] = {&f.by_t, &f.by_p, &f.by_v,           &f.by_r,
                                      &f.by_w, &f.by_s, &f.by_multipliers, &f.by_multipliers};
    double length = 0, size = 1;
    int kind = 0;
    each_kind(A, x, [&](auto, auto from) {
      for (const auto& value : from) {
        if (*by[kind] || value.d[seed] == 0) continue;
        length = std::max(length, std::abs(value.d[seed]));
        size = std::max(size, std::abs(value.value));
      }
      ++kind;
    });
    if (length == 0) return;
    const double h = share * size / length;
    for (std::size_t k = 0; k < weights.size(); ++k)
      for (const double sign : {1.0, -1.0}) {
        const double way = sign * static_cast<double>(k + 1) * h;
        kind = 0;
        each_kind(A, x, [&](auto to, auto from) {
          for (std::size_t i = 0; i < to.size(); ++i)
            to[i] = from[i].value + (*by[kind] ? 0 : way * from[i].d[seed]);
          ++kind;
        });
        value(f, A, values);
        for (std::size_t i = 0; i < out.size(); ++i)
          out[i].d[seed] += sign * weights[k] / h * values[i];
      }
  }

  /// Differences of whatever the scalar below gives.
  template <class B, int N>
  void differences(const Variables<Dual<B, N>>& x, Terms<Dual<B, N>>& y) const {
    UserArrays<B>& A = std::get<UserArrays<B>>(static_cast<Memory*>(y.memory)->arrays);
    A.terms.memory = y.memory;
    const auto shift = [&](double way, int seed) {
      each_kind(A, x, [&](auto to, auto from) {
        for (std::size_t i = 0; i < to.size(); ++i) {
          to[i] = from[i].value;
          if (way != 0) to[i] += from[i].d[seed] * way;
        }
      });
      A.call(*this, y.part);
    };
    shift(0, 0);
    for (std::size_t i = 0; i < y.all.size(); ++i) y.all[i] = Dual<B, N>(A.terms.all[i]);
    for (int seed = 0; seed < N; ++seed) {
      double length = 0, size = 1;
      each_kind(A, x, [&](auto, auto from) {
        for (const auto& value : from) {
          const double way = size_of(value.d[seed]);
          if (!(way > 0)) continue;
          length = std::max(length, way);
          size = std::max(size, std::abs(value_of(value)));
        }
      });
      if (length == 0) continue;
      const double h = share * size / length;
      for (std::size_t k = 0; k < weights.size(); ++k)
        for (const double sign : {1.0, -1.0}) {
          shift(sign * static_cast<double>(k + 1) * h, seed);
          for (std::size_t i = 0; i < y.all.size(); ++i)
            y.all[i].d[seed] += A.terms.all[i] * (sign * weights[k] / h);
        }
    }
  }

  /// True if no difference is ever taken.
  bool find_exact() const {
    const bool s = counts_.s > 0;
    const auto motion = [&](const Callback& f) { return f.by_p && f.by_t && (!s || f.by_s); };
    const auto whole = [&](const Callback& f, int rows) {
      return rows == 0 ||
             (motion(f) && f.by_v && (counts_.r == 0 || f.by_r) && (counts_.w == 0 || f.by_w) &&
              (!f_.description.multiplier_forces || f.by_multipliers));
    };
    const auto moving = [&](const Callback& f) { return motion(f) && f.by_v; };
    if (counts_.kinematics) return false;
    if (counts_.mass && !(f_.mass.by_p && f_.mass.by_t)) return false;
    if (s && !motion(f_.contact)) return false;
    if (counts_.lambda > 0 && !motion(f_.holonomic)) return false;
    if (counts_.constraints() > 0 && !(counts_.hidden && moving(f_.rate) && moving(f_.bias)))
      return false;
    if (counts_.e > 0 && !moving(f_.invariant)) return false;
    return (!f_.force.value || whole(f_.force, counts_.n)) && whole(f_.dynamic, counts_.r) &&
           whole(f_.auxiliary, counts_.w);
  }

  CallbackEquations f_;
  UserCounts counts_;
  bool exact_;
};

}  // namespace

std::unique_ptr<UserEquations> callback_equations(CallbackEquations callbacks) {
  UserDescription& d = callbacks.description;
  d.mass = static_cast<bool>(callbacks.mass.value);
  d.kinematics = static_cast<bool>(callbacks.kinematics.value);
  d.hidden = callbacks.rate.value && callbacks.bias.value;
  d.energy = static_cast<bool>(callbacks.energy);
  UserDescription description = d;
  return automatic_equations(std::move(description),
                             std::make_unique<CallbackFunctions>(std::move(callbacks)));
}

std::unique_ptr<System> make_system(CallbackEquations callbacks, Diagnostics& diagnostics) {
  return make_system(callback_equations(std::move(callbacks)), diagnostics);
}

}  // namespace kardan
