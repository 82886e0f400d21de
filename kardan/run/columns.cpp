#include "kardan/run/columns.h"

#include <algorithm>
#include <limits>

#include "kardan/run/loads.h"

namespace kardan {
namespace {

constexpr double not_known = std::numeric_limits<double>::quiet_NaN();

double at(const Vector& values, std::size_t place) {
  return place < values.size() ? values[place] : not_known;
}

}  // namespace

ChosenColumns::ChosenColumns(const System& system)
    : system_(system), ws_(system.make_workspace()) {}

std::optional<ChosenColumns::Column> ChosenColumns::find(std::string_view name) {
  Column out{std::string(name)};
  if (name == "t" || name == "time") return out;
  if (const auto quantity = system_.find_quantity(name)) {
    out.of = Column::Of::quantity;
    out.quantity = *quantity;
    return out;
  }
  for (int i = 0; i < system_.sizes().v; ++i)
    if (system_.acceleration_name(i) == name) {
      out.of = Column::Of::acceleration;
      out.place = static_cast<std::size_t>(i);
      return out;
    }
  const std::vector<std::string> rows = multiplier_names(system_);
  if (const auto row = std::ranges::find(rows, name); row != rows.end()) {
    out.of = Column::Of::multiplier;
    out.place = static_cast<std::size_t>(row - rows.begin());
    need_multipliers_ = true;
    return out;
  }
  auto all = std::make_unique<ResultColumns>(system_);
  const auto found = std::ranges::find(all->names(), name);
  if (found == all->names().end()) return std::nullopt;
  out.of = Column::Of::other;
  out.place = static_cast<std::size_t>(found - all->names().begin());
  need_multipliers_ =
      need_multipliers_ || !system_.reaction_sensors().empty() || !all->loads().columns().empty();
  all_values_.resize(all->names().size());
  all_ = std::move(all);
  return out;
}

std::optional<std::size_t> ChosenColumns::add(std::string_view name) {
  for (std::size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i].name == name) return i;
  auto column = find(name);
  if (!column) return std::nullopt;
  columns_.push_back(std::move(*column));
  values_.resize(columns_.size());
  return columns_.size() - 1;
}

std::span<const double> ChosenColumns::read(const Instant& moment) {
  if (all_) all_->values(moment, all_values_, *ws_);
  for (std::size_t i = 0; i < columns_.size(); ++i) {
    const Column& c = columns_[i];
    switch (c.of) {
      case Column::Of::time:
        values_[i] = moment.state->t;
        break;
      case Column::Of::quantity:
        values_[i] = system_.quantity(c.quantity, *moment.state, 0, {}, {}, *ws_);
        break;
      case Column::Of::acceleration:
        values_[i] = at(*moment.a, c.place);
        break;
      case Column::Of::multiplier:
        values_[i] = at(*moment.lambda, c.place);
        break;
      case Column::Of::other:
        values_[i] = all_values_[c.place];
        break;
    }
  }
  return values_;
}

StepEnds::StepEnds(const System& system, Tell what, std::function<void(const Instant&)> tell)
    : what_(what),
      tell_(std::move(tell)),
      stops_(!system.blueprint().impulses.empty()),
      ws_(system.make_workspace()),
      solver_(std::make_unique<AccelerationSolver>(system)) {}

void StepEnds::step(const StepView& step) {
  const Vector& known = step.dense->to.a;
  lambda_.clear();
  if (stops_ || (what_ == Tell::accelerations && !known.empty()))
    return tell_({step.state, &known, &lambda_});
  state_ = *step.state;
  if (solver_->solve(state_, a_, lambda_, *ws_) != Eval::ok) {
    a_.clear();
    lambda_.clear();
  }
  tell_({&state_, &a_, &lambda_});
}

}  // namespace kardan
