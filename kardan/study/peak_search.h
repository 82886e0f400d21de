#pragma once
/// Looks for the largest or smallest value of a course inside steps.
///
/// The ends of steps are known. Where the values there and the bend of the course, of three ends in
/// a row, leave room for a value beyond the best so far, the middle is looked at, then the middles of
/// ever smaller parts beside the higher end, as long as there is room in them; where one of them is,
/// or the top of the parabola through it and its neighbours is, beyond the best, the tops of
/// parabolas are followed until the course is flat around them. A course is taken for one that bends no more than four times what its ends tell:
/// what is shorter than a step and seen by none of these is not found.

#include <functional>

#include "kardan/study/kept.h"

namespace kardan {

class PeakSearch {
 public:
  /// `worth`: the share of the best by which a peak must stand out to be looked for.
  PeakSearch(const SeeksPeaks& seeker, double worth) : seeker_(&seeker), worth_(worth) {}

  void end_of_step(double t, double y);
  /// The way to the top need not be exact; what is found there is told to the reduction.
  enum class Look { first, counts };
  using Course = std::function<double(double t, Look)>;
  /// `at`: the value at a time in the step between the last two ends.
  void look(double begin, double end, const Course& at) const;

 private:
  struct Point {
    double t = 0, y = 0;
  };
  double side() const { return seeker_->side() == SeeksPeaks::Side::above ? 1 : -1; }
  bool beats(double y) const;
  double most_bend() const;

  const SeeksPeaks* seeker_;
  double worth_;
  Point ends_[3];  // the last one first
  int known_ = 0;
};

}  // namespace kardan
