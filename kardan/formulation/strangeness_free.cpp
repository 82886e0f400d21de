/// The formulations in all coordinates: which equations each of them keeps (descriptor.h).

#include "kardan/formulation/descriptor.h"

namespace kardan {
namespace {

/// Whether the invariants of the equations are kept after a step.
OptionInfo invariants_option() {
  return {"invariants",
          "kept",
          "of the equations: kept by a projection after each step, or left to themselves",
          {"kept", "free"}};
}

/// How what does not depend on the step is factored, and what does.
OptionInfo algebraic_option() {
  return {
      "algebraic",
      "automatic",
      "constraints by QR with pivoting (automatic: of small models), by LU, which hands over to "
      "QR where the rank is in doubt (automatic: of large ones), or by singular values",
      {"automatic", "lu", "qr", "svd"}};
}
OptionInfo differential_option() {
  return {"differential", "lu", "decomposition of the rest of a step's matrix", {"lu", "qr"}};
}
OptionInfo selectors_option() {
  return {"selectors",
          "orthonormal",
          "combinations of the differential equations that count: along the free directions, or "
          "single rows chosen by pivoting",
          {"orthonormal", "unit_rows"}};
}

void take_options(const OptionValues& options, DescriptorForm& form) {
  const std::string algebraic = word_option(options, "algebraic");
  form.algebraic = algebraic == "lu"    ? RowDecomposition::lu
                   : algebraic == "qr"  ? RowDecomposition::qr
                   : algebraic == "svd" ? RowDecomposition::svd
                                        : RowDecomposition::automatic;
  form.differential =
      word_option(options, "differential") == "qr" ? StepDecomposition::qr : StepDecomposition::lu;
  form.selectors = word_option(options, "selectors") == "unit_rows" ? Selectors::unit_rows
                                                                    : Selectors::orthonormal;
}

Formulation make_formulation(std::string_view name, std::string_view summary,
                             std::string_view source, const DescriptorForm& form) {
  Formulation f{.name = name, .summary = summary, .source = source, .problem = ProblemKind::dae};
  f.drifts = !form.position && !form.project;
  f.velocity_index = form.velocity_index;
  // All coordinates with their constraints; Jacobians are of both.
  f.work = {.evaluation = 1.2, .jacobian = 15};
  if (form.invariants) f.options.push_back(invariants_option());
  if (form.select_dynamics)
    f.options.insert(f.options.end(),
                     {algebraic_option(), differential_option(), selectors_option()});
  f.make = [form](const System& system,
                  const OptionValues& options) -> std::unique_ptr<ChartProblem> {
    DescriptorForm chosen = form;
    if (form.invariants) chosen.invariants = word_option(options, "invariants") == "kept";
    if (form.select_dynamics) take_options(options, chosen);
    return std::make_unique<Descriptor>(system, chosen);
  };
  return f;
}

}  // namespace

Formulation strangeness_free() {
  return make_formulation("strangeness_free",
                          "all levels of the constraints, and of the differential equations what "
                          "these leave free",
                          "Kunkel, Mehrmann 2006; Steinbrecher 2007",
                          {.position = true,
                           .velocity = true,
                           .acceleration = true,
                           .select_kinematics = true,
                           .select_dynamics = true,
                           .project = true,
                           .invariants = true});
}

Formulation strangeness_free_2() {
  return make_formulation("strangeness_free_2",
                          "the same without the acceleration level: index 2 in the multipliers",
                          "Steinbrecher 2007",
                          {.position = true,
                           .velocity = true,
                           .select_kinematics = true,
                           .project = true,
                           .invariants = true});
}

Formulation ggl() {
  return make_formulation(
      "ggl", "positions and velocities constrained, with multipliers for both: index 2",
      "Gear, Gupta, Leimkuhler 1985", {.position = true, .velocity = true, .ggl = true});
}

Formulation index_1() {
  return make_formulation("index_1", "accelerations constrained: positions drift quadratically",
                          "Hairer, Wanner, Solving Ordinary Differential Equations II, VII.1",
                          {.acceleration = true});
}

Formulation index_1_projected() {
  return make_formulation("index_1_projected",
                          "accelerations constrained; positions and velocities are projected after "
                          "every step",
                          "Hairer, Wanner, Solving Ordinary Differential Equations II, VII.2",
                          {.acceleration = true, .project = true});
}

Formulation index_2() {
  return make_formulation("index_2", "velocities constrained: positions drift linearly",
                          "Hairer, Wanner, Solving Ordinary Differential Equations II, VII.1",
                          {.velocity = true});
}

Formulation index_3() {
  return make_formulation("index_3", "positions constrained, as the equations are written",
                          "Hairer, Wanner, Solving Ordinary Differential Equations II, VII.1",
                          {.position = true, .velocity_index = 2});
}

}  // namespace kardan
