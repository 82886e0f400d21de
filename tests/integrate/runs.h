#pragma once
/// Shared by the tests of methods and driver: models by file or text, runs, measured orders.

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/formulation/state_space.h"
#include "kardan/integrate/driver.h"
#include "kardan/run/simulate.h"

namespace kardan::test {

/// A model of the models folder, or of a YAML text, at its consistent start. Aborts on faults.
Prepared model_file(const std::string& name, const ParameterValues& overrides = {});
Prepared model_text(std::string_view yaml);

/// The end of a run, and how it was reached.
struct Ended {
  State state;
  DriverReport report;
  int partitions = 0;
};
Ended run(const Prepared& model, const Method& method, double t_end, const DriverOptions& options,
          const Observer& observer = {}, Parametrize choose = partition_coordinates);
/// A run on another formulation than state_space.
std::unique_ptr<ChartProblem> problem_of(const Prepared& model, std::string_view formulation,
                                         const OptionValues& options = {});
Ended run_on(const Prepared& model, const Method& method, std::string_view formulation,
             double t_end, const DriverOptions& options, const OptionValues& of_formulation = {},
             const Observer& observer = {});
/// The methods for ordinary equations, with the driver's own loop; the others have a variable order
/// and bring their own, or another formulation.
std::vector<Method> one_step_methods();

/// `count` equal steps without error control.
Ended run_fixed(const Prepared& model, const Method& method, double t_end, int count,
                Parametrize choose = partition_coordinates);

/// States on a grid of equidistant times (the start and `count` more), from dense output.
std::vector<State> run_grid(const Prepared& model, std::string_view method, double t_end, int count,
                            double tolerance, RunReport* report = nullptr,
                            Parametrize choose = partition_coordinates);

double value(const System& system, const State& state, std::string_view name);

/// Largest |y - reference| of positions, velocities and dynamic variables.
double difference(const State& y, const State& reference);
/// Largest |y - reference| / (1 + |reference|), positions and velocities apart.
struct Reached {
  double position = 0, velocity = 0;
};
Reached reached(const std::vector<State>& y, const std::vector<State>& reference);

/// Errors against step counts, and the order they show.
struct OrderStudy {
  std::vector<int> steps;
  std::vector<double> errors;
  /// Mean of the last two log2 ratios whose errors are above round-off.
  double order() const;
};
std::ostream& operator<<(std::ostream&, const OrderStudy&);
/// Steps are halved from here on. At order 8 three halvings lead from 1e-3 to round-off.
inline int coarsest(const Method& method, int of_order_5, int of_order_4, int of_lower) {
  return method.order >= 8   ? 3
         : method.order >= 5 ? of_order_5
         : method.order >= 4 ? of_order_4
                             : of_lower;
}
/// What a study of so few and so large steps shows of an order: at order 8 only that it is high.
void expect_order(const Method& method, const OrderStudy& study, double below, double above);
OrderStudy measure_order(std::vector<int> steps, const std::function<double(int steps)>& error);

}  // namespace kardan::test
