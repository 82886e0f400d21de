#include "kardan/system/compiled_equations.h"

#include <algorithm>
#include <cmath>

#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/orientation.h"
#include "kardan/system/user_arrays.h"

namespace kardan {
namespace {

/// As for automatic equations: a step of this relative size was taken where c = 0 to rounding.
constexpr double converged_compiled = 1e-13;
constexpr int most_compiled_iterations = 30;

struct CompiledWork final : Workspace::Scratch {
  Vector x, y;  // variables; results of one function
  Matrix c_s;
  Vector step;
  DenseLu lu;
};

CompiledWork& compiled_work(Workspace& ws) {
  return static_cast<CompiledWork&>(*ws.scratch);
}

class CompiledEquations final : public UserEquations {
 public:
  CompiledEquations(UserDescription description, CompiledCode code)
      : description_(std::move(description)), n_(description_), code_(std::move(code)) {
    rows_ = n_.constraints();
    own_ = n_.r + n_.w;
    const int begin = 1 + 2 * n_.n + own_;
    at_s_ = begin;
    at_multipliers_ = at_s_ + n_.s;
    at_a_ = at_multipliers_ + rows_;
    at_given_ = at_a_ + n_.n;
    at_parameters_ = at_given_ + rows_;
    read_start();
  }

  const UserDescription& description() const override { return description_; }
  bool exact() const override { return true; }
  bool multiplier_forces() const override { return description_.multiplier_forces; }
  std::unique_ptr<Workspace::Scratch> make_scratch() const override {
    auto k = std::make_unique<CompiledWork>();
    k->x.assign(at_parameters_ + code_.parameters.size(), 0.0);
    std::copy(code_.parameters.begin(), code_.parameters.end(), k->x.begin() + at_parameters_);
    k->y.assign(largest(), 0.0);
    k->c_s.resize(n_.s, n_.s);
    k->step.resize(n_.s);
    return k;
  }

  Eval evaluate(const State& state, Request request, Workspace& ws) const override {
    CompiledWork& k = compiled_work(ws);
    if (Eval e = place(state, k); e != Eval::ok) return e;
    const bool constrained = rows_ > 0;
    const bool moving = constrained && (request.velocity || request.acceleration);
    const double* y = k.y.data();
    if (constrained) std::fill(ws.g.begin() + n_.lambda, ws.g.end(), 0.0);
    if (moving && request.force && request.acceleration) {
      code_.motion(k.x.data(), k.y.data());
      y = take_rows(y, true, state, ws);
      take_forces(y, ws);
    } else {
      if (moving) {
        (request.acceleration ? code_.acceleration : code_.velocity)(k.x.data(), k.y.data());
        take_rows(y, request.acceleration, state, ws);
      } else if (request.position && n_.lambda > 0) {
        code_.position(k.x.data(), k.y.data());
        take(y, ws.g.data(), n_.lambda);
      }
      if (request.force) {
        code_.force(k.x.data(), k.y.data());
        take_forces(k.y.data(), ws);
      }
    }
    bool finite = !constrained || all_finite(ws.g);
    if (moving) finite = finite && all_finite(ws.rate) && all_finite(ws.G.values);
    if (moving && request.acceleration) finite = finite && all_finite(ws.gamma);
    if (request.force)
      finite = finite && all_finite(ws.f) && all_finite(ws.b) && all_finite(ws.d) &&
               all_finite(ws.M.values);
    return finite ? Eval::ok : Eval::recoverable;
  }

  Eval differentiate(const State& state, std::span<const double> a, std::span<const double> lambda,
                     Workspace& ws) const override {
    CompiledWork& k = compiled_work(ws);
    if (Eval e = place(state, k); e != Eval::ok) return e;
    std::copy(a.begin(), a.end(), k.x.begin() + at_a_);
    if (lambda.empty())
      std::fill_n(k.x.begin() + at_given_, rows_, 0.0);
    else
      std::copy(lambda.begin(), lambda.end(), k.x.begin() + at_given_);
    code_.derivatives(k.x.data(), k.y.data());
    const double* y = k.y.data();
    bool finite = true;
    const auto put = [&](std::span<double> to) {
      take(y, to.data(), to.size());
      finite = finite && all_finite(to);
    };
    put(ws.rate_p.values);
    put(ws.rate_t);
    put(ws.accel);
    put(ws.accel_p.values);
    put(ws.accel_t);
    put(ws.accel_v.values);
    put(ws.f_p.values);
    put(ws.f_t);
    put(ws.f_v.values);
    put(ws.b_t);
    put(ws.d_t);
    for (SparseMatrix* A : {&ws.aux_p, &ws.aux_v, &ws.aux_aux, &ws.force_aux}) put(A->values);
    if (description_.multiplier_forces)
      for (SparseMatrix* A : {&ws.force_lambda, &ws.aux_lambda}) put(A->values);
    return finite ? Eval::ok : Eval::recoverable;
  }

