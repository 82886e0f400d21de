#pragma once
/// General equations with names for everything: of a compiled model with its bodies, joints and
/// forces, or written by a user. There every coordinate counts as a body of its own.
///
/// A system is its names, its equations, and what can be held at rest. It may have several variants
/// of its equations, for the values of parameters that events set: the last mode of a state then
/// names those that hold, so that a state holds everything. All variants have the same layout, and at()
/// is the one place that picks one.

#include <optional>

#include "kardan/base/diagnostics.h"
#include "kardan/system/names.h"

namespace kardan {

class System;

/// Which variant follows after an event: next[variant][event]. Empty: there is but one.
using Successors = std::vector<std::vector<int>>;

/// Events of `when`, known as formulas, that can be held at zero.
class Holds {
 public:
  /// One entry a variant.
  Holds(std::vector<Names> variants, Successors next)
      : variants_(std::move(variants)), next_(std::move(next)) {}

  /// The same system with these events (indices in Blueprint::events) held: their constraints, in
  /// this order, follow the other holonomic ones. So do those of the frictions that stick (indices
  /// in Blueprint::frictions, ascending) behind all others. Null where it cannot be compiled.
  std::unique_ptr<System> hold(const std::vector<int>& events,
                               const std::vector<int>& stuck = {}) const;
  const std::vector<Names>& variants() const { return variants_; }

 private:
  std::vector<Names> variants_;
  Successors next_;
};

class System final : public Names {
 public:
  System(Names names, std::unique_ptr<const Equations> equations);
  /// Variants of one model, which have the same layout; the first holds at the start.
  System(std::vector<std::unique_ptr<System>> variants, Successors next);

  /// Whether the last mode of a state says which variant holds.
  bool varies() const { return !next_.empty(); }
  int variants() const { return static_cast<int>(equations_.size()); }
  const Equations& at(const State& s) const {
    return *equations_[next_.empty() ? 0 : s.modes.back()];
  }
  /// With the constants of these equations in the workspace.
  const Equations& at(const State& s, Workspace& ws) const {
    const Equations& equations = at(s);
    if (ws.constants_of != &equations) equations.adopt(ws);
    return equations;
  }
  /// Null where the coordinates are not those of bodies.
  const BodyEquations* bodies_at(const State& s, Workspace& ws) const {
    return at(s, ws).of_bodies();
  }
  /// Frictions with the numbers that hold at a state.
  const FrictionData& friction(const State& s, int index) const {
    const Blueprint& b =
        next_.empty() || !holds_ ? blueprint() : holds_->variants()[s.modes.back()].blueprint();
    return b.frictions[index];
  }
  /// Null where no event can be held.
  const Holds* holds() const { return holds_ ? &*holds_ : nullptr; }

  std::unique_ptr<Workspace> make_workspace() const { return equations_.front()->make_workspace(); }
  /// The state the model gives: a guess until it is assembled.
  State start() const;
  /// Changes the modes of a state to those an event sets.
  void set_modes(int event, State& s) const {
    if (!next_.empty()) s.modes.back() = next_[s.modes.back()][event];
  }

  // What the equations say at a state (equations.h). Nothing can be forgotten here that would give
  // another answer: what is not, is reached by at().
  Eval evaluate(const State& s, Request request, Workspace& ws) const {
    return at(s, ws).evaluate(s, request, ws);
  }
  Eval differentiate(const State& s, std::span<const double> a, std::span<const double> lambda,
                     Workspace& ws) const {
    return at(s, ws).differentiate(s, a, lambda, ws);
  }
  Eval invariants(const State& s, Workspace& ws) const { return at(s, ws).invariants(s, ws); }
  void choose_modes(State& s, Workspace& ws) const { at(s, ws).choose_modes(s, ws); }
  void follow_turns(const State& from, std::span<const double> way, State& to,
                    Workspace& ws) const {
    at(to, ws).follow_turns(from, way, to, ws);
  }
  Energy energy(const State& s, Workspace& ws) const { return at(s, ws).energy(s, ws); }
  double quantity(const Quantity& q, const State& s, double factor, std::span<double> by_p,
                  std::span<double> by_v, Workspace& ws) const {
    return at(s, ws).quantity(q, s, factor, by_p, by_v, ws);
  }
  /// All event functions. Those of impulses at rest keep their side; those of rest itself are the
  /// side of zero that the modes give, until whoever knows the reaction says more.
  void events(const State& s, std::span<double> z, Workspace& ws) const;

 private:
  std::vector<std::unique_ptr<const Equations>> equations_;
  Successors next_;
  std::optional<Holds> holds_;
};

/// Lays out and links the elements. Null if an error was reported.
std::unique_ptr<System> compile(Blueprint blueprint, Diagnostics& diagnostics);
/// The same of what is sound, whatever was reported: its names help to find further faults.
std::unique_ptr<System> compile_draft(Blueprint blueprint, Diagnostics& diagnostics);

}  // namespace kardan
