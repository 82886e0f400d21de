/// Errors of all coordinates, weighed by their tolerances, and the formulations themselves.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/formulation/all_coordinates.h"

namespace kardan {
namespace {

void refuse(std::string_view name, const System& system, Diagnostics& diagnostics) {
  if (system.sizes().multiplier_forces)
    diagnostics.error("formulation.multiplier_forces",
                      fmt::format("'{}' cannot treat forces that depend on multipliers", name));
}

OptionInfo projection_option() {
  return {.name = "projection",
          .fallback = "none",
          .doc = "each_step: put the end of every step back on the constraints",
          .choices = {"none", "each_step"}};
}

AllCoordinatesOptions::Projection projection(const OptionValues& values) {
  return word_option(values, "projection") == "each_step"
             ? AllCoordinatesOptions::Projection::each_step
             : AllCoordinatesOptions::Projection::none;
}

}  // namespace

double AllCoordinates::error_norm(const Local& e, const State& state, const ErrorScale& scale) {
  return error_units_.norm(e, state, state.v, scale);
}

void AllCoordinates::error_weights(const State& state, const ErrorScale& scale, Local& weights) {
  error_units_.units(state, state.v, scale, weights);
  for (Vector* part : {&weights.x, &weights.u, &weights.z})
    for (double& x : *part) x = 1 / x;
}

Formulation all_coordinates() {
  return {
      .name = "all_coordinates",
      .summary = "all coordinates with their constraints, which the method enforces",
      .source = "Welch, Hong, Trapp, Choi 2007",
      .problem = ProblemKind::constrained,
      .options = {projection_option()},
      .refuse = [](const System& system, Diagnostics& d) { refuse("all_coordinates", system, d); },
      .make = [](const System& system,
                 const OptionValues& values) -> std::unique_ptr<ChartProblem> {
        return std::make_unique<AllCoordinates>(
            system, AllCoordinatesOptions{.projection = projection(values),
                                          .singular = AllCoordinatesOptions::Singular::refused});
      }};
}

Formulation baumgarte() {
  return {.name = "baumgarte",
          .summary = "all coordinates, accelerations with feedback of constraint residuals",
          .source = "Baumgarte 1972",
          .problem = ProblemKind::ode,
          .drifts = true,
          .options = {{.name = "alpha",
                       .fallback = "10",
                       .doc = "gain of the velocity residual, 2 alpha [1/s, or 1/step]",
                       .smallest = 0},
                      {.name = "beta",
                       .fallback = "10",
                       .doc = "gain of the position residual, beta^2 [1/s, or 1/step]",
                       .smallest = 0},
                      {.name = "gains",
                       .fallback = "constant",
                       .doc = "per_step: alpha and beta are divided by the step (for fixed ones)",
                       .choices = {"constant", "per_step"}},
                      projection_option()},
          .refuse = [](const System& system, Diagnostics& d) { refuse("baumgarte", system, d); },
          .make = [](const System& system,
                     const OptionValues& values) -> std::unique_ptr<ChartProblem> {
            using Gains = AllCoordinatesOptions::Gains;
            return std::make_unique<AllCoordinates>(
                system, AllCoordinatesOptions{.kind = ProblemKind::ode,
                                              .alpha = number_option(values, "alpha"),
                                              .beta = number_option(values, "beta"),
                                              .gains = word_option(values, "gains") == "constant"
                                                           ? Gains::constant
                                                           : Gains::per_step,
                                              .projection = projection(values)});
          }};
}

Formulation index1_ode() {
  return {.name = "index1_ode",
          .summary = "all coordinates, accelerations without feedback: constraints drift",
          .source = "Haug 1989",
          .problem = ProblemKind::ode,
          .drifts = true,
          .options = {projection_option()},
          .refuse = [](const System& system, Diagnostics& d) { refuse("index1_ode", system, d); },
          .make = [](const System& system,
                     const OptionValues& values) -> std::unique_ptr<ChartProblem> {
            return std::make_unique<AllCoordinates>(
                system,
                AllCoordinatesOptions{.kind = ProblemKind::ode, .projection = projection(values)});
          }};
}

Formulation projected_ode() {
  return {
      .name = "projected_ode",
      .summary = "all coordinates; the end of every step is put back on the constraints",
      .source = "Eich 1993; Hairer, Wanner, Solving Ordinary Differential Equations II, VII.2",
      .problem = ProblemKind::ode,
      .work = {.step = 3},
      .refuse = [](const System& system, Diagnostics& d) { refuse("projected_ode", system, d); },
      .make = [](const System& system, const OptionValues&) -> std::unique_ptr<ChartProblem> {
        return std::make_unique<AllCoordinates>(
            system,
            AllCoordinatesOptions{.kind = ProblemKind::ode,
                                  .projection = AllCoordinatesOptions::Projection::each_step,
                                  .singular = AllCoordinatesOptions::Singular::refused});
      }};
}

}  // namespace kardan