  Eval invariants(const State& state, Workspace& ws) const override {
    if (n_.e == 0) return Eval::ok;
    CompiledWork& k = compiled_work(ws);
    if (Eval e = place(state, k); e != Eval::ok) return e;
    code_.invariants(k.x.data(), k.y.data());
    const double* y = k.y.data();
    take(y, ws.e.data(), ws.e.size());
    take(y, ws.e_p.values.data(), ws.e_p.values.size());
    take(y, ws.e_v.values.data(), ws.e_v.values.size());
    const bool finite = all_finite(ws.e) && all_finite(ws.e_p.values) && all_finite(ws.e_v.values);
    return finite ? Eval::ok : Eval::recoverable;
  }

  Eval contact(const State& state, std::span<double> s, int& side, Workspace& ws) const override {
    side = 0;
    if (n_.s == 0) return Eval::ok;
    CompiledWork& k = compiled_work(ws);
    load(state, s, k);
    if (Eval e = solve_contact(k); e != Eval::ok) return e;
    std::copy_n(k.x.begin() + at_s_, n_.s, s.begin());
    side = orientation(k.c_s);
    return Eval::ok;
  }

  Eval rates(const State& state, std::span<const double> v, std::span<double> rate,
             Workspace& ws) const override {
    std::copy(v.begin(), v.end(), rate.begin());
    if (!code_.rates) return Eval::ok;
    CompiledWork& k = compiled_work(ws);
    load(state, state.s, k);
    std::copy(v.begin(), v.end(), k.x.begin() + 1 + n_.n);
    code_.rates(k.x.data(), k.y.data());
    std::copy_n(k.y.begin(), n_.n, rate.begin());
    return all_finite(rate) ? Eval::ok : Eval::recoverable;
  }

  void events(const State& state, std::span<double> z, Workspace& ws) const override {
    CompiledWork& k = compiled_work(ws);
    if (place(state, k) != Eval::ok) {
      std::fill(z.begin(), z.end(), std::nan(""));
      return;
    }
    code_.events(k.x.data(), k.y.data());
    std::copy_n(k.y.begin(), z.size(), z.begin());
  }

  Energy energy(const State& state, Workspace& ws) const override {
    const double nan = std::nan("");
    Energy out{nan, nan, 0, description_.energy};
    CompiledWork& k = compiled_work(ws);
    if (!out.known || place(state, k) != Eval::ok) return out;
    code_.energy(k.x.data(), k.y.data());
    out.kinetic = k.y[0];
    out.potential = k.y[1];
    out.applied_power = k.y[2];
    return out;
  }

  double quantity(UserQuantity kind, int index, const State& state, double factor,
                  std::span<double> by_p, std::span<double> by_rate, Workspace& ws) const override {
    CompiledWork& k = compiled_work(ws);
    if (place(state, k) != Eval::ok) return std::nan("");
    const int n = n_.n;
    double* const y = k.y.data();
    if (kind == UserQuantity::contact) {
      code_.contact_by_p(k.x.data(), y);
      for (std::size_t j = 0; j < by_p.size(); ++j) by_p[j] += factor * y[index * n + j];
      return k.x[at_s_ + index];
    }
    const int count = kind == UserQuantity::velocity ? n : n_.output;
    (kind == UserQuantity::velocity ? code_.velocities : code_.outputs)(k.x.data(), y);
    const double* const p = y + count + index * n;
    const double* const rate = p + count * n;
    for (std::size_t j = 0; j < by_p.size(); ++j) by_p[j] += factor * p[j];
    for (std::size_t j = 0; j < by_rate.size(); ++j) by_rate[j] += factor * rate[j];
    return y[index];
  }

