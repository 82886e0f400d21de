/// S. W. J. Welch and others (2007): figures 1 to 7 and the analysis of stability.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "apps/pictures/svg_plot.h"
#include "apps/reproduce/welch2007.h"
#include "kardan/io/output_file.h"
#include "kardan/linalg/dense_lu.h"
#include "kardan/linalg/eigenvalues.h"

namespace kardan::reproduce {
namespace {

struct Example {
  const char* model;
  const char* title;
  double step, quick_step;  // [s]
  std::vector<WelchMethod> methods;
};

Example slider_crank() {
  return {"slider_crank_welch.yaml",
          "slider-crank",
          0.01,
          0.01,
          {welch_second_order(), baumgarte_heun("1", "1")}};
}
Example three_link() {
  return {"three_link.yaml",
          "three-link pendulum",
          2.5e-5,
          2.5e-4,
          {welch_second_order(), welch_as_printed(), baumgarte_heun("0.5", "1")}};
}

constexpr double figure_end = 10;      // [s]
constexpr int points_of_curve = 1000;  // of a curve

void tell_range(const PlotSeries& s) {
  fmt::print("  {:<34}{:>12.4g} to {:<12.4g}\n", s.name, *std::min_element(s.y.begin(), s.y.end()),
             *std::max_element(s.y.begin(), s.y.end()));
}

/// A curve for every method: one number a state. `means` has its mean for every method.
int against_time(const Options& options, const Example& example, const char* label,
                 double WelchStep::*what, std::vector<double>& means) {
  const Prepared model = paper_model(example.model, {});
  if (!model.system) return bad_input;
  const double step = options.quick ? example.quick_step : example.step;
  Plot plot{.title = fmt::format("{}, dt = {:g} s", example.title, step),
            .x = {.label = "t [s]"},
            .y = {.label = label, .scale = AxisScale::logarithmic},
            .series = {}};
  const long stride = std::max(1L, std::lround(figure_end / step / points_of_curve));
  fmt::print("{}, {}, dt = {:g} s\n\n  {:<18}{:>12}{:>12}\n", example.title, label, step, "",
             "mean", "largest");
  for (const WelchMethod& method : example.methods) {
    PlotSeries curve{.name = method.title, .x = {}, .y = {}};
    double sum = 0, largest = 0;
    long count = 0;
    WelchEnd end;
    if (!welch_run(model, method, step, figure_end, end, [&](const WelchStep& s) {
          sum += s.*what;
          largest = std::max(largest, s.*what);
          if (count++ % stride != 0) return;
          curve.x.push_back(s.state->t);
          curve.y.push_back(s.*what);
        }))
      return failed;
    means.push_back(sum / static_cast<double>(count));
    fmt::print("  {:<18}{:>12.3e}{:>12.3e}\n", method.title, means.back(), largest);
    plot.series.push_back(std::move(curve));
  }
  write_file(plot_file(options), to_svg(plot));
  fmt::print("\nwritten to {}\n", plot_file(options));
  return finished;
}

struct Shown {
  const char* quantity;
  int plot;
};

/// The largest difference of two curves over what their plot shows.
double apart_in_plot(const std::vector<Plot>& plots) {
  double worst = 0;
  for (const Plot& plot : plots) {
    double low = INFINITY, high = -INFINITY, apart = 0;
    const std::size_t half = plot.series.size() / 2;  // of the first method
    for (std::size_t i = 0; i < half; ++i)
      for (std::size_t k = 0; k < plot.series[i].y.size(); ++k) {
        const double y = plot.series[i].y[k];
        low = std::min(low, y);
        high = std::max(high, y);
        apart = std::max(apart, std::abs(y - plot.series[half + i].y[k]));
      }
    worst = std::max(worst, apart / (high - low));
  }
  return worst;
}

/// Quantities of the motion, in several plots side by side; the first method and Baumgarte's.
int motion(const Options& options, Checks& checks, const Example& example,
           const std::vector<Shown>& quantities, const std::vector<const char*>& labels) {
  const Prepared model = paper_model(example.model, {});
  if (!model.system) return bad_input;
  const double step = options.quick ? example.quick_step : example.step;
  std::vector<Plot> plots;
  plots.reserve(labels.size());
  for (const char* label : labels)
    plots.push_back({.title = fmt::format("{}, dt = {:g} s", example.title, step),
                     .x = {.label = "t [s]"},
                     .y = {.label = label},
                     .series = {},
                     .width = 560});
  const long stride = std::max(1L, std::lround(figure_end / step / points_of_curve));
  const auto ws = model.system->make_workspace();
  double apart = 0;
  std::vector<std::vector<double>> first;
  for (const WelchMethod& method : {example.methods.front(), example.methods.back()}) {
    std::vector<PlotSeries> curves;
    curves.reserve(quantities.size());
    for (const Shown& q : quantities)
      curves.push_back({.name = fmt::format("{}, {}", q.quantity, method.title), .x = {}, .y = {}});
    long count = 0;
    WelchEnd end;
    if (!welch_run(model, method, step, figure_end, end, [&](const WelchStep& s) {
          if (count++ % stride != 0) return;
          for (std::size_t i = 0; i < curves.size(); ++i) {
            const auto q = model.system->find_quantity(quantities[i].quantity);
            curves[i].x.push_back(s.state->t);
            curves[i].y.push_back(model.system->quantity(*q, *s.state, 0, {}, {}, *ws));
          }
        }))
      return failed;
    for (std::size_t i = 0; i < curves.size(); ++i) {
      if (first.size() == curves.size())
        for (std::size_t k = 0; k < curves[i].y.size(); ++k)
          apart = std::max(apart, std::abs(curves[i].y[k] - first[i][k]));
      else
        first.push_back(curves[i].y);
      tell_range(curves[i]);
      plots[quantities[i].plot].series.push_back(curves[i]);
    }
  }
  // The paper: both methods have converged, to within plotting accuracy.
  constexpr double plotting_accuracy = 0.01;
  checks.at_most("largest difference between the methods over what its plot shows",
                 apart_in_plot(plots), plotting_accuracy);
  write_file(plot_file(options), to_svg(plots));
  fmt::print("\nlargest difference between the methods {:.2e}\nwritten to {}\n", apart,
             plot_file(options));
  return finished;
}

// Stability: q'' = -P (beta^2 q + 2 alpha q') with the projection P (there Gamma) = M^-1 B' A^-1 B
// of the double pendulum hanging down, Eq. (68).

Matrix projection() {
  constexpr double L = 5, m = 1, J = m * L * L / 12;
  const double rows[4][6] = {{1, 0, -L / 2, 0, 0, 0},
                             {0, 1, 0, 0, 0, 0},
                             {-1, 0, -L / 2, 1, 0, -L / 2},
                             {0, -1, 0, 0, 1, 0}};
  const double mass[6] = {m, m, J, m, m, J};
  Matrix B(4, 6), A, weighted(6, 4), P;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 6; ++j) {
      B(i, j) = rows[i][j];
      weighted(j, i) = rows[i][j] / mass[j];
    }
  multiply(B, weighted, A);
  DenseLu lu;
  if (lu.factor(A) != Eval::ok) return {};
  Matrix X = B;
  lu.solve(X);
  multiply(weighted, X, P);
  return P;
}

/// [top left, top right; bottom left, bottom right], each a I + b P.
Matrix amplification(const Matrix& P, const double (&a)[4], const double (&b)[4]) {
  const int n = P.rows();
  Matrix X(2 * n, 2 * n);
  for (int k = 0; k < 4; ++k)
    for (int i = 0; i < n; ++i)
      for (int j = 0; j < n; ++j)
        X(i + n * (k / 2), j + n * (k % 2)) = (i == j ? a[k] : 0.0) + b[k] * P(i, j);
  return X;
}

Matrix parameter_free(const Matrix& P, double h) {
  return amplification(P, {1, h, 0, 1}, {-1, -h, -2 / h, -2});
}
/// q' := q' - h P (beta^2 q + 2 alpha q'), then q := q + h q'.
Matrix first_order(const Matrix& P, double h, double a, double b) {
  return amplification(P, {1, h, 0, 1}, {-b * b, -2 * a * h, -b * b / h, -2 * a});
}
/// Heun: I + h F + (h F)^2/2.
Matrix heun(const Matrix& P, double h, double a, double b) {
  const Matrix F = amplification(P, {0, h, 0, 0}, {0, 0, -b * b / h, -2 * a});
  Matrix X;
  multiply(F, F, X);
  for (int i = 0; i < X.rows(); ++i)
    for (int j = 0; j < X.cols(); ++j) X(i, j) = (i == j ? 1.0 : 0.0) + F(i, j) + 0.5 * X(i, j);
  return X;
}

/// Largest |eigenvalue|; `free` eigenvalues 1 belong to the motion the constraints leave free (two
/// for each of its directions, which are no error: set them aside).
struct Radius {
  double whole = 0, constraints = 0;
};
Radius radius(const Matrix& X, int free) {
  EigenSystem found;
  if (find_eigenvalues(X, EigenOutput::values, found) != Eval::ok) return {};
  Radius r;
  std::sort(found.values.begin(), found.values.end(),
            [](auto a, auto b) { return std::abs(a - 1.0) < std::abs(b - 1.0); });
  for (std::size_t i = 0; i < found.values.size(); ++i) {
    r.whole = std::max(r.whole, std::abs(found.values[i]));
    if (static_cast<int>(i) >= free)
      r.constraints = std::max(r.constraints, std::abs(found.values[i]));
  }
  return r;
}

}  // namespace

