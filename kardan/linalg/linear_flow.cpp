#include "kardan/linalg/linear_flow.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

/// |A h| beyond which a step is refused: that many oscillations lose all digits of their phase.
constexpr double largest_size = 1e12;
/// Halvings of the step that are kept ready beyond those in use.
constexpr int spare_levels = 2;
/// A Taylor series at |A t| < 1 ends long before.
constexpr int most_terms = 40;
constexpr double round_off = 1e-17;
/// Variables above which products with A cost less than exponentials: exponentials take the cube of
/// their number, products its square times a number that grows with |A| h. Measured on chains of
/// masses with a full matrix: 80, 270 and about 2000 variables at |A| h = 10, 100 and 1000
/// (build/release/kardan_benchmarks --benchmark_filter=linear_flow).
double krylov_from(double size) {
  return 80 * std::pow(std::max(1.0, size / 10), 0.6);
}
/// Of an error estimate, a few digits are enough.
constexpr double estimate_tolerance = 1e-4;

/// Whether a term, times a factor, changes no component of a sum. Components may differ by many
/// orders: balancing a matrix that is nilpotent, as that of a free motion, moves them apart.
bool is_settled(double factor, const Vector& term, const Vector& sum) {
  for (std::size_t i = 0; i < sum.size(); ++i)
    if (std::abs(factor * term[i]) > round_off * std::abs(sum[i])) return false;
  return true;
}

}  // namespace

Eval LinearFlow::prepare(const Matrix& A, const Vector& f, const Vector& g, double h, FlowKind kind,
                         double tolerance) {
  if (!all_finite(A.values()) || !all_finite(f) || !all_finite(g)) return Eval::recoverable;
  kind_ = kind;
  h_ = h;
  A_ = A;
  f_ = f;
  g_ = g;
  constant_ = norm_max(g) == 0;
  const int n = A.rows();
  balance(A_, d_);
  for (int i = 0; i < n; ++i) {
    f_[i] /= d_[i];
    g_[i] /= d_[i];
  }
  rate_ = n > 0 ? norm_one(A_) : 0;
  if (rate_ * h > largest_size) return Eval::recoverable;
  if (kind == FlowKind::automatic)
    kind_ = n > krylov_from(rate_ * h) ? FlowKind::krylov : FlowKind::pade;
  if (kind_ == FlowKind::pade) return prepare_ladder();
  const Vector* const loads[] = {&g_, &f_};
  return krylov_.prepare(A_, std::span(loads).subspan(constant_ ? 1 : 0), h, tolerance);
}

Eval LinearFlow::prepare_ladder() {
  last_ = 0;
  while (std::ldexp(rate_ * h_, -last_) > MatrixExponential::largest_for_degree_7) ++last_;
  if (static_cast<int>(levels_.size()) <= last_) {
    // A few more than now: the rate changes from step to step, and shall not allocate.
    levels_.resize(last_ + 1 + spare_levels);
    for (Level& level : levels_) {
      level.E.resize(A_.rows(), A_.rows());
      for (Vector* x : {&level.a, &level.b, &level.c}) x->reserve(A_.rows());
    }
  }
  for (int i = 0; i <= last_; ++i) levels_[i].length = std::ldexp(h_, -i);
  scaled_ = A_;
  Level& shortest = levels_[last_];
  for (std::size_t i = 0; i < scaled_.size(); ++i) scaled_.data()[i] *= shortest.length;
  if (Eval e = exponential_.compute_small(scaled_, shortest.E); e != Eval::ok) return e;
  const int n = A_.rows();
  product_.resize(n);
  // a = t phi_1 f, and of g: b = t phi_1 g, c = t^2 phi_2 g.
  const double t = shortest.length;
  shortest.a.assign(n, 0.0);
  shortest.b.assign(n, 0.0);
  shortest.c.assign(n, 0.0);
  term_ = f_;
  term_g_ = g_;
  double power = 1;  // t^k/k!
  for (int k = 1; k <= most_terms; ++k) {
    power *= t / k;
    add_scaled(power, term_, shortest.a);
    multiply(A_, term_, product_);
    std::swap(term_, product_);
    if (!constant_) {
      add_scaled(power, term_g_, shortest.b);
      add_scaled(power * t / (k + 1), term_g_, shortest.c);
      multiply(A_, term_g_, product_);
      std::swap(term_g_, product_);
    }
    if (is_settled(power * t, term_, shortest.a) &&
        (constant_ || is_settled(power * t, term_g_, shortest.b)))
      break;
  }
  for (int i = last_; i > 0; --i) {
    const Level& half = levels_[i];
    Level& whole = levels_[i - 1];
    multiply_fast(half.E, half.E, whole.E);
    // w(2t) = E w(t) + w(t), and for the load t g also + t b.
    for (auto [from, to] : {std::pair(&half.a, &whole.a), std::pair(&half.b, &whole.b),
                            std::pair(&half.c, &whole.c)}) {
      to->resize(n);
      multiply(half.E, *from, *to);
      add_scaled(1, *from, *to);
    }
    add_scaled(half.length, half.b, whole.c);
  }
  const Level& all = levels_[0];
  return all_finite(all.E.values()) && all_finite(all.a) && all_finite(all.c) ? Eval::ok
                                                                              : Eval::recoverable;
}

