#pragma once
/// A model resolved once for many values of its parameters: for others, only what they touch is
/// made anew. The blueprints are the same, to the last bit, as those of resolve().

#include <memory>
#include <utility>

#include "kardan/model/resolve.h"

namespace kardan {

class ResolvedModel {
 public:
  /// `model` and `catalog` must outlive it.
  ResolvedModel(const Model& model, const Catalog& catalog, ParameterValues overrides,
                Diagnostics& diagnostics);

  /// For these values on top of its own.
  [[nodiscard]] ResolvedModel with(const ParameterValues& more, Diagnostics& diagnostics) const;

  const Blueprint& blueprint() const& { return blueprint_; }
  Blueprint&& blueprint() && { return std::move(blueprint_); }
  const Model& model() const { return *model_; }
  const Catalog& catalog() const { return *catalog_; }
  const ParameterValues& overrides() const { return overrides_; }
  /// False after an error: the blueprint means nothing then.
  bool sound() const { return sound_; }

 private:
  ResolvedModel(const ResolvedModel& like, ParameterValues overrides);

  const Model* model_;
  const Catalog* catalog_;
  std::shared_ptr<const ParameterUses> uses_;
  ParameterValues overrides_;
  Blueprint blueprint_;
  bool sound_ = false;
};

/// `values` with those of `more` in their places, or behind them.
[[nodiscard]] ParameterValues changed(ParameterValues values, const ParameterValues& more);

}  // namespace kardan
