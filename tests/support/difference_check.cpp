#include "support/difference_check.h"

#include <fmt/format.h>

#include <functional>

#include "support/models.h"

namespace kardan::test {
namespace {

/// Central differences of order eight (Fornberg, Math. Comp. 51 (1988), table 1): truncation
/// h^8 f^(9)/630, rounding about eps/h. With these shares of the scales as h one of the two stays
/// far below 1e-6: the larger in general, the smaller where something is short against the scales.
constexpr double step_shares[] = {4e-3, 5e-4};
/// Rows smaller than this part of the largest may be round-off of it.
constexpr double noise_share = 1e-6;
constexpr double weights[4] = {4.0 / 5.0, -1.0 / 5.0, 4.0 / 105.0, -1.0 / 280.0};

/// The values whose derivatives are checked.
struct Values {
  // f = f - M a; loaded = f - M a - G' lambda; aux = (b; d)
  Vector g, rate, accel, f, loaded, aux, e;
};

class Checker {
 public:
  Checker(const System& system, const DerivativePoint& at, double step_share)
      : system_(system),
        at_(at),
        step_share_(step_share),
        ws_(system.make_workspace()),
        probe_(system.make_workspace()) {}

  DerivativeReport run() {
    evaluated_ = values(at_.state);
    if (system_.evaluate(at_.state, Request::all(), *ws_) != Eval::ok) return broken("evaluate");
    if (system_.differentiate(at_.state, at_.a, {}, *ws_) != Eval::ok)
      return broken("differentiate");
    f_p_alone_ = ws_->f_p.to_dense();
    if (system_.differentiate(at_.state, at_.a, at_.lambda, *ws_) != Eval::ok)
      return broken("differentiate");
    if (system_.invariants(at_.state, *ws_) != Eval::ok) return broken("invariants");
    by_positions();
    by_velocities();
    by_variables();
    by_multipliers();
    by_time();
    along_the_motion();
    return report_;
  }

 private:
  DerivativeReport broken(const char* call) {
    report_.worst = std::numeric_limits<double>::infinity();
    report_.where = std::string(call) + " failed";
    return report_;
  }

  Values values(const State& state) {
    Values out;
    EXPECT_EQ(system_.evaluate(state, Request::all(), *probe_), Eval::ok);
    out.g.assign(probe_->g.begin(), probe_->g.begin() + system_.sizes().lambda);
    out.rate = probe_->rate;
    out.accel = probe_->gamma;
    for (double& x : out.accel) x = -x;
    probe_->G.multiply_add(1, at_.a, out.accel);
    out.f = probe_->f;
    probe_->M.multiply_add(-1, at_.a, out.f);
    out.loaded = out.f;
    probe_->G.multiply_transposed_add(-1, at_.lambda, out.loaded);
    out.aux = probe_->b;
    out.aux.insert(out.aux.end(), probe_->d.begin(), probe_->d.end());
    EXPECT_EQ(system_.invariants(state, *probe_), Eval::ok);
    out.e = probe_->e;
    return out;
  }

  /// d(values)/d(s) along a curve of states that passes the point at s = 0.
  Values slope(const std::function<State(double)>& curve, double h) {
    Values sum = evaluated_;
    each(sum, [](Vector& x) { std::fill(x.begin(), x.end(), 0.0); });
    for (int k = 1; k <= 4; ++k)
      for (const double sign : {1.0, -1.0}) {
        const Values v = values(curve(sign * k * h));
        const double c = sign * weights[k - 1] / h;
        add_scaled(c, v.g, sum.g);
        add_scaled(c, v.rate, sum.rate);
        add_scaled(c, v.accel, sum.accel);
        add_scaled(c, v.f, sum.f);
        add_scaled(c, v.loaded, sum.loaded);
        add_scaled(c, v.aux, sum.aux);
        add_scaled(c, v.e, sum.e);
      }
    return sum;
  }
  template <class Use>
  static void each(Values& v, Use&& use) {
    for (Vector* x : {&v.g, &v.rate, &v.accel, &v.f, &v.loaded, &v.aux, &v.e}) use(*x);
  }

