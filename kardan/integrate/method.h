#pragma once
/// One-step methods in local coordinates. A Method is immutable; its Stepper is scratch. `attempt`
/// reads the base of the problem and writes a trial; nothing needs to be undone.

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/integrate/options.h"
#include "kardan/integrate/problem.h"

namespace kardan {

struct Counters {
  long steps = 0, rejected = 0, failed = 0;
  long evaluations = 0, jacobians = 0, factorizations = 0, events = 0;
  long iterations = 0;  // of Newton's method
  long solves = 0;      // with factors, real and complex ones of a step together
};

/// What a step starts from; the driver fills the Jacobian only for methods that need it.
struct StepStart {
  double t = 0;
  const Local* y = nullptr;
  const LocalRate* rate = nullptr;
  const LocalJacobian* jacobian = nullptr;
  const State* state = nullptr;       // the base
  const ErrorScale* scale = nullptr;  // tolerances, for iterations
};

struct Trial {
  Local y;                              // end of the step
  Local error;                          // estimate of its error
  Diagnosis failure = Diagnosis::none;  // why there is none, if the method knows
};

/// The solution between the ends of a step, for methods that know it better than a polynomial does.
class StepFlow {
 public:
  virtual ~StepFlow() = default;
  /// At `time` after the start of the last attempt.
  virtual const Local& at(double time) = 0;
  /// |u| is at most this between `a` and `b` after the start.
  virtual const Vector& speed_bound(double a, double b) = 0;
  /// [1/s] A bound of the fastest rate.
  virtual double fastest() const = 0;
};

/// A shorter step inside the last attempt, for methods that have it without another one.
class StepShortener {
 public:
  virtual ~StepShortener() = default;
  /// The last attempt once more, but ended earlier: at an event inside it.
  virtual Eval shorten(ChartProblem& problem, const StepStart& start, double h, Trial& trial,
                       Counters& counters) = 0;
};

/// Steps on the linearized equations, which evaluate nothing.
class StepForesight {
 public:
  virtual ~StepForesight() = default;
  /// The trial of such a step; false: in a problem of this size it costs as much as it may save.
  virtual bool foresee(const StepStart& start, double h, Trial& trial, Counters& counters) = 0;
};

/// The factors of the last attempt as a filter of its estimate.
class ErrorFilter {
 public:
  virtual ~ErrorFilter() = default;
  /// error := (I - h gamma J)^-1 error, which takes the modes out of the estimate that the method
  /// damps anyway.
  virtual void filter_error(const StepStart& start, double h, Local& error) = 0;
};

/// A second look at the estimate, for methods that take no forces at the end of a step.
class EndCheck {
 public:
  virtual ~EndCheck() = default;
  /// Told the accelerations at both ends of the last attempt, adds what it did not see.
  virtual void look_at_end(const ChartProblem& problem, const ChartPoint& from,
                           const ChartPoint& to, double h, Local& error) = 0;
};

/// What lies between an accepted step and the next one.
enum class After { step, event };

/// What a method remembers of steps.
class StepHistory {
 public:
  virtual ~StepHistory() = default;
  /// The last attempt is taken and the base has moved to its end; after an event the equations are
  /// others.
  virtual void accept(After) = 0;
};

/// What a method can do besides attempts; null: it cannot.
struct StepAbilities {
  StepFlow* flow = nullptr;            ///< without: the quintic of dense.h
  StepShortener* shortener = nullptr;  ///< without: another attempt
  StepForesight* foresight = nullptr;
  ErrorFilter* filter = nullptr;
  EndCheck* end_check = nullptr;
  StepHistory* history = nullptr;
};

class Stepper {
 public:
  virtual ~Stepper() = default;
  virtual Eval attempt(ChartProblem& problem, const StepStart& start, double h, Trial& trial,
                       Counters& counters) = 0;
  /// The same at any time.
  virtual StepAbilities abilities() = 0;
};

struct StepView;
struct DriverOptions;
class Integration;
/// Called after every accepted step; a non-empty answer ends the run with that reason.
using Observer = std::function<std::string(const StepView&)>;

/// What a method is taken for where nobody names one.
enum class Task {
  not_stiff,                        ///< `auto`: explicit steps, without events
  not_stiff_with_events,            ///< `auto`: the same, where states inside steps must be cheap
  stiff,                            ///< `auto`: with exact derivatives
  whatever_comes,                   ///< `auto`: forces of multipliers, invariants, no derivatives
  fixed_steps,                      ///< `auto`: with exact derivatives
  fixed_steps_without_derivatives,  ///< `auto`
  linear_between_events,            ///< `auto`
  reference,                        ///< of `compare`, tried by rank
};
/// A task that a method declares as its own.
struct Duty {
  Task task;
  std::string_view formulation = {};  ///< empty: the method's own
  int rank = 0;
};

struct Method {
  std::string_view name, summary, source;
  int order = 0;
  int error_order = 0;  ///< order of the estimate: the controller's exponent is 1/(this + 1)
  int dense_order = 4;  ///< of values inside a step, where the method's own order is not lower
  bool needs_jacobian = false;
  bool needs_exact_jacobian = false;     ///< with another one the order is lost
  bool needs_jacobian_anywhere = false;  ///< at points of its own choice, not at the base alone
  bool is_explicit = false;              ///< its steps resolve every mode, however fast
  bool damps_swinging = false;           ///< explicit, but long steps damp what swings
  bool exact_if_linear = false;          ///< linear equations are solved exactly, whatever the step
  /// The estimate times this is held below the tolerance: what a method's estimate falls short of
  /// its error, measured so that reached errors track the tolerance on several problems.
  double error_weight = 1;
  /// The estimate is held below the tolerance per second, not per step: reached errors then follow
  /// the tolerance without the estimate being added to the solution.
  bool error_per_unit_step = false;
  ProblemKind problem = ProblemKind::ode;
  /// Its steps are backward differentiation: from the ends of those before, a moment inside a step
  /// is found in the same way as its end.
  bool differentiates_backward = false;
  std::string_view formulation = "state_space";  ///< unless another is asked for
  std::vector<OptionInfo> options = {};
  /// Errors of velocities are tested also where constraints make them algebraic, of an index above
  /// 1 (Formulation::velocity_index).
  bool tests_algebraic_velocities = true;
  /// Of steps with error control: evaluations, and the work of one as long as the iteration allows,
  /// in evaluations; 0: not known.
  int evaluations = 0;
  double long_step_work = 0;
  /// Explicit steps of length h are stable while h times the fastest rate stays below this.
  double stability_limit = 0;
  std::vector<Duty> duties = {};
  std::function<std::unique_ptr<Stepper>(const OptionValues&)> make = {};
  /// Multistep methods bring their own integration, with the driver's semantics, instead of a
  /// stepper.
  std::unique_ptr<Integration> (*integrate)(ChartProblem&, const Method&, State&, double t_end,
                                            const DriverOptions&, const Observer&) = nullptr;
};

/// All methods; a new one is one file and one line in catalog.cpp.
const std::vector<Method>& methods();
const Method* find_method(std::string_view name);
/// "method@formulation" of the method that has this duty, and the method.
std::string name_for(Task task);
const Method& method_for(Task task);
/// All methods with this duty, by rank.
std::vector<const Method*> methods_for(Task task);

}  // namespace kardan
