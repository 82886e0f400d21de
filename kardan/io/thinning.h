#pragma once
/// Histories of bounded size, however long a run is: when the room is used up, every second frame is
/// dropped, or neighbouring steps are merged into one that keeps the worst of both.

#include <cstddef>
#include <span>
#include <vector>

#include "kardan/run/simulate.h"

namespace kardan {

/// Rows of a result in single precision (but for the time), at most `capacity` of them, and the
/// last one.
class ThinnedRows {
 public:
  ThinnedRows() = default;
  ThinnedRows(std::size_t width, std::size_t capacity) : width_(width), capacity_(capacity) {}

  void add(std::span<const double> row);
  /// Adds the last row seen, where it was passed over.
  void finish();

  std::size_t count() const { return times_.size(); }
  std::size_t seen() const { return seen_; }
  const std::vector<double>& times() const { return times_; }
  float at(std::size_t row, std::size_t column) const { return values_[row * width_ + column]; }

 private:
  void keep(double time, std::span<const float> row);

  std::size_t width_ = 0, capacity_ = 0, stride_ = 1, seen_ = 0;
  std::vector<double> times_;
  std::vector<float> values_, last_;
  double last_time_ = 0;
  bool last_kept_ = true;
};

/// Steps, at most `capacity` of them.
class ThinnedSteps {
 public:
  explicit ThinnedSteps(std::size_t capacity = 4000) : capacity_(capacity) {}

  void add(const StepRecord& step);
  const std::vector<StepRecord>& steps() const { return steps_; }
  /// Times at which attempts were rejected.
  const std::vector<double>& rejected() const { return rejected_; }
  /// How many steps one entry stands for.
  std::size_t merged() const { return merged_; }

 private:
  std::size_t capacity_, merged_ = 1, pending_ = 0;
  std::vector<StepRecord> steps_;
  std::vector<double> rejected_;
  long rejections_ = 0;
};

}  // namespace kardan