  /// Compares columns of a derivative with differences, row by row.
  void compare(const std::string& name, const Matrix& exact, const std::vector<Vector>& differences,
               const Vector& column_sizes, const Vector& function) {
    const int rows = static_cast<int>(function.size());
    Vector row_size = function;
    for (int i = 0; i < rows; ++i) {
      row_size[i] = std::abs(function[i]);
      for (int j = 0; j < exact.cols(); ++j)
        row_size[i] = std::max(row_size[i], std::abs(exact(i, j)) * column_sizes[j]);
    }
    for (int i = 0; i < rows; ++i) {
      const double size = std::max(row_size[i], noise_share * norm_max(row_size));
      for (int j = 0; j < exact.cols(); ++j) {
        const double d = differences[j][i];
        if (exact(i, j) != 0) ++report_.compared;
        take(size > 0 ? std::abs(exact(i, j) - d) * column_sizes[j] / size : std::abs(d),
             fmt::format("{}({}, {}): {} by derivative, {} by differences", name, i, j, exact(i, j),
                         d));
      }
    }
  }
  void compare_vector(const std::string& name, const Vector& exact, const Vector& difference,
                      double unit, const Vector& function) {
    for (std::size_t i = 0; i < difference.size(); ++i) {
      const double size = std::max(
          {std::abs(exact[i]) * unit, std::abs(function[i]), noise_share * norm_max(function)});
      if (exact[i] != 0) ++report_.compared;
      const double miss = std::abs(exact[i] - difference[i]) * unit;
      take(size > 0 ? miss / size : miss, fmt::format("{}({}): {} by derivative, {} by differences",
                                                      name, i, exact[i], difference[i]));
    }
  }
  void take(double miss, const std::string& where) {
    if (miss <= report_.worst) return;  // NaN is taken
    report_.worst = miss;
    report_.where = where;
  }

  double rate_unit() const { return system_.scales().speed / system_.scales().length; }

  void by_positions() {
    const int n = system_.sizes().v;
    std::vector<Vector> g(n), rate(n), accel(n), f(n), loaded(n), aux(n), e(n);
    Vector sizes(n);
    for (int j = 0; j < n; ++j) {
      sizes[j] = column_scale(system_, j);
      Values s = slope(
          [&](double x) {
            State moved = at_.state;
            Vector delta(n, 0.0);
            delta[j] = x;
            system_.retract(at_.state.p, delta, moved.p);
            return moved;
          },
          step_share_ * sizes[j]);
      g[j] = std::move(s.g), rate[j] = std::move(s.rate), accel[j] = std::move(s.accel);
      f[j] = std::move(s.f), loaded[j] = std::move(s.loaded), aux[j] = std::move(s.aux);
      e[j] = std::move(s.e);
    }
    compare("G", ws_->G.to_dense(), g, sizes, evaluated_.g);
    compare("rate_p", ws_->rate_p.to_dense(), rate, sizes, evaluated_.rate);
    compare("accel_p", ws_->accel_p.to_dense(), accel, sizes, evaluated_.accel);
    compare("f_p", f_p_alone_, f, sizes, evaluated_.f);
    compare("(f - M a - G' lambda)_p", ws_->f_p.to_dense(), loaded, sizes, evaluated_.loaded);
    compare("aux_p", ws_->aux_p.to_dense(), aux, sizes, evaluated_.aux);
    compare("e_p", ws_->e_p.to_dense(), e, sizes, evaluated_.e);
  }

  void by_velocities() {
    const int n = system_.sizes().v;
    std::vector<Vector> rate(n), accel(n), f(n), aux(n), e(n);
    Vector sizes(n);
    for (int j = 0; j < n; ++j) {
      sizes[j] = column_scale(system_, j) * rate_unit();
      Values s = slope(
          [&](double x) {
            State moved = at_.state;
            moved.v[j] += x;
            return moved;
          },
          step_share_ * sizes[j]);
      rate[j] = std::move(s.rate), accel[j] = std::move(s.accel);
      f[j] = std::move(s.f), aux[j] = std::move(s.aux), e[j] = std::move(s.e);
    }
    compare("rate_v = G", ws_->G.to_dense(), rate, sizes, evaluated_.rate);
    compare("accel_v", ws_->accel_v.to_dense(), accel, sizes, evaluated_.accel);
    compare("f_v", ws_->f_v.to_dense(), f, sizes, evaluated_.f);
    compare("aux_v", ws_->aux_v.to_dense(), aux, sizes, evaluated_.aux);
    compare("e_v", ws_->e_v.to_dense(), e, sizes, evaluated_.e);
  }

