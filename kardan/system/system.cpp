#include "kardan/system/system.h"

#include "kardan/system/moved_bodies.h"

namespace kardan {
namespace {

/// Of the first variant, with a mode that says which variant holds.
Names names_of(const std::vector<std::unique_ptr<System>>& variants) {
  NameData data = variants.front()->data();
  ++data.sizes.modes;
  data.start.modes.push_back(0);
  for (std::size_t i = 1; i < variants.size(); ++i)
    for (const PrescribedMotion& motion : variants[i]->prescribed_motions())
      data.prescribed_motions.push_back(motion);
  return Names(std::move(data));
}

std::unique_ptr<System> hold_one(const Names& names, const std::vector<int>& events,
                                 const std::vector<int>& stuck) {
  Blueprint blueprint = names.blueprint();
  blueprint.stuck = stuck;
  if (blueprint.equations) {
    std::vector<int> places;
    places.reserve(events.size());
    for (const int e : events) places.push_back(names.asked_event(e));
    blueprint.equations = hold(std::move(*blueprint.equations), places);
  } else {
    for (const int e : events) {
      MovedBodies moved = moved_bodies(names, blueprint.events[e].function);
      blueprint.held.push_back({e, std::move(moved.bodies), moved.unit});
    }
  }
  Diagnostics discarded;  // what can be wrong was found when this system was compiled
  return compile(std::move(blueprint), discarded);
}

}  // namespace

std::unique_ptr<System> Holds::hold(const std::vector<int>& events,
                                    const std::vector<int>& stuck) const {
  std::vector<std::unique_ptr<System>> held;
  for (const Names& names : variants_) {
    held.push_back(hold_one(names, events, stuck));
    if (!held.back()) return nullptr;
  }
  return next_.empty() ? std::move(held.front()) : std::make_unique<System>(std::move(held), next_);
}

System::System(Names names, std::unique_ptr<const Equations> equations) : Names(std::move(names)) {
  equations_.push_back(std::move(equations));
  const Blueprint& b = blueprint();
  if ((!b.events.empty() || !b.frictions.empty()) && (has_bodies() || b.equations))
    holds_ = Holds({static_cast<const Names&>(*this)}, {});
}

System::System(std::vector<std::unique_ptr<System>> variants, Successors next)
    : Names(names_of(variants)), next_(std::move(next)) {
  std::vector<Names> names;
  for (const auto& variant : variants) {
    names.push_back(*variant);
    for (auto& equations : variant->equations_) equations_.push_back(std::move(equations));
  }
  if (variants.front()->holds_) holds_ = Holds(std::move(names), next_);
}

State System::start() const {
  State state = data().start;
  if (element_modes() > 0) {
    const auto ws = make_workspace();
    choose_modes(state, *ws);
  }
  return state;
}

void System::events(const State& s, std::span<double> z, Workspace& ws) const {
  at(s, ws).events(s, z, ws);
  for (const Impulse& impulse : impulses()) {
    const int side = s.modes[impulse.mode];
    if (side != 0) z[impulse.asked] = side;
    z[impulse.rest] = side != 0 ? 1 : -1;
  }
  for (std::size_t i = 0; i < frictions().size(); ++i)
    z[frictions()[i].stick] =
        s.modes[frictions()[i].mode] == 0 && pressed(s, static_cast<int>(i)) ? 1 : -1;
}

}  // namespace kardan
