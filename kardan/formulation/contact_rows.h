#pragma once
/// The stops and frictions of a system as rows of one problem of contact forces: what accelerations
/// or velocities they have, and how forces along their gradients change them under all constraints,
///
///   M a + G' lambda = f + E' phi,  G a = gamma      x = E a - gamma_E = b + W phi
///   M dv + G' Lambda = E' Phi,     G dv = 0         u = E v + e_t     = b + W Phi

#include "kardan/formulation/contact_forces.h"
#include "kardan/linalg/motion/saddle.h"
#include "kardan/system/system.h"

namespace kardan {

class ContactRows {
 public:
  /// `all` is `system` with all its impulses held and all its frictions stuck. Both must outlive
  /// this.
  ContactRows(const System& system, const System& all);

  /// Values and rates of all rows; recoverable where they cannot be evaluated.
  Eval look(const State& state);
  int stops() const { return stops_; }
  int count() const { return stops_ + frictions_; }
  /// As a length or angle, and a rate, of size one.
  double scaled_value(int stop) const;
  double scaled_rate(int i) const;
  double rate(int i) const { return ws_->rate[row(i)]; }

  /// W, b, units and the loads of joints at a state that was looked at.
  enum class Level { velocity, acceleration };
  Eval fill(const State& state, Level level, ContactProblem& problem);
  /// Why the force of a joint that loads a friction is not known from its multipliers: they are not
  /// unique, or not forces along axes of right angles. Empty: all are. At a state for which fill was
  /// called.
  std::string unknown_load();
  /// v += the answer to impulses.
  void apply(const Vector& impulse, Vector& v) const;

 private:
  /// Place of row i (stops, then frictions) among the constraint rows of `all`.
  int row(int i) const;
  void load_row(int i, Vector& gradient) const;
  std::vector<int> force_rows(int joint) const;
  bool unique(int row);
  bool are_axes(const std::vector<int>& rows) const;

  const System& system_;
  const System& all_;
  int stops_, frictions_;
  std::unique_ptr<Workspace> ws_, own_;  // of all_, of system_
  Saddle saddle_;
  std::vector<Vector> answer_;  // of accelerations or velocities to unit forces
  Vector a_, lambda_, gradient_, b_;
};

}  // namespace kardan
