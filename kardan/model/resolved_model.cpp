#include "kardan/model/resolved_model.h"

#include <algorithm>
#include <bit>
#include <cstdint>
#include <utility>

namespace kardan {

ParameterValues changed(ParameterValues values, const ParameterValues& more) {
  for (const auto& [name, value] : more) {
    const auto old = std::ranges::find(values, name, &ParameterValues::value_type::first);
    if (old == values.end())
      values.emplace_back(name, value);
    else
      old->second = value;
  }
  return values;
}

ResolvedModel::ResolvedModel(const Model& model, const Catalog& catalog, ParameterValues overrides,
                             Diagnostics& diagnostics)
    : model_(&model),
      catalog_(&catalog),
      uses_(std::make_shared<const ParameterUses>(model)),
      overrides_(std::move(overrides)) {
  const std::size_t before = diagnostics.error_count();
  blueprint_ = resolve(model, catalog, overrides_, diagnostics);
  sound_ = diagnostics.error_count() == before;
}

ResolvedModel::ResolvedModel(const ResolvedModel& like, ParameterValues overrides)
    : model_(like.model_),
      catalog_(like.catalog_),
      uses_(like.uses_),
      overrides_(std::move(overrides)) {}

ResolvedModel ResolvedModel::with(const ParameterValues& more, Diagnostics& diagnostics) const {
  ResolvedModel out(*this, changed(overrides_, more));
  const std::size_t before = diagnostics.error_count();
  std::vector<std::string> other;
  bool known = sound_ && !blueprint_.equations;
  for (const auto& [name, value] : more) {
    const double* old = blueprint_.parameters.find(name);
    known = known && old;
    if (old && std::bit_cast<std::uint64_t>(*old) != std::bit_cast<std::uint64_t>(value))
      other.push_back(name);
  }
  ParameterUses::Names touched;
  if (known) touched = uses_->touched_by(other);
  if (known)
    out.blueprint_ =
        resolve_again(*model_, *catalog_, out.overrides_, blueprint_, *uses_, touched, diagnostics);
  else
    out.blueprint_ = resolve(*model_, *catalog_, out.overrides_, diagnostics);
  out.sound_ = diagnostics.error_count() == before;
  return out;
}

}  // namespace kardan
