#include "kardan/system/variant_system.h"

#include <utility>

namespace kardan {
namespace {

bool same_pattern(const std::shared_ptr<const SparsePattern>& a,
                  const std::shared_ptr<const SparsePattern>& b) {
  if (!a || !b) return !a && !b;
  return a->rows == b->rows && a->cols == b->cols && a->row_start == b->row_start &&
         a->column == b->column;
}

}  // namespace

VariantSystem::VariantSystem(std::vector<std::unique_ptr<System>> variants,
                             std::vector<std::vector<int>> next)
    : variants_(std::move(variants)), next_(std::move(next)), sizes_(first().sizes()) {
  ++sizes_.modes;
  for (const auto& v : variants_) mass_.push_back(v->make_workspace()->M.values);
}

bool VariantSystem::same_layout(const System& a, const System& b) {
  const Sizes &x = a.sizes(), &y = b.sizes();
  if (x.p != y.p || x.v != y.v || x.r != y.r || x.w != y.w || x.s != y.s || x.lambda != y.lambda ||
      x.mu != y.mu || x.events != y.events || x.modes != y.modes || x.turns != y.turns)
    return false;
  const Patterns &p = a.patterns(), &q = b.patterns();
  return same_pattern(p.constraint, q.constraint) && same_pattern(p.force, q.force) &&
         same_pattern(p.mass, q.mass) && same_pattern(p.aux, q.aux) &&
         same_pattern(p.aux_aux, q.aux_aux) && same_pattern(p.force_aux, q.force_aux) &&
         same_pattern(p.force_lambda, q.force_lambda) && same_pattern(p.aux_lambda, q.aux_lambda) &&
         same_pattern(p.invariant, q.invariant);
}

void VariantSystem::load_mass(const State& s, Workspace& ws) const {
  ws.M.values = mass_[s.modes.back()];
}

Eval VariantSystem::evaluate(const State& s, Request request, Workspace& ws) const {
  load_mass(s, ws);
  return variant(s).evaluate(s, request, ws);
}

Eval VariantSystem::differentiate(const State& s, std::span<const double> a,
                                  std::span<const double> lambda, Workspace& ws) const {
  load_mass(s, ws);
  return variant(s).differentiate(s, a, lambda, ws);
}

Energy VariantSystem::energy(const State& s, Workspace& ws) const {
  load_mass(s, ws);
  return variant(s).energy(s, ws);
}

std::unique_ptr<System> VariantSystem::hold(const std::vector<int>& events) const {
  std::vector<std::unique_ptr<System>> held;
  for (const auto& v : variants_) {
    held.push_back(v->hold(events));
    if (!held.back()) return nullptr;
  }
  return std::make_unique<VariantSystem>(std::move(held), next_);
}

State VariantSystem::start() const {
  State s = first().start();
  s.modes.push_back(0);
  return s;
}

std::vector<PrescribedMotion> VariantSystem::prescribed_motions() const {
  std::vector<PrescribedMotion> out;
  for (const auto& variant : variants_)
    for (PrescribedMotion& motion : variant->prescribed_motions()) out.push_back(std::move(motion));
  return out;
}

}  // namespace kardan
