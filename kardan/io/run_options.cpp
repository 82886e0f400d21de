#include "kardan/io/run_options.h"

namespace kardan {

const std::vector<RunOption>& run_options() {
  using S = SimulateOptions;
  constexpr Check positive = Check::positive;
  static const std::vector<RunOption> all{
      {"t_end",
       "--t-end",
       {.unit = "s", .doc = "end of the run", .check = positive},
       [](S& o) -> double& { return o.t_end; },
       RunOption::Resumed::may_change},
      {"tolerance",
       "--tol",
       {.doc = "relative, and absolute in the model's units", .check = positive},
       [](S& o) -> double& { return o.driver.tolerance; }},
      {"relative",
       "--rtol",
       {.doc = "relative tolerance, where it differs", .check = positive},
       [](S& o) -> double& { return o.relative; }},
      {"absolute",
       "--atol",
       {.doc = "absolute tolerance, where it differs", .check = positive},
       [](S& o) -> double& { return o.absolute; }},
      {"accuracy",
       "--accuracy",
       {.doc = "the estimated global error is held below it", .check = positive},
       [](S& o) -> double& { return o.accuracy; }},
      {"error_estimate",
       "--error-estimate",
       {.doc = "1: the run estimates its global error, for about half its work; 0: it does not",
        .check = Check::non_negative},
       [](S& o) -> double& { return o.error_estimate; }},
      {"every",
       "--every",
       {.unit = "s", .doc = "spacing of the output grid", .check = positive},
       [](S& o) -> double& { return o.every; }},
      {"step",
       "--step",
       {.unit = "s", .doc = "fixed step, without error control", .check = positive},
       [](S& o) -> double& { return o.driver.fixed_step; }},
      {"checkpoint_every",
       "--checkpoint-every",
       {.unit = "s", .doc = "distance of the restart points", .check = positive},
       [](S& o) -> double& { return o.checkpoint_every; }},
  };
  return all;
}

std::vector<std::pair<std::string, double>> run_option_values(const SimulateOptions& options) {
  std::vector<std::pair<std::string, double>> out;
  for (const RunOption& option : run_options())
    if (const double value = option.value(options); value != 0 || option.value({}) != 0)
      out.emplace_back(option.key, value);
  return out;
}

}  // namespace kardan