int welch_stability(const Options&, Checks& checks) {
  const Matrix P = projection();
  constexpr int free = 4;  // two directions, each with position and velocity
  fmt::print(
      "Stability of the constraints' errors, double pendulum hanging down, L = 5, m = 1\n\n"
      "parameter-free scheme, Eq. (61)\n  {:>8}{:>16}{:>20}\n",
      "dt [s]", "radius", "of the constraints");
  double largest = 0;
  for (double h : {1e-3, 0.01, 0.0664, 0.1, 1.0, 10.0}) {
    const Radius r = radius(parameter_free(P, h), free);
    largest = std::max(largest, r.whole);
    fmt::print("  {:>8g}{:>16.6f}{:>20.6f}\n", h, r.whole, r.constraints);
  }
  const double values[] = {0.25, 0.5, 0.75, 1, 1.25, 1.5, 2};
  for (const auto& [name, matrix] :
       {std::pair("Baumgarte, first order (semi-implicit Euler)", &first_order),
        std::pair("Baumgarte, Heun", &heun)}) {
    fmt::print("\n{}: radius of the constraints' part, the same for every dt\n  {:>16}", name,
               "alpha dt = ");
    for (double a : values) fmt::print("{:>8g}", a);
    fmt::print("\n");
    for (double b : values) {
      fmt::print("  beta dt = {:>4g}  ", b);
      for (double a : values) {
        const double r = radius(matrix(P, 0.01, a, b), free).constraints;
        fmt::print("{:>7.3f}{}", r, r > 1 + 1e-6 ? "*" : " ");
      }
      fmt::print("\n");
    }
  }
  fmt::print(
      "\n*: unstable. The printed limit dt <= 0.0664 s for alpha = beta = 1/dt cannot be found: "
      "with gains\nover dt no radius depends on dt (Heun at (1, 1): {:.6f} at dt = 0.01, {:.6f} at "
      "0.1).\n",
      radius(heun(P, 0.01, 1, 1), free).constraints, radius(heun(P, 0.1, 1, 1), free).constraints);
  checks.at_most("parameter-free, largest radius at any step", largest, 1 + 1e-6);
  checks.at_least("Heun at (1, 1), radius beyond the printed limit, at 0.1 s",
                  radius(heun(P, 0.1, 1, 1), free).constraints, 1);
  return finished;
}

