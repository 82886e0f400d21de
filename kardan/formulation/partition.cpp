#include "kardan/formulation/partition.h"

#include <fmt/format.h>

namespace kardan {
namespace {

/// The partition is kept while the dependent directions grow by less than this.
constexpr double partition_growth = 1.25;
/// A chart in use is kept while the dependent directions grow by less than this: longer than a
/// partition at a new base, since to end a chart costs a multistep method its memory. Half a digit
/// of the dependent coordinates is lost at most.
constexpr double chart_growth = 3;

}  // namespace

Eval Partition::choose(const State& state, Workspace& ws, std::string why) {
  if (Eval e = choose_(system_, state, ws, split_); e != Eval::ok) return e;
  blocks_ = DependentBlocks(split_, *system_.patterns().constraint);
  positions_.choose(system_, std::span(split_.rows).first(split_.holonomic));
  history_.push_back({state.t, static_cast<int>(split_.rows.size()), std::move(why)});
  fresh_length_ = 0;
  return Eval::ok;
}

std::string Partition::unsuited(const Tangent& base) {
  const double length = blocks_.length(base);
  if (fresh_length_ == 0) fresh_length_ = length;
  if (length <= partition_growth * fresh_length_) return {};
  return fmt::format("dependent directions grew by {:.3g}", length / fresh_length_);
}

bool Partition::serves(const Tangent& near) const {
  return blocks_.length(near) <= chart_growth * fresh_length_;
}

}  // namespace kardan
