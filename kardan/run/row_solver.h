#pragma once
/// Rows of a result inside a step. Dense output is a polynomial through the ends of the step; where
/// a method steps over fast modes, what it leaves in them is small, but not times their eigenvalues
/// in the accelerations, which the polynomial follows.
///
/// A row shows by itself: its accelerations (and rates of first-order variables) are those of the
/// polynomial, up to a defect d, or the polynomial is not the motion there. With the error
/// e ~ s^3 (1-s)^3 of the quintic, e'' = d; where fast modes rule, their forces are off by M d. A
/// row whose d stands for more than a share of the tolerance is solved for: by a step from the
/// start of the step to the row. All of that is done aside, so that steps do not depend on rows.
///
/// The step to the row is one of the run's method on the run's formulation, or several where the
/// method's estimate asks for them. Multistep methods cannot begin inside a step; those that
/// enforce constraints themselves take what positions are off by, over the square of the step, for
/// a force, and so need long steps; those of order 1, and explicit ones of order 2, are worse than
/// what the row lies between; velocities that are differences of positions do not bear short steps. Others of the catalog stand in for them, explicit or implicit as they
/// are. Backward differentiation goes to a row as to the end of a step, from the ends of the steps
/// before (backward_step.h). Implicit methods of order 2 leave ends that are off the slow motion of stiff springs by so
/// little that only forces show it, and show more of it right behind them: their rows begin at the
/// start of the step before, and have steps that bear the accelerations, too. The polynomial stays
/// where that step fails, or ends farther from it than d can explain.

#include <memory>
#include <vector>

#include "kardan/integrate/backward_step.h"
#include "kardan/integrate/dense.h"
#include "kardan/integrate/driver_options.h"
#include "kardan/run/choice.h"
#include "kardan/system/system.h"

namespace kardan {

class RowSolver {
 public:
  RowSolver(const Method& method, const OptionValues& options);

  /// Goes on with other equations, or in another way. `exact`: they have exact derivatives.
  void use(const System& system, const Formulation& formulation, const OptionValues& options,
           const ErrorScale& scale, bool exact);

  /// Whether `a` and `b`, the accelerations and rates at `point` of the step's dense output, are
  /// those of the polynomial.
  bool trusts(const StepView& step, const ChartPoint& point, const Vector& a, const Vector& b);
  /// Another motion may begin where this one has been.
  void forget() {
    has_begun_ = last_.known = last_.has_start = false;
    memory_.count = memory_.order = 0;
  }
  /// After the rows of every step.
  void remember(const StepView& step);
  /// The state at the point last judged, by a step of its own.
  Eval solve(const StepView& step, const ChartPoint& point, State& state);

 private:
  void choose();
  Eval solve_backward(const StepView& step, const ChartPoint& point, State& state);
  bool locate_ends(const StepView& step);
  void learn_constraints(const StepView& step, ChartProblem& problem);
  bool knows_last(const StepView& step) const;
  bool find(const Method& method, bool own_form);
  bool own_way() const { return way_.method == &method_ && way_.formulation == formulation_; }
  Eval begin(const StepView& step);
  Eval prepare_base();
  Eval step_to(double t, State& state, bool& good);
  double acceleration_error(double t);
  double acceleration_unit(std::size_t i, double size) const;
  void to_chart(const ChartPoint& point, const Vector& a);
  void follow_polynomial(const DenseStep& dense, double s);
  void differentiate_flow(const DenseStep& dense, double s);
  Eval consistent(ChartProblem& problem, const StepView& step, const ChartPoint& point,
                  State& state);
  void note_end(const StepView& step);
  bool explained(const StepView& step, const ChartPoint& point, const State& state);

  const Method& method_;  // of the run
  OptionValues options_;
  const System* system_ = nullptr;
  const Formulation* formulation_ = nullptr;
  OptionValues formulation_options_;
  ErrorScale scale_, iteration_;
  bool exact_ = true;
  // From the first row on that needs them:
  Choice way_;  // null: there is none
  std::unique_ptr<ChartProblem> problem_;
  std::unique_ptr<Stepper> stepper_;
  bool chosen_ = false;
  double begun_ = 0;  // [s] where the base is, if
  bool has_begun_ = false;
  bool looks_back_ = false;  // rows look back to the last step
  struct Last {
    bool known = false, has_start = false;
    State start, end;
    long events = 0;  // before its end
  } last_;
  // What the motion has been: of backward differentiation ends of steps, the latest first, and
  // what rows are solved by.
  struct Memory {
    std::vector<State> ends;
    int count = 0, order = 0;
    std::unique_ptr<ChartProblem> problem;
    BackwardStep step;
    State origin;  // where the motion began, from the first step on
    bool has_origin = false;
  } memory_;
  LocalJacobian jacobian_;
  Trial trial_;
  State start_, interpolated_, closed_;
  ChartPoint end_;
  struct Scratch {
    ChartPoint before, behind;
    Counters unused;
    Vector expected, second, rate;
  } scratch_;
};

}  // namespace kardan
