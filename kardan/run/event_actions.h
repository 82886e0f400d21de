#pragma once
/// What the events of a model do during a run: record, stop, set parameters, apply impulses.
/// Changes of the energy count as work.

#include "kardan/formulation/impulse.h"
#include "kardan/integrate/driver.h"
#include "kardan/run/simulate.h"

namespace kardan {

class EventActions {
 public:
  /// System and memory must outlive the rules. Changes the energy balance and the bounces.
  EventActions(const System& system, RunMemory& memory);

  /// Events of elements count both ways; those of `when` as they say.
  std::vector<EventRule> rules();

 private:
  EventEffect set(int event, State& state, State& after);
  EventEffect impulse(int event, int direction, State& state, double time, State& after);
  bool settle_others(State& state);
  bool comes_to_rest(int event, double t, double rate);
  double total(const State& state);

  const System& system_;
  double tolerance_;
  EnergyBalance& energy_;
  std::unique_ptr<Workspace> ws_;
  ImpulseSolver impulses_;
  std::vector<Bounces>& bounces_;  // by event
  Vector z_, step_;
  int first_ = 0;  // event of `when`
};

}  // namespace kardan
