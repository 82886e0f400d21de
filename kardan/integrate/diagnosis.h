#pragma once
/// Why a run ended, or could not begin, under one name each, with what it means and what to do.
/// Every error code (IDID) of GEOMS (Steinbrecher 2007, manual) has its place here.

#include <span>
#include <string_view>

namespace kardan {

enum class Diagnosis {
  none,
  error_test,              ///< errors stay above the tolerance, however small the step
  newton_slow,             ///< Newton's method converges too slowly, or not at all
  step_matrix_singular,    ///< the matrix of a step cannot be factored
  accelerations_singular,  ///< mass matrix and constraints do not determine the accelerations
  singular_position,       ///< constraints depend on each other here, which they do not elsewhere
  branch_jump,             ///< the step would end on another branch of the motion
  contradiction,           ///< redundant constraints contradict the others
  not_finite,              ///< a force, a constraint or a derivative is no number
  auxiliary_not_solved,    ///< d = 0, c = 0, or forces that depend on multipliers
  invariants_not_kept,     ///< no point nearby has the value of the invariants
  too_many_steps,
  end_before_start,
  stopped,      ///< by a callback or an event
  interrupted,  ///< from outside: a signal, a limit, a file that cannot be written
  start_contradictory,
  start_not_found,
  start_not_determined,
  options_wrong,
};

struct DiagnosisInfo {
  Diagnosis diagnosis;
  std::string_view name, geoms, meaning, advice;
};

/// All of them but none, in this order.
std::span<const DiagnosisInfo> diagnoses();
/// The name; empty for none.
std::string_view to_string(Diagnosis);
std::string_view advice_for(Diagnosis);

}  // namespace kardan
