#include "integrate/runs.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ostream>

#include "kardan/formulation/catalog.h"
#include "kardan/io/model_reader.h"
#include "support/places.h"

namespace kardan::test {
namespace {

Prepared prepared(const std::optional<Model>& model, const ParameterValues& overrides,
                  Diagnostics& diagnostics) {
  Prepared p;
  if (model) p = prepare(*model, overrides, diagnostics);
  if (diagnostics.has_errors() || !p.system || p.start.report.status != Eval::ok) {
    fmt::print(stderr, "{}\n{}\n", format(diagnostics), p.start.report.message);
    std::abort();
  }
  return p;
}

}  // namespace

Prepared model_file(const std::string& name, const ParameterValues& overrides) {
  Diagnostics diagnostics;
  const auto model = read_model_file(models_folder() + "/" + name, overrides, diagnostics);
  return prepared(model, overrides, diagnostics);
}

Prepared model_text(std::string_view yaml) {
  Diagnostics diagnostics;
  const auto model = read_model_text(yaml, "test.yaml", {}, diagnostics);
  return prepared(model, {}, diagnostics);
}

Ended run(const Prepared& model, const Method& method, double t_end, const DriverOptions& options,
          const Observer& observer, Parametrize choose) {
  StateSpace problem(*model.system, choose);
  Ended end;
  end.state = model.start.state;
  end.report = integrate(problem, method, end.state, t_end, options, observer);
  end.partitions = problem.partitions();
  return end;
}

std::unique_ptr<ChartProblem> problem_of(const Prepared& model, std::string_view formulation,
                                         const OptionValues& options) {
  const Formulation& f = *find_formulation(formulation);
  return f.make(*model.system, complete_options(f.options, options));
}

Ended run_on(const Prepared& model, const Method& method, std::string_view formulation,
             double t_end, const DriverOptions& options, const OptionValues& of_formulation,
             const Observer& observer) {
  const auto problem = problem_of(model, formulation, of_formulation);
  Ended end;
  end.state = model.start.state;
  end.report = integrate(*problem, method, end.state, t_end, options, observer);
  end.partitions = problem->partitions();
  return end;
}

std::vector<Method> one_step_methods() {
  std::vector<Method> out;
  for (const Method& m : methods())
    if (!m.integrate && (m.formulation == "state_space" || m.formulation == "projected_ode"))
      out.push_back(m);
  return out;
}

Ended run_fixed(const Prepared& model, const Method& method, double t_end, int count,
                Parametrize choose) {
  DriverOptions options;
  options.fixed_step = t_end / count;
  options.tolerance = 1e-12;  // how far iterations of implicit methods go
  return run(model, method, t_end, options, {}, choose);
}

std::vector<State> run_grid(const Prepared& model, std::string_view method, double t_end, int count,
                            double tolerance, RunReport* report, Parametrize choose) {
  std::vector<State> grid{model.start.state};
  const double every = t_end / count;
  DriverOptions options;
  options.tolerance = tolerance;
  ChartPoint point;
  const Observer observer = [&](const StepView& step) {
    while (static_cast<int>(grid.size()) < count &&
           static_cast<double>(grid.size()) * every <= step.t) {
      const double t = static_cast<double>(grid.size()) * every;
      step.dense->at((t - (step.t - step.h)) / step.h, point);
      State s;
      if (step.problem->state_at(point, ChartProblem::Consistency::projected, s) != Eval::ok)
        return std::string("projection failed");
      grid.push_back(std::move(s));
    }
    return std::string();
  };
  const Ended end = run(model, *find_method(method), t_end, options, observer, choose);
  grid.push_back(end.state);
  if (report) {
    report->driver = end.report;
    report->partitions = end.partitions;
  }
  return grid;
}

double value(const System& system, const State& state, std::string_view name) {
  const auto quantity = system.find_quantity(name);
  if (!quantity) {
    fmt::print(stderr, "no quantity '{}'\n", name);
    std::abort();
  }
  return system.quantity(*quantity, state, 0, {}, {}, *system.make_workspace());
}

double difference(const State& y, const State& reference) {
  double largest = 0;
  auto compare = [&](const std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < b.size(); ++i) largest = std::max(largest, std::abs(a[i] - b[i]));
  };
  compare(y.p, reference.p);
  compare(y.v, reference.v);
  compare(y.r, reference.r);
  return largest;
}

Reached reached(const std::vector<State>& y, const std::vector<State>& reference) {
  Reached r;
  auto worst = [](const std::vector<double>& a, const std::vector<double>& b, double& out) {
    for (std::size_t i = 0; i < b.size(); ++i)
      out = std::max(out, std::abs(a[i] - b[i]) / (1 + std::abs(b[i])));
  };
  if (y.size() != reference.size()) std::abort();
  for (std::size_t k = 0; k < y.size(); ++k) {
    worst(y[k].p, reference[k].p, r.position);
    worst(y[k].v, reference[k].v, r.velocity);
  }
  return r;
}

double OrderStudy::order() const {
  // Below this the ratio of errors tells about rounding, not about the method.
  constexpr double round_off = 2e-12;
  double sum = 0;
  int count = 0;
  for (std::size_t i = errors.size() - 1; i > 0 && count < 2; --i) {
    if (errors[i] < round_off) continue;
    sum += std::log2(errors[i - 1] / errors[i]) /
           std::log2(static_cast<double>(steps[i]) / steps[i - 1]);
    ++count;
  }
  return count > 0 ? sum / count : std::nan("");
}

std::ostream& operator<<(std::ostream& out, const OrderStudy& s) {
  for (std::size_t i = 0; i < s.errors.size(); ++i)
    out << fmt::format(
        "\n  {:6d} steps  error {:.3e}  {}", s.steps[i], s.errors[i],
        i == 0 ? std::string()
               : fmt::format("order {:.2f}", std::log2(s.errors[i - 1] / s.errors[i]) /
                                                 std::log2(1.0 * s.steps[i] / s.steps[i - 1])));
  return out;
}

void expect_order(const Method& method, const OrderStudy& study, double below, double above) {
  if (method.order >= 8) {
    // Often the second error is at round-off already.
    const double first = std::log2(study.errors[0] / study.errors[1]);
    EXPECT_GE(std::isnan(study.order()) ? first : study.order(), 6.5) << method.name << study;
    return;
  }
  EXPECT_GE(study.order(), method.order - below) << method.name << study;
  EXPECT_LE(study.order(), method.order + above) << method.name << study;
}

OrderStudy measure_order(std::vector<int> steps, const std::function<double(int)>& error) {
  OrderStudy s{std::move(steps), {}};
  for (int n : s.steps) s.errors.push_back(error(n));
  return s;
}

}  // namespace kardan::test
