#include "kardan/integrate/stage_guess.h"

namespace kardan {

StageGuess::StageGuess(const Vector& c) : c_(c), polynomial_(c) {
  // (x - c_1) ... (x - c_s), then its integral.
  power_.assign(1, 1.0);
  for (double node : c_) {
    power_.insert(power_.begin(), 0.0);
    for (std::size_t k = 0; k + 1 < power_.size(); ++k) power_[k] -= node * power_[k + 1];
  }
  for (std::size_t k = 0; k < power_.size(); ++k) power_[k] /= static_cast<double>(k + 1);
  for (std::size_t k = 2; k <= c_.size(); ++k) factorial_ *= static_cast<double>(k);
  for (double node : c_) integral_to_.push_back(integral(node));
  for (Stages* stages : {&Z_, &last_.by, &before_.by, &continued_}) stages->resize(c_.size());
}

double StageGuess::integral(double x) const {
  double sum = 0;
  for (std::size_t k = power_.size(); k-- > 0;) sum = power_[k] + x * sum;
  return x * sum;
}

StageGuess::MissFactors StageGuess::miss_factors(int i, double H, double r) const {
  const double x = 1 + c_[i] * r;
  double product = x, scale = H / factorial_, growth = r;  // H^(s+1) / s!, r^(s+1)
  for (double node : c_) {
    product *= x - node;
    scale *= H;
    growth *= r;
  }
  return {scale * (integral(x) - growth * integral_to_[i]),
          scale / static_cast<double>(c_.size() + 1) * product};
}

/// That of the last step.
void StageGuess::continue_polynomial(DaeProblem& problem, double h) {
  const double r = h / h_;
  for (std::size_t i = 0; i < c_.size(); ++i) {
    continued_[i] = y0_;
    polynomial_.add(1 + c_[i] * r, Z_, continued_[i]);
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
  differential_ = 2 * problem.second_order() + problem.first_order();
  reserve(problem.unknowns());
  if (known_ == 0) {
    const Vector& dy0 = problem.base_rates();
    const int n = problem.second_order();
    for (std::size_t i = 0; i < c_.size(); ++i) {
      std::fill(Z[i].begin(), Z[i].end(), 0.0);
      add_scaled(c_[i] * h, dy0, Z[i]);
      for (int j = 0; j < n; ++j) Z[i][j] += 0.5 * c_[i] * c_[i] * h * h * dy0[n + j];
    }
    return;
  }
  continue_polynomial(problem, h);
  for (std::size_t i = 0; i < c_.size(); ++i) {
    Z[i] = continued_[i];
    if (misses_ == 0) continue;
    const MissFactors factor = miss_factors(static_cast<int>(i), h_, h / h_);
    // As far ahead of the last as the line through the last two goes.
    const double ahead = misses_ > 1 ? h / (last_.t - before_.t) : 0;
    for (std::size_t j = 0; j < Z[i].size(); ++j) {
      double next = last_.by[i][j];
      if (misses_ > 1) next += ahead * (next - before_.by[i][j]);
      Z[i][j] += (j < differential_ ? factor.differential : factor.algebraic) * next;
    }
  }
}

void StageGuess::accept(double h, const Vector& y0, const Stages& Z) {
  if (known_ > 0) {
    std::swap(last_, before_);
    misses_ = std::min(misses_ + 1, 2);
    before_.t -= h;
    last_.t = 0;
    for (std::size_t i = 0; i < c_.size(); ++i) {
      const MissFactors factor = miss_factors(static_cast<int>(i), h_, h / h_);
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
