#pragma once
/// What the events of a model do during a run: record, stop, set parameters, apply impulses, hold
/// and release what comes to rest. Changes of the energy count as work.

#include "kardan/integrate/driver.h"
#include "kardan/run/blows.h"
#include "kardan/run/run_memory.h"
#include "kardan/run/stops.h"

namespace kardan {

class EventActions {
 public:
  /// System and memory must outlive the rules. Changes the energy balance, and what is known of
  /// stops.
  EventActions(const System& system, RunMemory& memory);

  /// Rules for the equations of `state`, and the sides its stops are on. Events of elements count
  /// both ways; those of `when` as they say.
  void prepare(const State& state, DriverOptions& driver);
  /// The equations that hold at a state: with what rests there. Null where there are none.
  const System* system(const State& state) { return stops_.system(state); }

  /// Stops that touch at the start: what approaches gets its impulse, what rests is held.
  [[nodiscard]] Eval begin(State& state, std::vector<EventRecord>& events);
  /// Notes what has come to rest or left since the last look, but for what the records hold.
  void note_rest(const State& state, std::vector<EventRecord>& events);
  /// Remembers what acts, until it is forgotten.
  void remember() { remembers_ = true; }
  const Happened& happened() const { return happened_; }
  void forget();
  /// Why the last action was not possible, where more is known than that.
  const std::string& why() const { return stops_.why(); }

 private:
  EventEffect set(int event, State& state, State& after);
  EventEffect impulse(int stop, int direction, State& state, double time, State& after);
  EventEffect release(int stop, State& state, State& after);
  EventEffect change(int friction, int slips, State& state, State& after);
  [[nodiscard]] Eval collide(int stop, int direction, State& state);
  void add_rules(DriverOptions& driver);
  void note(const State& state, int event, int direction, std::vector<EventRecord>& events);
  [[nodiscard]] Eval settle(State& state);
  [[nodiscard]] Eval strike(int stop, double restitution, State& state);
  void acts(int event);
  bool comes_to_rest(int stop, double t, double rate);
  Workspace& workspace();
  double total(const State& state);
  void count_work(double before, const State& state);

  const System& system_;
  double tolerance_;
  EnergyBalance& energy_;
  std::unique_ptr<Workspace> ws_;  // see workspace()
  Stops stops_;
  std::vector<Bounces>& bounces_;  // by stop
  std::vector<int>& rested_;       // sides at the last look, by stop; 0: not at rest
  std::vector<int>& last_side_;    // where each has rested last
  std::vector<char> stuck_;        // frictions that stuck at the last look
  Vector step_;
  bool remembers_ = false;
  Happened happened_;
};

}  // namespace kardan