  void by_multipliers() {
    if (!system_.sizes().multiplier_forces) return;
    const int n = system_.sizes().constraints();
    std::vector<Vector> f(n), aux(n);
    const Vector sizes(n, system_.scales().mass * system_.scales().acceleration);
    for (int j = 0; j < n; ++j) {
      Values s = slope(
          [&](double x) {
            State moved = at_.state;
            moved.lambda[j] += x;
            return moved;
          },
          step_share_ * sizes[j]);
      f[j] = std::move(s.f), aux[j] = std::move(s.aux);
    }
    compare("force_lambda", ws_->force_lambda.to_dense(), f, sizes, evaluated_.f);
    compare("aux_lambda", ws_->aux_lambda.to_dense(), aux, sizes, evaluated_.aux);
  }

  void by_variables() {
    const int n = system_.sizes().r + system_.sizes().w;
    std::vector<Vector> f(n), aux(n);
    const Vector sizes(n, system_.scales().mass * system_.scales().acceleration);
    for (int j = 0; j < n; ++j) {
      Values s = slope(
          [&](double x) {
            State moved = at_.state;
            (j < system_.sizes().r ? moved.r[j] : moved.w[j - system_.sizes().r]) += x;
            return moved;
          },
          step_share_ * sizes[j]);
      f[j] = std::move(s.f), aux[j] = std::move(s.aux);
    }
    compare("force_aux", ws_->force_aux.to_dense(), f, sizes, evaluated_.f);
    compare("aux_aux", ws_->aux_aux.to_dense(), aux, sizes, evaluated_.aux);
  }

  void by_time() {
    const double unit = 1 / rate_unit();
    const Values s = slope(
        [&](double x) {
          State later = at_.state;
          later.t += x;
          return later;
        },
        step_share_ * unit);
    compare_vector("g_t", ws_->g_t, s.g, unit, evaluated_.g);
    compare_vector("rate_t", ws_->rate_t, s.rate, unit, evaluated_.rate);
    compare_vector("accel_t", ws_->accel_t, s.accel, unit, evaluated_.accel);
    compare_vector("f_t", ws_->f_t, s.loaded, unit, evaluated_.loaded);
    Vector aux_t = ws_->b_t;
    aux_t.insert(aux_t.end(), ws_->d_t.begin(), ws_->d_t.end());
    compare_vector("aux_t", aux_t, s.aux, unit, evaluated_.aux);
  }

  /// Any curve with p' = v and v' = a: d(rate)/dt = G a - gamma, d(g)/dt = rate.
  void along_the_motion() {
    const double unit = 1 / rate_unit();
    const Values s = slope(
        [&](double x) {
          State later = at_.state;
          Vector delta = at_.state.v;
          for (double& d : delta) d *= x;
          system_.retract(at_.state.p, delta, later.p);
          for (std::size_t i = 0; i < later.v.size(); ++i) later.v[i] += x * at_.a[i];
          later.t += x;
          return later;
        },
        step_share_ * unit);
    compare_vector("g' = rate", evaluated_.rate, s.g, unit, evaluated_.g);
    compare_vector("rate' = G a - gamma", ws_->accel, s.rate, unit, evaluated_.rate);
    Vector explicit_part = evaluated_.rate;
    ws_->G.multiply_add(-1, at_.state.v, explicit_part);
    compare_vector("g_t = rate - G v", ws_->g_t, explicit_part, unit, evaluated_.rate);
  }

  const System& system_;
  const DerivativePoint& at_;
  double step_share_;
  std::unique_ptr<Workspace> ws_, probe_;
  Values evaluated_;
  Matrix f_p_alone_;
  DerivativeReport report_;
};

}  // namespace

DerivativeReport check_derivatives(const System& system, const DerivativePoint& at) {
  DerivativeReport best = Checker(system, at, step_shares[0]).run();
  const DerivativeReport other = Checker(system, at, step_shares[1]).run();
  return other.worst < best.worst ? other : best;
}

DerivativePoint random_point(const System& system, unsigned seed, double share) {
  Random random(seed);
  const Scales& s = system.scales();
  DerivativePoint at{disturbed(system, random, share), Vector(system.sizes().v), {}};
  at.state.t = 0.3 + random(0.2);
  for (int i = 0; i < system.sizes().v; ++i)
    at.a[i] = random(s.acceleration / s.length * column_scale(system, i));
  at.lambda = random.vector(system.sizes().constraints(), s.mass * s.acceleration);
  if (system.sizes().multiplier_forces)
    at.state.lambda = random.vector(system.sizes().constraints(), s.mass * s.acceleration);
  const auto ws = system.make_workspace();
  system.choose_modes(at.state, *ws);
  return at;
}

}  // namespace kardan::test
