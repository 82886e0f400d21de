#pragma once
/// The stops of a model: events of `when` with an impulse. Which of them are at rest stands in the
/// modes of a state. A stop at rest is a constraint z = 0 whose reaction pushes towards the side at
/// which it is held; it lets go where the reaction would pull.
///
/// For all stops that touch and do not move apart, on the side s of each:
///
///   s z'' >= 0,   reaction >= 0,   and one of them is 0,
///
/// found by changing one stop after the other (Murty's least-index rule). Where there is friction,
/// all stops and frictions are decided together (formulation/contact_forces.h).

#include <map>

#include "kardan/formulation/accelerations.h"
#include "kardan/formulation/contact_rows.h"
#include "kardan/formulation/impulse.h"

namespace kardan {

class Stops {
 public:
  /// `system` holds nothing and must outlive this.
  explicit Stops(const System& system);

  /// False where the events cannot be held at all.
  bool compiled() const { return (count() == 0 && frictions() == 0) || impulses_; }
  int frictions() const { return static_cast<int>(system_.frictions().size()); }
  int count() const { return static_cast<int>(system_.impulses().size()); }
  const EventData& event(int stop) const {
    return system_.blueprint().events[system_.impulses()[stop].event];
  }
  /// The stop of an event of `when`.
  int stop_of(int asked) const;
  int side(const State& s, int stop) const { return s.modes[system_.impulses()[stop].mode]; }
  std::vector<int> resting(const State&) const;
  /// Frictions that stick.
  std::vector<int> sticking(const State&) const;

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
  /// `slips`: a friction that can hold no longer.
  [[nodiscard]] Eval choose(State& state, int leaves = -1, int slips = -1);
  /// The impulses of all stops that touch and approach, where there is friction, as if compressed
  /// and then released (Poisson): both times no contact beyond its bounds (contact_forces.h), the
  /// force of the second at least e times that of the first. Stops whose `restitution` is zero, or
  /// that rest, stay together if they do. Recoverable where there is none, or energy would come out.
  [[nodiscard]] Eval collide(State& state, const Vector& restitution);
  /// Why the last of these failed.
  const std::string& why() const { return why_; }

  /// Adds the reactions to event functions: those of rest, in forces of the model's scale.
  void add_reactions(const State& state, std::span<double> z);

 private:
  /// [scaled] Stops this close to zero touch; stops and frictions are at rest that slowly.
  static constexpr double touching = 1e-9;
  /// Equations with some stops at rest.
  struct Held {
    std::unique_ptr<System> system;
    std::unique_ptr<Workspace> ws;
    std::unique_ptr<AccelerationSolver> accelerations;
  };
  Held* held(const State&);
  Eval choose_stops(State& state, int leaves);
  Eval choose_all(State& state, int leaves, int slips);
  Eval fill(const State& state, ContactRows::Level level, ContactProblem& problem);
  std::vector<int> modes(const State&) const;
  void set_modes(const std::vector<int>& modes, State&) const;
  bool answered(const ContactAnswer& answer, double t);
  Eval solve(const State&, Held&);
  double reaction(const State&, const Held&, int place, int stop) const;

  const System& system_;
  std::unique_ptr<System> all_;
  std::unique_ptr<ImpulseSolver> impulses_;
  std::unique_ptr<ContactRows> rows_;  // where there is friction
  std::unique_ptr<Workspace> ws_;      // of all_
  std::map<std::vector<int>, Held> held_;
  std::string why_;
  State probe_;
  Vector a_, lambda_, accel_;
};

}  // namespace kardan
