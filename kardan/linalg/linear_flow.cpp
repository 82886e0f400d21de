#include "kardan/linalg/linear_flow.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

/// |A h| beyond which a step is refused: so many oscillations lose all digits of their phase.
constexpr double largest_size = 1e12;
/// A Taylor series at |A t| < 1 ends long before.
constexpr int most_terms = 40;
constexpr double round_off = 1e-17;
/// Of an error estimate, a few digits are enough.
constexpr double estimate_tolerance = 1e-4;

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
  if (kind == FlowKind::pade) return prepare_ladder();
  const Vector* const loads[] = {&g_, &f_};
  return krylov_.prepare(A_, std::span(loads).subspan(constant_ ? 1 : 0), h, tolerance);
}

Eval LinearFlow::prepare_ladder() {
  last_ = 0;
  while (std::ldexp(rate_ * h_, -last_) > MatrixExponential::largest_for_degree_7) ++last_;
  if (static_cast<int>(levels_.size()) <= last_) levels_.resize(last_ + 1);
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
    if (power * t * norm_max(term_) <= round_off * norm_max(shortest.a) &&
        (constant_ || power * t * norm_max(term_g_) <= round_off * norm_max(shortest.b)))
      break;
  }
  for (int i = last_; i > 0; --i) {
    const Level& half = levels_[i];
    Level& whole = levels_[i - 1];
    multiply(half.E, half.E, whole.E);
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

/// w(t) for |A| t < 1, balanced.
void LinearFlow::taylor(double t, Vector& w) {
  const int n = A_.rows();
  w.assign(n, 0.0);
  term_ = f_;
  double power = 1;
  for (int k = 1; k <= most_terms && t > 0; ++k) {
    // d^k w/dt^k at 0: A^(k-1) f + A^(k-2) g.
    power *= t / k;
    add_scaled(power, term_, w);
    multiply(A_, term_, product_);
    if (k == 1 && !constant_) add_scaled(1, g_, product_);
    std::swap(term_, product_);
    if (k > 1 && power * t * norm_max(term_) <= round_off * norm_max(w)) break;
  }
}

void LinearFlow::at(double t, Vector& w) {
  if (kind_ == FlowKind::krylov) {
    krylov_.at(t, w);
    for (std::size_t i = 0; i < w.size(); ++i) w[i] *= d_[i];
    return;
  }
  const double shortest = levels_[last_].length, rest = std::fmod(t, shortest);
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

Eval LinearFlow::third(const Vector& v, Vector& w) {
  const int n = A_.rows();
  term_ = v;
  for (int i = 0; i < n; ++i) term_[i] /= d_[i];
  if (kind_ == FlowKind::krylov) {
    zero_.assign(n, 0.0);
    const Vector* const loads[] = {&term_, &zero_, &zero_};
    if (Eval e = krylov_error_.prepare(A_, loads, h_, estimate_tolerance); e != Eval::ok) return e;
    krylov_error_.at(h_, w);
    for (int i = 0; i < n; ++i) w[i] *= d_[i];
    return Eval::ok;
  }
  // x_k = t^k phi_k(tA) v, the solutions for the loads v t^(k-1)/(k-1)!.
  double t = levels_[last_].length;
  for (Vector& x : x_) x.assign(n, 0.0);
  product_.resize(n);
  double power = 1;
  for (int k = 1; k <= most_terms; ++k) {
    power *= t / k;
    add_scaled(power, term_, x_[0]);
    add_scaled(power * t / (k + 1), term_, x_[1]);
    add_scaled(power * t * t / ((k + 1.0) * (k + 2.0)), term_, x_[2]);
    multiply(A_, term_, product_);
    std::swap(term_, product_);
    if (power * t * norm_max(term_) <= round_off * norm_max(x_[0])) break;
  }
  for (int i = last_; i > 0; --i) {
    const Level& level = levels_[i];
    // x_k(2t) = E x_k + sum_j t^(k-j)/(k-j)! x_j
    for (int k = 2; k >= 0; --k) {
      multiply(level.E, x_[k], product_);
      add_scaled(1, product_, x_[k]);
      if (k >= 1) add_scaled(t, x_[k - 1], x_[k]);
      if (k == 2) add_scaled(t * t / 2, x_[0], x_[k]);
    }
    t *= 2;
  }
  w = x_[2];
  for (int i = 0; i < n; ++i) w[i] *= d_[i];
  return Eval::ok;
}

}  // namespace kardan
