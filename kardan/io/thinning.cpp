#include "kardan/io/thinning.h"

#include <algorithm>
#include <cmath>

namespace kardan {
namespace {

/// The later of two steps, with the worst of both.
StepRecord merge(const StepRecord& a, const StepRecord& b) {
  StepRecord out = b;
  if (a.h > 0) out.h = std::min(a.h, b.h);
  out.error = std::max(a.error, b.error);
  out.residuals.position = std::max(a.residuals.position, b.residuals.position);
  out.residuals.velocity = std::max(a.residuals.velocity, b.residuals.velocity);
  out.residuals.acceleration = std::max(a.residuals.acceleration, b.residuals.acceleration);
  if (std::abs(a.unbalanced) > std::abs(b.unbalanced)) out.unbalanced = a.unbalanced;
  return out;
}

}  // namespace

void ThinnedRows::keep(double time, std::span<const float> row) {
  times_.push_back(time);
  values_.insert(values_.end(), row.begin(), row.end());
}

void ThinnedRows::add(std::span<const double> row) {
  last_.assign(row.begin(), row.end());
  last_time_ = row[0];
  last_kept_ = seen_++ % stride_ == 0;
  if (!last_kept_) return;
  if (times_.size() >= capacity_) {
    const std::size_t half = (times_.size() + 1) / 2;
    for (std::size_t i = 0; i < half; ++i) {
      times_[i] = times_[2 * i];
      std::copy_n(values_.begin() + static_cast<long>(2 * i * width_), width_,
                  values_.begin() + static_cast<long>(i * width_));
    }
    times_.resize(half);
    values_.resize(half * width_);
    stride_ *= 2;
    last_kept_ = (seen_ - 1) % stride_ == 0;
    if (!last_kept_) return;
  }
  keep(last_time_, last_);
}

void ThinnedRows::finish() {
  if (!last_kept_) keep(last_time_, last_);
  last_kept_ = true;
}

void ThinnedSteps::add(const StepRecord& step) {
  if (step.rejected > rejections_ && rejected_.size() < capacity_)
    rejected_.push_back(step.t - step.h);
  rejections_ = step.rejected;
  if (pending_ > 0 && pending_ < merged_) {
    steps_.back() = merge(steps_.back(), step);
    ++pending_;
    return;
  }
  if (steps_.size() >= capacity_) {
    const std::size_t half = steps_.size() / 2;
    for (std::size_t i = 0; i < half; ++i) steps_[i] = merge(steps_[2 * i], steps_[2 * i + 1]);
    steps_.resize(half);
    merged_ *= 2;
  }
  steps_.push_back(step);
  pending_ = 1;
}

}  // namespace kardan
