#pragma once
/// The driver's loop around an integrator that chooses its own steps and remembers the past (those
/// of SUNDIALS): see integrate() of driver.h for what it promises. A file a library says how that
/// begins, steps and looks back.

#include <exception>
#include <limits>
#include <string>

#include "kardan/integrate/course.h"
#include "kardan/integrate/growth.h"
#include "kardan/integrate/integration.h"

namespace kardan {

class MultistepDriver : public Integration {
 public:
  /// `least_order`: what the integrator may fall back to where errors are far below the tolerance.
  MultistepDriver(ChartProblem& problem, const Method& method, State& state, double t_end,
                  const DriverOptions& options, const Observer& observer, int least_order);
  ~MultistepDriver() override = default;
  MultistepDriver(const MultistepDriver&) = delete;
  MultistepDriver& operator=(const MultistepDriver&) = delete;

  DriverReport run() override;
  bool enter() override;
  bool settle() override;
  bool step() override;
  StepView view() const override { return run_.view(); }
  void stop_at(double t) override { run_.stop_at(t); }
  bool go_on_from_here(Change change) override;
  const DriverReport& report() const override { return run_.report; }
  DriverReport end() override { return run_.finish(); }

 protected:
  /// The integrator begins at the state, where the base is. False after stop().
  virtual bool begin(double first) = 0;
  /// One step, not beyond `end`; t is where it came to. The library's answer: negative, it failed.
  virtual int advance(double end, double& t) = 0;
  /// [s] The step it would take next; infinite before the first.
  virtual double next_step() = 0;
  /// No step shall be longer than this [s].
  virtual void bound_steps(double longest) = 0;
  /// values() at a time inside the last step; 0 where that is possible.
  virtual int look_back(double t) = 0;
  /// (x, u, z, ...) after a step, and its estimated errors.
  virtual const double* values() = 0;
  virtual const double* errors() = 0;
  /// Of the last step.
  virtual int last_order() = 0;
  /// Adds the library's counts since begin() or the last call.
  virtual void count() = 0;
  /// Whether the answer of a step says that the equations could not be evaluated.
  virtual bool not_evaluated(int answer) const = 0;
  /// Says why no step was possible.
  virtual void explain(int answer) = 0;

  void no_step(Diagnosis diagnosis);
  /// What a function of the model throws may not pass through a library of C: it is thrown again
  /// behind it.
  template <class Evaluate>
  Eval guarded(const Evaluate& evaluate) {
    try {
      return evaluate();
    } catch (...) {
      thrown_ = std::current_exception();
      return Eval::fatal;
    }
  }
  /// [s] Of the integrator's steps; 0: no bound.
  double largest_step() const;
  void unpack(const double* from, Local& to) const;
  /// The weights of (x, u, z), made such that the mean square of `count` errors is small when one
  /// of them alone is; after the last.
  double* weigh(int count, double* to);
  int differential() const { return 2 * problem_.second_order() + problem_.first_order(); }

  Course run_;
  ChartProblem& problem_ = run_.problem;
  const Method& method_ = run_.method;
  State& state_ = run_.state;
  const DriverOptions& options_ = run_.options;
  DriverReport& report_ = run_.report;

 private:
  std::string refusal() const;
  bool restart(double first);
  bool retake(double h, double factor);
  bool begin_run();
  bool next();
  bool make();
  bool follow_growth();
  bool conclude(double h, bool chart_holds);
  bool complete();
  Eval end_at(double t);

  InputWatch::Reach break_;                                   // of the step taken last
  double seen_ = std::numeric_limits<double>::infinity();     // longest step along the way
  double longest_ = std::numeric_limits<double>::infinity();  // [s] that the path allows a step
  GrowthWatch growth_;
  LocalJacobian jacobian_;
  double last_h_ = 0;  // [s] of the last step; 0: none since the integrator began
  double problem_at_ = std::numeric_limits<double>::quiet_NaN();  // time of the base
  Local y_, weights_;
  std::exception_ptr thrown_;
  // The step made last, while it is not complete: it ends with an event; the chart holds beyond it.
  bool made_ = false, event_ = false, chart_holds_ = false;
  double bound_ = std::numeric_limits<double>::infinity();  // [s] by growing modes
};

}  // namespace kardan
