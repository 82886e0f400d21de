#include "kardan/integrate/rodasp.h"

namespace kardan {
namespace {

/// The source gives beta = alpha + gamma_ij; both solutions are rows of it (stiff accuracy).
RosenbrockTableau from_beta(double gamma, std::vector<std::vector<double>> alpha,
                            const std::vector<std::vector<double>>& beta) {
  RosenbrockTableau t;
  t.stages = static_cast<int>(alpha.size());
  t.gamma = gamma;
  t.gamma_ij = beta;
  for (int i = 0; i < t.stages; ++i)
    for (int j = 0; j < i; ++j) t.gamma_ij[i][j] = beta[i][j] - alpha[i][j];
  t.alpha = std::move(alpha);
  t.b = beta.back();
  t.b.push_back(gamma);
  t.b_hat = beta[t.stages - 2];
  t.b_hat.push_back(gamma);
  t.b_hat.push_back(0);
  return t;
}

}  // namespace

const RosenbrockTableau& rodasp_tableau() {
  static const RosenbrockTableau t = from_beta(
      0.25,
      {{},
       {0.75},
       {8.6120400814152190e-2, 0.1238795991858478},
       {0.7749345355073236, 0.1492651549508680, -0.2941996904581916},
       {5.308746682646142, 1.330892140037269, -5.374137811655562, -0.2655010110278497},
       {-1.764437648774483, -0.4747565572063027, 2.369691846915802, 0.6195023590649829, 0.25}},
      {{},
       {0.0},
       {-0.049392, -0.014112},
       {-0.4820494693877561, -0.1008795555555556, 0.9267290249433117},
       {-1.764437648774483, -0.4747565572063027, 2.369691846915802, 0.6195023590649829},
       {-8.0368370789113464e-2, -5.6490613592447572e-2, 0.4882856300427991, 0.5057162114816189,
        -0.1071428571428569}});
  return t;
}

Method rodasp() {
  return {.name = "rodasp",
          .summary = "stiffly accurate Rosenbrock method, 6 stages, little order reduction",
          .source = "Steinebach 1995",
          .order = 4,
          .error_order = 3,
          .needs_jacobian = true,
          .needs_exact_jacobian = true,
          .evaluations = 6,
          .duties = {{Task::stiff}, {Task::reference, {}, 1}},
          .make = [](const OptionValues&) { return make_rosenbrock(rodasp_tableau()); }};
}

}  // namespace kardan
