#pragma once
/// A study as it was read and checked: everything that a run of it depends on, besides its number.

#include <memory>
#include <string>
#include <vector>

#include "kardan/model/blueprint.h"
#include "kardan/model/model.h"
#include "kardan/run/prepare.h"
#include "kardan/run/simulate_options.h"
#include "kardan/study/design.h"
#include "kardan/study/distribution.h"
#include "kardan/study/kept.h"

namespace kardan {

/// Parameters that vary together, normally distributed: mean + factor z with factor factor' the
/// covariance, for independent standard normal z.
struct CorrelatedGroup {
  std::size_t first = 0;  ///< of its columns
  std::vector<double> mean;
  std::vector<std::vector<double>> factor;  ///< lower triangle, by row
};

/// A number that is kept of every run.
struct KeptValue {
  std::string name, text;
  const KeptFunction* function = nullptr;  ///< null: a formula of values kept before and parameters
  Expression expression;
  std::string event;  ///< of functions at an event
};

/// What shall hold: over kept values and parameters.
struct Requirement {
  std::string text;
  Expression expression;
};

struct StudyPlan {
  std::string title;
  std::string text, model_text;  ///< the study and its complete model, as YAML
  Model model;
  ParameterValues set;  ///< for all runs
  /// The model with `set`, resolved once for all runs.
  std::shared_ptr<const ModelSeries> series;
  std::vector<std::string> parameters;  ///< that vary, by column
  /// By column; null in a correlated group and where a table gives the values.
  std::vector<std::unique_ptr<Distribution>> distributions;
  std::vector<CorrelatedGroup> correlated;
  std::unique_ptr<Design> design;
  std::vector<KeptValue> kept;
  std::vector<Requirement> requirements;
  std::vector<double> quantiles;  ///< shares of (0, 1)
  bool certify = false;           ///< the error of every run is measured
  SimulateOptions options;        ///< `every`: spacing of the rows that kept functions see

  /// The parameters of a run: of the plan and the number alone.
  void sample(std::uint64_t run, std::span<double> out) const;
};

/// The lower triangle of a symmetric matrix; the index of the first row that makes it not positive
/// definite otherwise, with what is left of its variance.
struct NotPositive {
  std::size_t row = 0;
  double left = 0;
};
[[nodiscard]] Expected<std::vector<std::vector<double>>, NotPositive> cholesky(
    const std::vector<std::vector<double>>& matrix);

}  // namespace kardan
