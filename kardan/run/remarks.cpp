#include "kardan/run/remarks.h"

#include <fmt/format.h>

#include "kardan/formulation/catalog.h"

namespace kardan {

/// Joints that are open by more tolerances than this are worth a word.
constexpr double wide_open = 10;
/// So are errors of fixed steps above this share of what moves.
constexpr double worth_a_word = 0.01;

void add_remarks(const System& system, const Method& method, RunReport& report) {
  for (const std::string& remark : system.remarks()) report.remarks.push_back(remark);
  const bool controlled = report.asked.driver.fixed_step == 0;
  if (method.order == 1 && controlled)
    report.remarks.push_back(
        fmt::format("'{}' has order 1: errors of its steps add up to about the root of the "
                    "tolerance, not to the tolerance (--certify measures them)",
                    report.method));
  if (report.fixed_errors > worth_a_word)
    report.remarks.push_back(
        fmt::format("the estimated errors of its fixed steps add up to {:.2g} of the size of what "
                    "moves: shorter steps, or none, err less",
                    report.fixed_errors));
  if (const double longest = report.driver.growth_passed_over; longest > 0)
    report.remarks.push_back(fmt::format(
        "something grows that fixed steps of {:.3g} s are too long to follow: it may have died out "
        "in them; steps of {:.2g} s follow it",
        report.asked.driver.fixed_step, longest));
  if (system.sizes().e > 0 && !report.formulation_options.contains("invariants"))
    report.remarks.push_back(fmt::format(
        "the invariants are not kept on '{}': 'strangeness_free' does", report.formulation));
  const Formulation* form = find_formulation(report.formulation);
  if (form && form->velocity_index > 1 && !method.tests_algebraic_velocities &&
      system.sizes().constraints() > 0)
    report.remarks.push_back(
        fmt::format("errors of velocities are not tested by '{}' on '{}', where constraints make "
                    "them noisy: those that short blows leave may be wrong by many tolerances; on "
                    "'{}' they are tested",
                    report.method, report.formulation, method.formulation));
  if (const double open = report.residuals.position;
      controlled && method.order > 1 && open > wide_open * report.tolerance)
    report.remarks.push_back(
        fmt::format("positions have drifted on '{}': joints are open by up to {:.1e} of the "
                    "model's size, {:.0f} times the tolerance; results are no better than that",
                    report.formulation, open, open / report.tolerance));
}

}  // namespace kardan
