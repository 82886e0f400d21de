#include "kardan/run/run_memory.h"

#include <algorithm>
#include <cmath>

#include "kardan/run/error_pieces.h"

namespace kardan {
namespace {

bool same_sizes(const State& a, const State& b) {
  return a.p.size() == b.p.size() && a.v.size() == b.v.size() && a.r.size() == b.r.size() &&
         a.w.size() == b.w.size() && a.s.size() == b.s.size() && a.turns.size() == b.turns.size() &&
         a.modes.size() == b.modes.size();
}

/// Counts go on: those of strangers must leave room for it.
bool countable(const RunMemory& memory) {
  constexpr long most = 1L << 53, most_int = 1L << 30;
  const auto good = [](long count, long bound) { return count >= 0 && count <= bound; };
  const Counters& c = memory.report.driver.counters;
  const ProblemCounts& p = memory.report.counts;
  for (const long count : {c.steps, c.rejected, c.failed, c.evaluations, c.jacobians,
                           c.factorizations, c.events, c.iterations, c.solves, p.mass_evaluations,
                           p.selectors, p.predecompositions, p.rank_decisions, memory.shown,
                           memory.report.error_estimate.evaluations,
                           memory.report.error_estimate.jacobians, memory.error.stride})
    if (!good(count, most)) return false;
  return good(memory.report.partitions, most_int) &&
         std::ranges::all_of(memory.bounces,
                             [&](const Bounces& b) { return good(b.count, most_int); });
}

}  // namespace

/// Numbers of an estimate that goes on.
static bool error_fits(const System& system, const ErrorMemory& memory, const EstimatedError& e) {
  const Sizes& n = system.sizes();
  const std::size_t pieces = e.times.size();
  if (pieces != e.positions.size() || pieces != e.velocities.size() || pieces > most_error_pieces)
    return false;
  if (!memory.begun) return true;
  const auto size = [](int count) { return static_cast<std::size_t>(count); };
  return memory.error.x.size() == size(n.v) && memory.error.u.size() == size(n.v) &&
         memory.error.z.size() == size(n.r) && memory.position >= -1 &&
         memory.position < n.p + n.r && memory.velocity >= -1 && memory.velocity < n.v &&
         memory.stride >= 1 && memory.in_piece >= 0 && memory.in_piece < memory.stride &&
         (memory.in_piece == 0 || pieces > 0);
}

bool fits(const System& system, const RunMemory& memory) {
  const State& state = memory.state;
  const StepMemory& step = memory.report.driver.memory;
  if (!same_sizes(state, system.start())) return false;
  for (const double x :
       {state.t, memory.start, step.start, step.h, step.last_error, step.last_h, step.foreseen})
    if (!std::isfinite(x)) return false;
  // The times of restart points count from the start of the model.
  if (memory.start != system.start().t || memory.start > state.t || step.h < 0) return false;
  if (!countable(memory)) return false;
  if (!error_fits(system, memory.error, memory.report.error_estimate)) return false;
  const std::size_t stops = system.impulses().size();
  if (state.lambda.size() > system.sizes().constraints() + stops + system.frictions().size())
    return false;
  for (const FrictionPlaces& f : system.frictions())
    if (std::abs(state.modes[f.mode]) > 1) return false;
  for (const Impulse& impulse : system.impulses())
    if (std::abs(state.modes[impulse.mode]) > 1) return false;
  if (system.varies() && (state.modes.back() < 0 || state.modes.back() >= system.variants()))
    return false;
  const auto events = static_cast<int>(system.event_names().size());
  return memory.bounces.size() == stops && memory.rested.size() == stops &&
         memory.last_side.size() == stops &&
         std::ranges::all_of(memory.report.driver.events, [&](const EventRecord& e) {
           return e.event >= 0 && e.event < events;
         });
}

}  // namespace kardan
