#pragma once
/// The events of a system, for whatever form its equations take.

#include <algorithm>
#include <limits>

#include "kardan/integrate/event_source.h"
#include "kardan/system/conditions.h"
#include "kardan/system/system.h"

namespace kardan {

class SystemEvents final : public EventSource {
 public:
  /// Both must outlive this; the workspace holds other values after every call.
  SystemEvents(const System& system, Workspace& ws) : system_(system), ws_(ws) {}

  int count() const override { return system_.sizes().events; }
  void functions(const State& state, std::span<double> z) override {
    system_.events(state, z, ws_);
  }
  void guards(const State& state, std::span<const double> speed, std::span<double> guard,
              std::span<double> rate) override {
    std::fill(rate.begin(), rate.end(), std::numeric_limits<double>::infinity());
    if (const BodyEquations* bodies = system_.bodies_at(state, ws_))
      bodies->event_guards(state, speed, guard, rate, ws_);
  }
  int conditions(const State& state, std::span<char> marks) override {
    const Conditions& all = system_.at(state).conditions();
    all.mark(marks);
    return static_cast<int>(all.arguments().size());
  }
  void arguments(const State& state, std::span<double> y) override {
    const Equations& equations = system_.at(state, ws_);
    const std::vector<Quantity>& all = equations.conditions().arguments();
    for (std::size_t i = 0; i < all.size(); ++i)
      y[i] = equations.quantity(all[i], state, 0, {}, {}, ws_);
  }
  void enclose(const State& modes, std::span<const Taylor> y, std::span<Taylor> z) override {
    system_.at(modes).conditions().enclose(modes.modes, y, z, scratch_);
  }
  void switch_modes(const State& after, State& state) override {
    probe_ = after;
    system_.choose_modes(probe_, ws_);
    state.modes = probe_.modes;
  }

 private:
  const System& system_;
  Workspace& ws_;
  State probe_;
  Conditions::Scratch scratch_;
};

}  // namespace kardan