 private:
  void read_start() {
    Vector x(at_parameters_ + code_.parameters.size(), 0.0);
    std::copy(code_.parameters.begin(), code_.parameters.end(), x.begin() + at_parameters_);
    Vector y(2 * n_.n + own_ + n_.s + 1);
    code_.start(x.data(), y.data());
    const double* from = y.data();
    UserDescription& d = description_;
    for (auto* list : {&d.positions, &d.velocities, &d.dynamic, &d.auxiliary, &d.contact})
      for (UserVariable& variable : *list) variable.start = *from++;
  }

  std::size_t largest() const {
    const std::size_t n = n_.n, rows = rows_, own = own_, e = n_.e;
    const std::size_t motion = 3 * rows + rows * n + n + own + n * n;
    const std::size_t derivatives = 3 * rows * n + 3 * rows + 2 * n * n + n + own + 2 * own * n +
                                    own * own + n * own + (n + own) * rows;
    const std::size_t shown = std::max<std::size_t>(n, n_.output) * (2 * n + 1);
    return std::max({motion, derivatives, shown, e * (2 * n + 1),
                     static_cast<std::size_t>(n_.s) * (n_.s + n + 1),
                     static_cast<std::size_t>(n_.z), std::size_t{3}});
  }

  static void take(const double*& from, double* to, std::size_t count) {
    std::copy_n(from, count, to);
    from += count;
  }
  const double* take_rows(const double* y, bool hidden, const State& state, Workspace& ws) const {
    take(y, ws.g.data(), n_.lambda);
    take(y, ws.G.values.data(), ws.G.values.size());
    take(y, ws.g_t.data(), rows_);
    if (hidden) take(y, ws.gamma.data(), rows_);
    ws.rate = ws.g_t;
    ws.G.multiply_add(1, state.v, ws.rate);
    return y;
  }
  static void take_forces(const double* y, Workspace& ws) {
    take(y, ws.f.data(), ws.f.size());
    take(y, ws.b.data(), ws.b.size());
    take(y, ws.d.data(), ws.d.size());
    take(y, ws.M.values.data(), ws.M.values.size());
  }

  void load(const State& state, std::span<const double> s, CompiledWork& k) const {
    double* x = k.x.data();
    *x++ = state.t;
    for (const std::span<const double> part :
         {std::span(state.p), std::span(state.v), std::span(state.r), std::span(state.w), s})
      x = std::copy(part.begin(), part.end(), x);
    if (description_.multiplier_forces && !state.lambda.empty())
      std::copy(state.lambda.begin(), state.lambda.end(), x);
  }
  Eval place(const State& state, CompiledWork& k) const {
    load(state, state.s, k);
    return n_.s > 0 ? solve_contact(k) : Eval::ok;
  }
  /// Newton's method on c = 0 from the contact variables in x, which it overwrites.
  Eval solve_contact(CompiledWork& k) const {
    double* const s = k.x.data() + at_s_;
    for (int iteration = 0; iteration < most_compiled_iterations; ++iteration) {
      code_.contact(k.x.data(), k.y.data());
      std::copy_n(k.y.begin(), n_.s, k.step.begin());
      std::copy_n(k.y.begin() + n_.s, n_.s * n_.s, k.c_s.data());
      if (Eval e = k.lu.factor(k.c_s); e != Eval::ok) return e;
      k.lu.solve(k.step);
      double size = 0;
      for (int i = 0; i < n_.s; ++i) {
        s[i] -= k.step[i];
        size = std::max(size, std::abs(k.step[i]) / (1 + std::abs(s[i])));
        if (!std::isfinite(s[i])) return Eval::recoverable;
      }
      if (size < converged_compiled) return Eval::ok;
    }
    return Eval::recoverable;
  }

  UserDescription description_;
  UserCounts n_;
  CompiledCode code_;
  int rows_ = 0, own_ = 0;
  int at_s_ = 0, at_multipliers_ = 0, at_a_ = 0, at_given_ = 0, at_parameters_ = 0;
};

}  // namespace

std::unique_ptr<UserEquations> compiled_equations(UserDescription description, CompiledCode code) {
  description.kinematics = static_cast<bool>(code.rates);
  description.energy = static_cast<bool>(code.energy);
  return std::make_unique<CompiledEquations>(std::move(description), std::move(code));
}

}  // namespace kardan
