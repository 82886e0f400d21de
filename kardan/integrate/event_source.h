#pragma once
/// Where events come from: functions of the state that change their sign. Every driver and every
/// formulation asks the same source.

#include <span>

#include "kardan/base/state.h"

namespace kardan {

class EventSource {
 public:
  virtual ~EventSource() = default;

  virtual int count() const = 0;
  virtual void functions(const State& state, std::span<double> z) = 0;
  /// For events that are the passage of a distance: at `state` the distance, which has the sign of
  /// the event function whenever that is about to change, and how fast it can change while no chart
  /// coordinate is faster than `speed`. An infinite rate: nothing is known.
  virtual void guards(const State& state, std::span<const double> speed, std::span<double> guard,
                      std::span<double> rate) = 0;
  /// Sets the modes of `state` to those that belong to `after`, a state just beyond an event.
  virtual void switch_modes(const State& after, State& state) = 0;
};

}  // namespace kardan