int welch_fig1(const Options& options, Checks& checks) {
  return motion(options, checks, slider_crank(),
                {{"crank.angle", 0}, {"rod.angle", 0}, {"rod.x", 1}, {"rod.y", 1}},
                {"theta, phi [rad]", "x, y [m]"});
}
int welch_fig2(const Options& options, Checks& checks) {
  std::vector<double> mean;
  const int code = against_time(options, slider_crank(), "|Phi|", &WelchStep::residual, mean);
  if (code == finished)
    checks.equal("mean of Baumgarte's over ours", mean[1] / mean[0], 3.78, 0.05);
  return code;
}
int welch_fig3(const Options& options, Checks& checks) {
  std::vector<double> mean;
  const int code =
      against_time(options, slider_crank(), "|E - E0|/|E0|", &WelchStep::energy_change, mean);
  if (code == finished) checks.at_least("mean of Baumgarte's over ours", mean[1] / mean[0], 1);
  return code;
}
int welch_fig4(const Options& options, Checks& checks) {
  return motion(options, checks, three_link(),
                {{"link_1.x", 0},
                 {"link_1.y", 0},
                 {"link_1.z", 0},
                 {"link_2.x", 1},
                 {"link_2.y", 1},
                 {"link_2.z", 1},
                 {"link_3.x", 2},
                 {"link_3.y", 2},
                 {"link_3.z", 2}},
                {"link 1 [m]", "link 2 [m]", "link 3 [m]"});
}
int welch_fig5(const Options& options, Checks& checks) {
  return motion(options, checks, three_link(),
                {{"link_1.wx", 0},
                 {"link_1.wy", 0},
                 {"link_1.wz", 0},
                 {"link_2.wx", 1},
                 {"link_2.wy", 1},
                 {"link_2.wz", 1},
                 {"link_3.wx", 2},
                 {"link_3.wy", 2},
                 {"link_3.wz", 2}},
                {"link 1 [rad/s]", "link 2 [rad/s]", "link 3 [rad/s]"});
}
int welch_fig6(const Options& options, Checks& checks) {
  std::vector<double> mean;
  const int code = against_time(options, three_link(), "|Phi|", &WelchStep::residual, mean);
  if (code == finished)
    checks.equal("orders of magnitude of Baumgarte's mean over ours", std::log10(mean[2] / mean[0]),
                 4, 0.25);
  return code;
}
int welch_fig7(const Options& options, Checks& checks) {
  std::vector<double> mean;
  const int code =
      against_time(options, three_link(), "|E - E0|/|E0|", &WelchStep::energy_change, mean);
  if (code == finished) checks.smaller("mean of ours over Baumgarte's", mean[0] / mean[2], 1e4);
  return code;
}

}  // namespace kardan::reproduce
