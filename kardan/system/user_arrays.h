#pragma once
/// Memory for one call of user functions with scalar T: all variables in one row, all terms in
/// another.

#include <algorithm>
#include <limits>
#include <vector>

#include "kardan/base/motion_jet.h"
#include "kardan/system/user_equations.h"

namespace kardan {

/// How many of each there are.
struct UserCounts {
  int n = 0, r = 0, w = 0, s = 0, lambda = 0, mu = 0, e = 0, z = 0, output = 0;
  bool mass = true, kinematics = false, hidden = false;

  explicit UserCounts(const UserDescription& d)
      : n(static_cast<int>(d.positions.size())),
        r(static_cast<int>(d.dynamic.size())),
        w(static_cast<int>(d.auxiliary.size())),
        s(static_cast<int>(d.contact.size())),
        lambda(static_cast<int>(d.holonomic.size())),
        mu(static_cast<int>(d.nonholonomic.size())),
        e(static_cast<int>(d.invariants.size())),
        z(static_cast<int>(d.events.size())),
        output(static_cast<int>(d.outputs.size())),
        mass(d.mass),
        kinematics(d.kinematics),
        hidden(d.hidden) {}
  int constraints() const { return lambda + mu; }
};

template <class T>
class UserArrays {
 public:
  explicit UserArrays(const UserCounts& counts, Workspace::Scratch* memory = nullptr)
      : counts_(counts) {
    terms.memory = memory;
    const auto [n, nr, nw, ns, nl, nm, ne, nz, no, mass, kinematics, hidden] = counts;
    const int known = hidden ? nl + nm : 0;
    x_.assign(2 * n + nr + nw + ns + nl + nm, T(0.0));
    rate_.assign(kinematics ? n : 0, T(0.0));
    spare = rate_;
    y_.assign(ns + nl + nm + nm * n + n + nr + nw + n * n + n * n + ne + nz + no + 2 * known,
              T(0.0));
    T* x = x_.data();
    for (auto [part, size] :
         {std::pair{&p, n}, {&v, n}, {&r, nr}, {&w, nw}, {&s, ns}, {&lambda, nl}, {&mu, nm}}) {
      *part = {x, static_cast<std::size_t>(size)};
      x += size;
    }
    rate = kinematics ? std::span<T>(rate_) : v;
    at = {T(0.0), p, v, r, w, s, lambda, mu};
    T* y = y_.data();
    const auto take = [&](std::span<T>& part, int size) {
      part = {y, static_cast<std::size_t>(size)};
      y += size;
    };
    const auto take_matrix = [&](MatrixView<T>& part, int rows, int cols) {
      part = {y, cols};
      y += rows * cols;
    };
    take(terms.c, ns);
    take(terms.g, nl);
    take(terms.h, nm);
    take_matrix(terms.H, nm, n);
    take(terms.f, n);
    take(terms.b, nr);
    take(terms.d, nw);
    take_matrix(terms.M, n, n);
    take_matrix(terms.Z, n, n);
    take(terms.e, ne);
    take(terms.z, nz);
    take(terms.output, no);
    take(terms.rate, known);
    take(terms.bias, known);
  }
  UserArrays(const UserArrays&) = delete;
  UserArrays& operator=(const UserArrays&) = delete;

  /// All variables as constants; `s` and the user's velocities as given.
  void load(const State& state, std::span<const double> s_of_p, std::span<const double> velocity,
            bool multipliers) {
    at.t = T(state.t);
    fill(p, state.p);
    fill(rate, state.v);
    if (counts_.kinematics) fill(v, velocity);
    fill(r, state.r);
    fill(w, state.w);
    fill(s, s_of_p);
    const auto rows = static_cast<std::size_t>(counts_.lambda);
    for (std::size_t i = 0; i < rows + mu.size(); ++i) {
      const double given = state.lambda.empty() ? 0 : state.lambda[i];
      (i < rows ? lambda[i] : mu[i - rows]) =
          T(multipliers ? given : std::numeric_limits<double>::quiet_NaN());
    }
  }

  /// One part of the equations at the variables.
  template <class Functions>
  void call(const Functions& functions, Part part) {
    terms.part = part;
    terms.all = of(part);
    std::fill(terms.all.begin(), terms.all.end(), T(0.0));
    if (part == Part::dynamics && !counts_.mass)
      for (int i = 0; i < counts_.n; ++i) terms.M(i, i) = T(1.0);
    if (part == Part::outputs) terms.kinetic = terms.potential = terms.power = T(0.0);
    if constexpr (Following<T>)
      functions.follow(at, terms);
    else
      functions.call(at, terms);
  }

  Variables<T> at;
  Terms<T> terms;
  std::span<T> p, v, r, w, s, lambda, mu;
  std::span<T> rate;     // p'; the same as v where Z is the identity
  std::vector<T> spare;  // n numbers where Z is given

 private:
  static void fill(std::span<T> to, std::span<const double> from) {
    for (std::size_t i = 0; i < to.size(); ++i) to[i] = T(from[i]);
  }
  std::span<T> of(Part part) {
    T* const begin[] = {terms.c.data(), terms.g.data(),    terms.f.data(),       terms.Z.data,
                        terms.e.data(), terms.rate.data(), y_.data() + y_.size()};
    const int i = static_cast<int>(part);
    return {begin[i], begin[i + 1]};
  }

  UserCounts counts_;
  std::vector<T> x_, rate_, y_;
};

}  // namespace kardan
