#pragma once
/// Studies from YAML files. All faults of a file are reported in one pass, each where it stands.
///
///   kardan_study: 1
///   model: vehicle.yaml                       # a path from the folder of the study
///   set: {speed: 5}                           # parameters with another value in all runs
///   vary: {mass: {type: normal, mean: 2, deviation: 0.1}}
///   correlated: {tyres: {parameters: [a, b], mean: [1, 1], covariance: [[1, 0.5], [0.5, 1]]}}
///   design: {type: sobol, runs: 1024}
///   simulate: {t_end: 2, tolerance: 1e-4}     # over that of the model
///   every: 0.01                               # [s] rows for functions that need equal distances
///   keep: {worst: max(abs(chassis.az)), when: time_of(lift_off), ratio: worst/9.81}
///   require: [worst < 12]
///   quantiles: [0.05, 0.5, 0.95]

#include <optional>
#include <string>

#include "kardan/study/plan.h"

namespace kardan {

/// Nothing after reporting at least one error. `model_text`: the model, in the place of the file
/// that the study names.
[[nodiscard]] std::optional<StudyPlan> read_study_text(const std::string& text,
                                                       const std::string& file,
                                                       const std::optional<std::string>& model_text,
                                                       Diagnostics& diagnostics);
[[nodiscard]] std::optional<StudyPlan> read_study(const std::string& path,
                                                  Diagnostics& diagnostics);

/// The keys of a study with their meaning, for listings.
[[nodiscard]] const std::vector<std::pair<std::string, std::string>>& study_keys();

}  // namespace kardan
