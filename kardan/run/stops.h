#pragma once
/// The stops of a model: events of `when` with an impulse. Which of them are at rest stands in the
/// modes of a state. A stop at rest is a constraint z = 0 whose reaction pushes towards the side at
/// which it is held; it lets go where the reaction would pull.
///
/// For all stops that touch and do not move apart, on the side s of each:
///
///   s z'' >= 0,   reaction >= 0,   and one of them is 0,
///
/// found by changing one stop after the other (Murty's least-index rule).

#include <map>

#include "kardan/formulation/accelerations.h"
#include "kardan/formulation/impulse.h"

namespace kardan {

class Stops {
 public:
  /// `system` holds nothing and must outlive this.
  explicit Stops(const System& system);

  /// False where the events cannot be held at all.
  bool compiled() const { return count() == 0 || impulses_; }
  int count() const { return static_cast<int>(system_.impulses().size()); }
  const EventData& event(int stop) const {
    return system_.blueprint().events[system_.impulses()[stop].event];
  }
  /// The stop of an event of `when`.
  int stop_of(int asked) const;
  int side(const State& s, int stop) const { return s.modes[system_.impulses()[stop].mode]; }
  std::vector<int> resting(const State&) const;

  /// The equations with what rests in a state; null where they cannot be compiled.
  const System* system(const State&);

  /// Rates of the stops, for impulses.
  ImpulseSolver& impulses() { return *impulses_; }
  /// Scaled by the model: positions and rates close to zero.
  bool touches(int stop) const;
  double scaled_rate(int stop) const;
  double scaled_way(int stop, double way) const;

  /// Makes positions and velocities consistent with what rests: methods that leave their error in
  /// them would seem to have moved off.
  [[nodiscard]] Eval project(State& state);
  /// Decides anew what rests, among what rests in the modes and what touches without moving apart;
  /// makes positions and velocities consistent with it. `leaves`: a stop that has just let go.
  [[nodiscard]] Eval choose(State& state, int leaves = -1);

  /// Adds the reactions to event functions: those of rest, in forces of the model's scale.
  void add_reactions(const State& state, std::span<double> z);

 private:
  /// Equations with some stops at rest.
  struct Held {
    std::unique_ptr<System> system;
    std::unique_ptr<Workspace> ws;
    std::unique_ptr<AccelerationSolver> accelerations;
  };
  Held* held(const State&);
  Eval solve(const State&, Held&);
  double reaction(const State&, const Held&, int place, int stop) const;

  const System& system_;
  std::unique_ptr<System> all_;
  std::unique_ptr<ImpulseSolver> impulses_;
  std::unique_ptr<Workspace> ws_;  // of all_
  std::map<std::vector<int>, Held> held_;
  State probe_;
  Vector a_, lambda_, accel_;
};

}  // namespace kardan