/// w(t) for |A t| < 1, balanced; t may be negative.
void LinearFlow::taylor(double t, Vector& w) {
  const int n = A_.rows();
  w.assign(n, 0.0);
  term_ = f_;
  double power = 1;
  for (int k = 1; k <= most_terms && t != 0; ++k) {
    // d^k w/dt^k at 0: A^(k-1) f + A^(k-2) g.
    power *= t / k;
    add_scaled(power, term_, w);
    multiply(A_, term_, product_);
    if (k == 1 && !constant_) add_scaled(1, g_, product_);
    std::swap(term_, product_);
    if (k > 1 && is_settled(power * t, term_, w)) break;
  }
}

void LinearFlow::at(double t, Vector& w) {
  if (kind_ == FlowKind::krylov) {
    krylov_.at(t, w);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] *= d_[i];
    return;
  }
  const double shortest = levels_[last_].length, rest = std::remainder(t, shortest);
  auto units = static_cast<long long>(std::llround((t - rest) / shortest));
  taylor(rest, w);
  double reached = rest;
  product_.resize(w.size());
  for (int i = last_; i >= 0 && units > 0; --i) {
    const Level& level = levels_[i];
    // At the last level what is left is more than one only beyond h.
    const long long count = i == 0 ? units : units & 1;
    for (long long k = 0; k < count; ++k) {
      multiply(level.E, w, product_);
      std::swap(w, product_);
      add_scaled(1, level.a, w);
      if (!constant_) {
        add_scaled(reached, level.b, w);
        add_scaled(1, level.c, w);
      }
      reached += level.length;
    }
    units >>= 1;
  }
  for (std::size_t i = 0; i < w.size(); ++i) w[i] *= d_[i];
}

/// x_k = t^k phi_k(tA) v, the solutions for the loads v t^(k-1)/(k-1)!, for |A| t < 1.
void LinearFlow::taylor_phi(double t, Vector (&x)[3]) {
  const int n = A_.rows();
  term_ = v_;
  for (Vector& each : x) each.assign(n, 0.0);
  product_.resize(n);
  double power = 1;
  for (int k = 1; k <= most_terms && t != 0; ++k) {
    power *= t / k;
    add_scaled(power, term_, x[0]);
    add_scaled(power * t / (k + 1), term_, x[1]);
    add_scaled(power * t * t / ((k + 1.0) * (k + 2.0)), term_, x[2]);
    multiply(A_, term_, product_);
    std::swap(term_, product_);
    if (is_settled(power * t, term_, x[0])) break;
  }
}

Eval LinearFlow::third(const Vector& v, double t, Vector& w) {
  const int n = A_.rows();
  v_ = v;
  for (int i = 0; i < n; ++i) v_[i] /= d_[i];
  if (kind_ == FlowKind::krylov) {
    zero_.assign(n, 0.0);
    const Vector* const loads[] = {&v_, &zero_, &zero_};
    if (Eval e = krylov_error_.prepare(A_, loads, t, estimate_tolerance); e != Eval::ok) return e;
    krylov_error_.at(t, w);
    for (int i = 0; i < n; ++i) w[i] *= d_[i];
    return Eval::ok;
  }
  // x_k(s + t) = E_s x_k(t) + sum_j t^(k-j)/(k-j)! x_j(s)
  auto extend = [&](const Level& by, const Vector(&own)[3], double from, Vector(&x)[3]) {
    for (int k = 2; k >= 0; --k) {
      multiply(by.E, x[k], product_);
      std::swap(x[k], product_);
      add_scaled(1, own[k], x[k]);
      if (k >= 1) add_scaled(from, own[k - 1], x[k]);
      if (k == 2) add_scaled(from * from / 2, own[0], x[k]);
    }
  };
  const double shortest = levels_[last_].length, rest = std::remainder(t, shortest);
  auto units = static_cast<long long>(std::llround((t - rest) / shortest));
  taylor_phi(shortest, levels_[last_].x);
  for (int i = last_; i > 0; --i) {
    for (int k = 0; k < 3; ++k) levels_[i - 1].x[k] = levels_[i].x[k];
    extend(levels_[i], levels_[i].x, levels_[i].length, levels_[i - 1].x);
  }
  taylor_phi(rest, x_);
  double reached = rest;
  for (int i = last_; i >= 0 && units > 0; --i, units >>= 1) {
    if ((units & 1) == 0) continue;
    extend(levels_[i], levels_[i].x, reached, x_);
    reached += levels_[i].length;
  }
  w = x_[2];
  for (int i = 0; i < n; ++i) w[i] *= d_[i];
  return Eval::ok;
}

/// w' = e^((s-t)A) (A w + f + t g) + ..., whose size grows by at most e^(|A| |s - t|).
void LinearFlow::deviation(double t, const Vector& w, double span, Vector& bound) {
  const int n = A_.rows();
  term_.resize(n);
  product_.resize(n);
  for (int i = 0; i < n; ++i) term_[i] = w[i] / d_[i];
  multiply(A_, term_, product_);
  double size = 0, load = 0;  // one-norms, like rate()
  for (int i = 0; i < n; ++i) {
    size += std::abs(product_[i] + f_[i] + t * g_[i]);
    load += std::abs(g_[i]);
  }
  const double most = span * std::exp(rate_ * span) * (size + span * load);
  bound.resize(n);
  for (int i = 0; i < n; ++i) bound[i] = most * d_[i];
}

}  // namespace kardan
