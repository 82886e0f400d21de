#pragma once
/// Members of a run at a restart point, for both ways of an archive.

#include "kardan/io/archive.h"
#include "kardan/run/run_memory.h"

namespace kardan {

template <class A>
void fields(A& a, State& x) {
  a(x.t, x.p, x.v, x.r, x.w, x.s, x.lambda, x.turns, x.modes);
}
template <class A>
void fields(A& a, Counters& x) {
  a(x.steps, x.rejected, x.failed, x.evaluations, x.jacobians, x.factorizations, x.events,
    x.iterations, x.solves);
}
template <class A>
void fields(A& a, EventRecord& x) {
  a(x.t, x.event, x.direction);
}
template <class A>
void fields(A& a, StepMemory& x) {
  a(x.start, x.h, x.last_error, x.last_h, x.foreseen);
}
/// Of a run that goes on: there is no reason yet why it ended.
template <class A>
void fields(A& a, DriverReport& x) {
  a(x.t, x.counters, x.events, x.smallest_step, x.largest_step, x.memory);
}
template <class A>
void fields(A& a, Residuals& x) {
  a(x.position, x.velocity, x.acceleration);
}
template <class A>
void fields(A& a, EnergyBalance& x) {
  a(x.initial, x.final, x.work, x.exchanged, x.balance_error, x.unbalanced, x.in_play, x.allowed,
    x.known);
}
template <class A>
void fields(A& a, ProblemCounts& x) {
  a(x.mass_evaluations, x.selectors, x.predecompositions, x.rank_decisions);
}
template <class A>
void fields(A& a, PartitionRecord& x) {
  a(x.t, x.rank, x.why);
}
template <class A>
void fields(A& a, Bounces& x) {
  a(x.count, x.first, x.last);
}
template <class A>
void fields(A& a, AutomaticChoice& x) {
  a(x.method, x.why, x.evaluations, x.passes, x.first, x.back_at);
}
template <class A>
void fields(A& a, Local& x) {
  a(x.x, x.u, x.z);
}
template <class A>
void fields(A& a, LargestError& x) {
  a(x.reached, x.absolute, x.t, x.name);
}
template <class A>
void fields(A& a, EstimatedError& x) {
  a(x.made, x.missing, x.until, x.position, x.velocity, x.end_position, x.end_velocity, x.void_from,
    x.growth, x.evaluations, x.jacobians, x.times, x.positions, x.velocities);
}
template <class A>
void fields(A& a, ErrorMemory& x) {
  a(x.begun, x.error, x.position, x.velocity, x.stride, x.in_piece);
}
/// What simulate() finds out again from the model and the options is left out.
template <class A>
void fields(A& a, RunReport& x) {
  a(x.automatic, x.driver, x.residuals, x.energy, x.fixed_errors, x.cpu_seconds, x.partitions,
    x.counts, x.remarks, x.against, x.partition_history, x.error_estimate);
}
template <class A>
void fields(A& a, RunMemory& x) {
  a(x.state, x.report, x.started, x.paused, x.start, x.shown, x.last_residuals, x.bounces, x.rested,
    x.last_side, x.error);
}

}  // namespace kardan
