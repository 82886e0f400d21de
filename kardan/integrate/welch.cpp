#include "kardan/integrate/welch.h"

#include <cmath>

#include "kardan/base/assert.h"
#include "kardan/integrate/constrained_problem.h"

namespace kardan {
namespace {

enum class WelchScheme { predictor, printed, repaired };

class WelchStepper final : public Stepper, public EndCheck {
 public:
  explicit WelchStepper(WelchScheme scheme) : scheme_(scheme) {}

  Eval attempt(ChartProblem& any, const StepStart& start, double h, Trial& trial,
               Counters& counters) override {
    KARDAN_ASSERT(any.kind() == ProblemKind::constrained, "a problem with constraints");
    auto& problem = static_cast<ConstrainedProblem&>(any);
    const Vector& v = start.y->u;  // at the base T = I
    predict(problem, *start.y, h);
    if (Eval e = prepare_corrector(problem, start, h, counters); e != Eval::ok) return e;
    correct(problem, *start.y, h);
    if (scheme_ == WelchScheme::repaired) {
      f_ = problem.motion().f;
      b_ = problem.motion().b;
      middle(v, v1_, v_);
      middle(start.y->z, z1_, z_);
      ++counters.evaluations;
      if (Eval e = problem.evaluate(start.t + h / 2, x_, v_, z_, What::forces); e != Eval::ok)
        return e;
      if (f_ != problem.motion().f || b_ != problem.motion().b) correct(problem, *start.y, h);
    }
    note_middle(problem);
    estimate_error(problem, trial.error);
    const bool first = scheme_ == WelchScheme::predictor;
    trial.y.x = first ? xp_ : x1_;
    problem.to_chart(trial.y.x, first ? vp_ : v1_, trial.y.u);
    trial.y.z = first ? zp_ : z1_;
    if (first)
      problem.note_multipliers(start.t, predicted_lambda_);
    else
      problem.note_multipliers(start.t + h / 2, lambda_);
    return all_finite(trial.y) ? Eval::ok : Eval::recoverable;
  }

  StepAbilities abilities() override { return {.end_check = this}; }

  /// Forces are taken at the start and in the middle: what happens in the second half shows at the
  /// end. Simpson's rule against the midpoint rule; where it is the larger, it is the estimate.
  void look_at_end(const ChartProblem&, const ChartPoint& from, const ChartPoint& to, double h,
                   Local& error) override {
    auto compare = [h](const Vector& start, const Vector& middle, const Vector& end, Vector& e) {
      for (std::size_t i = 0; i < e.size(); ++i) {
        const double unseen = h / 6 * (start[i] - 2 * middle[i] + end[i]);
        if (!(std::abs(unseen) <= std::abs(e[i]))) e[i] = unseen;
      }
    };
    compare(from.a, middle_a_, to.a, error.u);
    compare(from.dz, middle_b_, to.dz, error.z);
  }

 private:
  using What = ConstrainedProblem::What;
  using Place = ConstrainedProblem::Place;

  static void middle(const Vector& a, const Vector& b, Vector& out) {
    out.resize(a.size());
    for (std::size_t i = 0; i < a.size(); ++i) out[i] = 0.5 * (a[i] + b[i]);
  }

  void predict(ConstrainedProblem& problem, const Local& y, double h) {
    const Motion& m = problem.base_motion();
    predicted_lambda_.resize(problem.rows());
    for (int i = 0; i < problem.rows(); ++i)
      predicted_lambda_[i] = i < problem.holonomic() ? -(m.g[i] + h * m.rate[i]) / (h * h)
                                                     : m.gamma[i] - m.rate[i] / h;
    a_ = m.f;
    problem.solve(Place::base, a_, predicted_lambda_);
    vp_ = y.u;
    add_scaled(h, a_, vp_);
    xp_ = vp_;
    for (double& x : xp_) x *= h;
    zp_ = y.z;
    add_scaled(h, m.b, zp_);
  }

