#include "kardan/integrate/stage_guess.h"

#include <cmath>

#include "kardan/integrate/radau5.h"

namespace kardan {
namespace {

/// Integral of (s - c_1)(s - c_2)(s - c_3) from 0 to x.
double integral(double x) {
  const auto& c = radau5_tableau().c;
  const double sum = c[0] + c[1] + c[2], pairs = c[0] * c[1] + c[1] * c[2] + c[2] * c[0],
               product = c[0] * c[1] * c[2];
  return x * (-product + x * (pairs / 2 + x * (-sum / 3 + x / 4)));
}

/// H^4 k_i(r) / 6, and for algebraic unknowns.
struct MissFactors {
  double differential, algebraic;
};
MissFactors miss_factors(int i, double H, double r) {
  const auto& c = radau5_tableau().c;
  const double H4 = std::pow(H, 4), x = 1 + c[i] * r;
  return {H4 / 6 * (integral(x) - std::pow(r, 4) * integral(c[i])),
          H4 / 24 * x * (x - c[0]) * (x - c[1]) * (x - 1)};
}

}  // namespace

/// Lagrange on the nodes 0, c1, c2, 1 of the last step.
void StageGuess::continue_polynomial(DaeProblem& problem, double h) {
  const auto& c = radau5_tableau().c;
  const double node[4] = {0, c[0], c[1], 1};
  for (int i = 0; i < 3; ++i) {
    const double x = 1 + c[i] * h / h_;
    double weight[4];
    for (int k = 0; k < 4; ++k) {
      weight[k] = 1;
      for (int l = 0; l < 4; ++l)
        if (l != k) weight[k] *= (x - node[l]) / (node[k] - node[l]);
    }
    continued_[i] = y0_;
    for (int k = 0; k < 3; ++k) add_scaled(weight[k + 1], Z_[k], continued_[i]);
    problem.carry(continued_[i]);
    add_scaled(-1, problem.base_values(), continued_[i]);
  }
}

/// No step allocates after the first attempt.
void StageGuess::reserve(std::size_t size) {
  if (y0_.size() == size) return;
  forget();
  y0_.resize(size);
  for (Stages* stages : {&Z_, &last_.by, &before_.by, &continued_})
    for (Vector& stage : *stages) stage.resize(size);
}

void StageGuess::guess(DaeProblem& problem, double h, Stages& Z) {
  const auto& c = radau5_tableau().c;
  differential_ = 2 * problem.second() + problem.first();
  reserve(problem.unknowns());
  if (known_ == 0) {
    const Vector& dy0 = problem.base_rates();
    const int n = problem.second();
    for (int i = 0; i < 3; ++i) {
      std::fill(Z[i].begin(), Z[i].end(), 0.0);
      add_scaled(c[i] * h, dy0, Z[i]);
      for (int j = 0; j < n; ++j) Z[i][j] += 0.5 * c[i] * c[i] * h * h * dy0[n + j];
    }
    return;
  }
  continue_polynomial(problem, h);
  for (int i = 0; i < 3; ++i) {
    Z[i] = continued_[i];
    if (misses_ == 0) continue;
    const MissFactors factor = miss_factors(i, h_, h / h_);
    // As far ahead of the last as the line through the last two goes.
    const double ahead = misses_ > 1 ? h / (last_.t - before_.t) : 0;
    for (std::size_t j = 0; j < Z[i].size(); ++j) {
      double fourth = last_.by[i][j];
      if (misses_ > 1) fourth += ahead * (fourth - before_.by[i][j]);
      Z[i][j] += (j < differential_ ? factor.differential : factor.algebraic) * fourth;
    }
  }
}

void StageGuess::accept(double h, const Vector& y0, const Stages& Z) {
  if (known_ > 0) {
    std::swap(last_, before_);
    misses_ = std::min(misses_ + 1, 2);
    before_.t -= h;
    last_.t = 0;
    for (int i = 0; i < 3; ++i) {
      const MissFactors factor = miss_factors(i, h_, h / h_);
      for (std::size_t j = 0; j < Z[i].size(); ++j)
        last_.by[i][j] = (Z[i][j] - continued_[i][j]) /
                         (j < differential_ ? factor.differential : factor.algebraic);
    }
  }
  known_ = 1;
  h_ = h;
  y0_ = y0;
  Z_ = Z;
}

}  // namespace kardan
