#include "kardan/integrate/diagnosis.h"

namespace kardan {
namespace {

constexpr DiagnosisInfo table[] = {
    {Diagnosis::error_test, "error_test", "-1118",
     "the estimated error stays above the tolerance, however small the step",
     "look for a jump in a force or a time function, and give it as an event; or loosen the "
     "tolerance"},
    {Diagnosis::newton_slow, "newton_slow", "-1115, -1116",
     "Newton's method does not converge, however small the step",
     "look for forces that jump; give exact derivatives; allow more newton_iterations"},
    {Diagnosis::step_matrix_singular, "step_matrix_singular", "-1114, -1128, -1129, -18xx, -2004",
     "the differential part of a step's matrix cannot be factored",
     "look for a variable that no equation determines, or take differential=qr"},
    {Diagnosis::accelerations_singular, "accelerations_singular", "-1111, -1401, -2601",
     "mass matrix and constraints do not determine the accelerations, or d does not determine w",
     "give every body a mass, or a constraint where it has none; see that d can be solved for w"},
    {Diagnosis::singular_position, "singular_position", "-2401, -2402, -2403",
     "constraints depend on each other here, which they do not elsewhere",
     "start beside the position, loosen the tolerance so that steps pass over it, or remove the "
     "constraint that is named"},
    {Diagnosis::branch_jump, "branch_jump", "-",
     "at a singular position the step would end on another branch of the motion",
     "take smaller steps (largest_step), or move the mechanism off the position"},
    {Diagnosis::contradiction, "contradiction", "-1112, -1113, -1402, -1403, -2602, -2603",
     "a redundant constraint contradicts the others", "remove or correct the constraint named"},
    {Diagnosis::not_finite, "not_finite", "-1102, -1103, -1104, -1201",
     "a force, a constraint or a derivative is no number",
     "look for divisions by zero, roots of negative numbers and ends of tables"},
    {Diagnosis::auxiliary_not_solved, "auxiliary_not_solved", "-1403",
     "auxiliary or contact variables were not found",
     "give starts nearer to the solution, or look for where it ends to exist"},
    {Diagnosis::invariants_not_kept, "invariants_not_kept", "-1402",
     "no point nearby has the value of the invariants",
     "check the invariants; invariants=free leaves them to themselves"},
    {Diagnosis::too_many_steps, "too_many_steps", "-1117", "max_steps were taken",
     "raise max_steps, or ask for less accuracy"},
    {Diagnosis::end_before_start, "end_before_start", "-1106", "the end lies before the start",
     "give a later end"},
    {Diagnosis::stopped, "stopped", "-1101", "a callback or an event ended the run", ""},
    {Diagnosis::interrupted, "interrupted", "-",
     "a signal, the wall-clock limit or a result file that cannot be written ended the run",
     "remove the cause and go on from the checkpoint, if there is one"},
    {Diagnosis::start_contradictory, "start_contradictory", "-1105, -2104",
     "constraints and conditions of the start contradict each other", "remove one of those named"},
    {Diagnosis::start_not_found, "start_not_found", "-2101, -2102, -2103, -2105",
     "no consistent start was found from the values given", "give starts nearer to one"},
    {Diagnosis::start_not_determined, "start_not_determined", "-2106",
     "conditions leave coordinates free: the nearest consistent start is taken",
     "give a condition for each coordinate named as free, if another start is wanted"},
    {Diagnosis::options_wrong, "options_wrong", "-1001, -1002",
     "an option or a tolerance cannot be what it is", "see the message"},
};

}  // namespace

std::span<const DiagnosisInfo> diagnoses() {
  return table;
}

std::string_view to_string(Diagnosis d) {
  for (const DiagnosisInfo& info : table)
    if (info.diagnosis == d) return info.name;
  return "";
}

std::string_view advice_for(Diagnosis d) {
  for (const DiagnosisInfo& info : table)
    if (info.diagnosis == d) return info.advice;
  return "";
}

}  // namespace kardan