  /// The right side c of the corrector, forces and factors in the middle.
  Eval prepare_corrector(ConstrainedProblem& problem, const StepStart& start, double h,
                         Counters& counters) {
    const int rows = problem.rows(), holonomic = problem.holonomic();
    ++counters.evaluations;
    const What wanted = rows > holonomic ? What::velocities : What::positions;
    if (Eval e = problem.evaluate(start.t + h, xp_, vp_, zp_, wanted); e != Eval::ok) return e;
    c_.resize(rows);
    for (int i = 0; i < rows; ++i)
      c_[i] = i < holonomic ? problem.motion().g[i] : problem.motion().rate[i];
    x_ = xp_;
    for (double& x : x_) x *= 0.5;
    middle(start.y->u, vp_, v_);
    middle(start.y->z, zp_, z_);
    ++counters.evaluations;
    if (Eval e = problem.evaluate(start.t + h / 2, x_, v_, z_, What::all); e != Eval::ok) return e;
    ++counters.factorizations;
    if (Eval e = problem.factor(); e != Eval::ok) return e;
    change_ = start.y->u;
    add_scaled(-1, vp_, change_);
    along_.resize(rows);
    problem.motion().G.multiply(change_, along_);
    for (int i = 0; i < rows; ++i)
      c_[i] = i < holonomic ? -2 * (c_[i] + h * along_[i]) / (h * h) : -(c_[i] + along_[i]) / h;
    return Eval::ok;
  }

  void correct(ConstrainedProblem& problem, const Local& y, double h) {
    a_ = problem.motion().f;
    lambda_ = c_;
    problem.solve(Place::stage, a_, lambda_);
    v1_ = y.u;
    add_scaled(h, a_, v1_);
    middle(y.u, v1_, x1_);
    for (double& x : x1_) x *= h;
    z1_ = y.z;
    add_scaled(h, problem.motion().b, z1_);
  }

  /// Accelerations and rates in the middle, as the constraints want them there.
  void note_middle(ConstrainedProblem& problem) {
    middle_a_ = problem.motion().f;
    middle_b_ = problem.motion().b;
    along_ = problem.motion().gamma;
    problem.solve(Place::stage, middle_a_, along_);
  }

  void estimate_error(ConstrainedProblem& problem, Local& error) {
    error.x = x1_;
    add_scaled(-1, xp_, error.x);
    change_ = v1_;
    add_scaled(-1, vp_, change_);
    error.u.resize(change_.size());
    problem.motion().M.multiply(change_, error.u);
    along_.assign(problem.rows(), 0.0);
    problem.solve(Place::stage, error.u, along_);
    error.z = z1_;
    add_scaled(-1, zp_, error.z);
  }

  WelchScheme scheme_;
  Vector xp_, vp_, zp_, predicted_lambda_;  // predicted
  Vector x_, v_, z_;                        // in the middle
  Vector x1_, v1_, z1_, lambda_;            // corrected
  Vector a_, c_, along_, change_, f_, b_;
  Vector middle_a_, middle_b_;
};

Method welch(std::string_view name, std::string_view summary, int order, WelchScheme scheme) {
  return {.name = name,
          .summary = summary,
          .source = "Welch, Hong, Trapp, Choi 2007",
          .order = order,
          .error_order = 1,
          // Three-link pendulum, double pendulum and rolling disc at 1e-3 to 1e-6: without it up to
          // 11 tolerances.
          .error_weight = 3,
          .problem = ProblemKind::constrained,
          .formulation = "all_coordinates",
          .make = [scheme](const OptionValues&) -> std::unique_ptr<Stepper> {
            return std::make_unique<WelchStepper>(scheme);
          }};
}

}  // namespace

Method welch2() {
  return welch("welch2", "parameter-free predictor-corrector with algebraic constraints", 2,
               WelchScheme::repaired);
}

Method welch2_printed() {
  return welch("welch2_printed", "welch2 as printed: order 1 where forces depend on velocities", 1,
               WelchScheme::printed);
}

Method welch1() {
  return welch("welch1", "the predictor of welch2 alone", 1, WelchScheme::predictor);
}

}  // namespace kardan
