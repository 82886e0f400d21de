#include "kardan/integrate/sdirk.h"

#include "kardan/integrate/implicit_stage.h"

namespace kardan {

const SdirkTableau& sdirk4_tableau() {
  static const SdirkTableau t{.stages = 5,
                              .gamma = 0.25,
                              .a = {{},
                                    {1.0 / 2},
                                    {17.0 / 50, -1.0 / 25},
                                    {371.0 / 1360, -137.0 / 2720, 15.0 / 544},
                                    {25.0 / 24, -49.0 / 48, 125.0 / 16, -85.0 / 12}},
                              .b_hat = {59.0 / 48, -17.0 / 96, 225.0 / 32, -85.0 / 12, 0.0},
                              // The last stage (c = 1) extrapolates from c = 1/4, 1/2, 3/4: with c
                              // = 11/20 too, close to 1/2, errors would be magnified.
                              .guess_from = {{}, {0}, {0, 1}, {0, 1, 2}, {0, 3, 1}}};
  return t;
}

namespace {

/// Weights of the interpolation at c through the start (c = 0) and other nodes.
std::vector<double> lagrange_weights(double c, const std::vector<double>& nodes) {
  std::vector<double> w(nodes.size(), 1.0);
  for (std::size_t i = 0; i < nodes.size(); ++i)
    for (std::size_t j = 0; j < nodes.size(); ++j)
      if (i != j) w[i] *= (c - nodes[j]) / (nodes[i] - nodes[j]);
  return w;
}

class SdirkStepper final : public Stepper {
 public:
  SdirkStepper(const SdirkTableau& tableau, double newton_factor)
      : t_(tableau), solver_({.share = newton_factor}), k_(t_.stages), u_(t_.stages) {
    for (int i = 0; i < t_.stages; ++i) {
      c_.push_back(t_.gamma);
      for (double a : t_.a[i]) c_[i] += a;
      std::vector<double> nodes{0.0};
      for (int j : t_.guess_from[i]) nodes.push_back(c_[j]);
      guess_.push_back(lagrange_weights(c_[i], nodes));
      const double b = i + 1 < t_.stages ? t_.a.back()[i] : t_.gamma;
      e_.push_back(b - t_.b_hat[i]);
    }
  }

  Eval attempt(ChartProblem& problem, const StepStart& start, double h, Trial& trial,
               Counters& counters) override {
    const double hg = h * t_.gamma;
    const StageWeights c{hg * hg, hg, hg};
    if (Eval e = solver_.use(*start.jacobian, c, counters); e != Eval::ok) return e;
    for (int i = 0; i < t_.stages; ++i) {
      known_ = *start.y;
      for (int j = 0; j < i; ++j) accumulate(h * t_.a[i][j], j, known_);
      add_scaled(hg, known_.u, known_.x);
      guess(i, *start.rate);
      if (Eval e = solver_.solve(problem, start, start.t + c_[i] * h, known_, c,
                                 StageSolver::Begin::with_last_matrix, k_[i], trial.y, counters);
          e != Eval::ok)
        return e;
      u_[i] = trial.y.u;
    }
    trial.error.resize(problem.second_order(), problem.first_order());
    for (auto* x : {&trial.error.x, &trial.error.u, &trial.error.z})
      std::fill(x->begin(), x->end(), 0.0);
    for (int i = 0; i < t_.stages; ++i) accumulate(h * e_[i], i, trial.error);
    solver_.filter(trial.error);
    look_for_jump(problem, start, hg, trial.error);
    return Eval::ok;
  }
  StepAbilities abilities() override { return {}; }

 private:
  /// No stage is at the start: a force that jumps before the first one (c = 1/4) changes all of
  /// them alike, which the estimate does not see. What the start's rates differ from the cubic
  /// through c = 1/4, 1/2, 3/4, 1 does; where that is far above the tolerance, it is the estimate.
  void look_for_jump(ChartProblem& problem, const StepStart& start, double hg, Local& error) {
    constexpr double far_above = 100;
    constexpr int stage[] = {0, 3, 1, 4};
    constexpr double weight[] = {-4, 6, -4, 1};
    jump_.x = start.y->u;
    jump_.u = start.rate->a;
    jump_.z = start.rate->b;
    for (int k = 0; k < 4; ++k) accumulate(weight[k], stage[k], jump_);
    for (auto* part : {&jump_.x, &jump_.u, &jump_.z})
      for (double& x : *part) x *= hg;
    solver_.filter(jump_);
    if (problem.error_norm(jump_, *start.state, *start.scale) > far_above) error = jump_;
  }

  void accumulate(double factor, int i, Local& y) const {
    if (factor == 0) return;
    add_scaled(factor, u_[i], y.x);
    add_scaled(factor, k_[i].a, y.u);
    add_scaled(factor, k_[i].b, y.z);
  }

  void guess(int i, const LocalRate& start) {
    LocalRate& k = k_[i];
    k = start;
    for (double& a : k.a) a *= guess_[i][0];
    for (double& b : k.b) b *= guess_[i][0];
    for (std::size_t j = 0; j < t_.guess_from[i].size(); ++j) {
      const LocalRate& known = k_[t_.guess_from[i][j]];
      add_scaled(guess_[i][j + 1], known.a, k.a);
      add_scaled(guess_[i][j + 1], known.b, k.b);
    }
  }

  const SdirkTableau& t_;
  StageSolver solver_;
  std::vector<double> c_, e_;               // nodes, error weights
  std::vector<std::vector<double>> guess_;  // on the start and t_.guess_from
  std::vector<LocalRate> k_;
  std::vector<Vector> u_;
  Local known_, jump_;
};

}  // namespace

Method sdirk4() {
  return {.name = "sdirk4",
          .summary = "L-stable diagonally implicit Runge-Kutta, order 4(3), 5 stages",
          .source = "Hairer, Wanner, Solving Ordinary Differential Equations II, Table IV.6.5",
          .order = 4,
          .error_order = 3,
          .needs_jacobian = true,
          .needs_jacobian_anywhere = true,
          // Weights of early stages reach b_j / gamma = 31: they are solved further than the step.
          .options = {{.name = "newton_factor",
                       .fallback = "0.003",
                       .doc = "share of the tolerance that the iteration of a stage may leave",
                       .smallest = 1e-6,
                       .largest = 1}},
          .make = [](const OptionValues& values) -> std::unique_ptr<Stepper> {
            return std::make_unique<SdirkStepper>(sdirk4_tableau(),
                                                  number_option(values, "newton_factor"));
          }};
}

}  // namespace kardan
