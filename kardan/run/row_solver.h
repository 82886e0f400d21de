#pragma once
/// Rows of a result inside a step. Dense output is a polynomial through the ends of the step; where
/// a method steps over fast modes, what it leaves in them is small, but not times their eigenvalues
/// in the accelerations, which the polynomial follows.
///
/// A row tells by itself: its accelerations (and rates of first-order variables) are those of the
/// polynomial, up to a defect d, or the polynomial is not the motion there. With the error
/// e ~ s^3 (1-s)^3 of the quintic, e'' = d; where fast modes rule, their forces are off by M d. A
/// row whose d stands for more than a share of the tolerance is solved for: by a step of the method
/// from the start of the step to the row. All of that is done aside, so that steps do not depend on
/// rows. Methods that enforce constraints themselves, and those of order 1, keep the polynomial.

#include <memory>

#include "kardan/formulation/catalog.h"
#include "kardan/integrate/driver.h"

namespace kardan {

class RowSolver {
 public:
  /// Multistep methods cannot begin inside a step: the first of the catalog that can, and treats
  /// the same problems as they do, takes their place.
  RowSolver(const Method& method, const OptionValues& options);

  /// Goes on with other equations, or in another way.
  void use(const System& system, const Formulation& formulation, const OptionValues& options,
           const ErrorScale& scale);

  /// Whether `a` and `b`, the accelerations and rates at `point` of the step's dense output, are
  /// those of the polynomial.
  bool trusts(const StepView& step, const ChartPoint& point, const Vector& a, const Vector& b);
  /// The state at `t`, inside the step, by a step of its own.
  Eval solve(const StepView& step, double t, State& state);

 private:
  Eval begin(const StepView& step);
  void to_chart(const ChartPoint& point, const Vector& a);
  void follow_polynomial(const DenseStep& dense, double s);

  const Method* method_;
  OptionValues options_;
  std::unique_ptr<Stepper> stepper_;
  const System* system_ = nullptr;
  const Formulation* formulation_ = nullptr;
  OptionValues formulation_options_;
  ErrorScale scale_;
  std::unique_ptr<ChartProblem> problem_;  // from the first row on that needs it
  double begun_ = 0;                       // [s] where its base is, if
  bool has_begun_ = false;
  LocalJacobian jacobian_;
  Trial trial_;
  State start_;
  ChartPoint end_;
  Counters unused_;
  Vector expected_, second_, rate_;
};

}  // namespace kardan
