#pragma once
/// Events inside a step: zeros of the problem's event functions on the dense output, then on true
/// steps. Every driver looks through the same eyes.

#include <functional>
#include <limits>
#include <vector>

#include "kardan/integrate/dense.h"
#include "kardan/integrate/driver.h"

namespace kardan {

class EventSearch {
 public:
  EventSearch(ChartProblem& problem, const DriverOptions& options);

  /// The first event inside the step from `start`, or -1; theta where its function vanishes.
  int find(const DenseStep& step, const State& start, double& theta);

  /// Newton on the length of true steps, from the length where the dense output has the event.
  /// `repeat` makes a step of the length it is given and writes it to `step` and `end`.
  Eval refine(int event, const DenseStep& step, const State& end, double& length,
              const std::function<Eval(double)>& repeat);

  /// Records what happens at the end of the step and changes the modes to those just beyond it.
  /// The report's reason is `stopped` after an event that ends the run.
  void pass(const DenseStep& step, State& end, DriverReport& report);

 private:
  void at(const DenseStep& step, double theta, Vector& z);
  void keep_side(double t, Vector& z) const;
  void beyond(const DenseStep& step, double time, State& state);
  double slope_at_end(const DenseStep& step, int event);
  bool counts(int event, int direction) const;
  double first_root(const DenseStep& step, int event);
  double bottom(const DenseStep& step, int event, double a, double b, bool positive);
  double locate(const DenseStep& step, int event, double a, double b, double fa, double fb);

  ChartProblem& problem_;
  const std::vector<EventRule>& rules_;
  int samples_;
  int found_ = -1;  // the event the last step was cut for
  Vector z_inside_, z_before_, z_end_, z_side_;
  std::vector<Vector> z_;  // samples of the event functions
  // Until then z_side_ tells the signs.
  double side_until_ = -std::numeric_limits<double>::infinity();
  ChartPoint point_;
  State probe_, after_;
};

}  // namespace kardan
