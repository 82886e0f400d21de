#include "kardan/study/kept_watch.h"

#include <algorithm>
#include <limits>

#include "kardan/base/assert.h"

namespace kardan {

Expression with_parameters(const Expression& expression, const System& system) {
  const Environment& parameters = system.blueprint().parameters;
  return expression.bind([&](std::string_view name) { return parameters.find(name); });
}

KeptWatch::KeptWatch(const StudyPlan& plan, const System& system)
    : plan_(plan), system_(system), columns_(system) {
  // A peak is found as exactly as the motion is.
  const SimulateOptions& o = plan.options;
  const double tolerance = o.relative > 0 ? o.relative : o.driver.tolerance;
  const double worth = std::clamp(tolerance, 1e-9, 1e-3);
  for (const KeptValue& kept : plan.kept) {
    Item& item = items_.emplace_back();
    if (!kept.function) continue;
    MadeReduction made = kept.function->make();
    item.reduction = std::move(made.reduction);
    item.events = made.events;
    if (made.peaks) item.peaks.emplace(*made.peaks, worth);
    item.reduction->begin();
    sees_ends_ = sees_ends_ || kept.function->sight != Sight::rows;
    sees_rows_ = sees_rows_ || kept.function->sight == Sight::rows;
    if (!kept.function->takes_expression) continue;
    item.expression = with_parameters(kept.expression, system);
    for (const std::string& name : item.expression.names()) {
      const auto place = columns_.add(name);
      KARDAN_ASSERT(place.has_value(), "the plan was checked on the same model");
      item.columns.push_back(*place);
    }
  }
}

void KeptWatch::join(const ConsistentStart& start, Watchers& watchers) {
  // Rows are dear where steps are stiff: they are made only for those who need them.
  if (sees_rows_ || (plan_.options.every > 0 && sees_ends_))
    watchers.grid = [this, next = watchers.grid](const Instant& at) {
      see(at, true);
      return next ? next(at) : std::string();
    };
  if (!sees_ends_) return;
  ends_.emplace(
      system_,
      columns_.need_multipliers() ? StepEnds::Tell::multipliers_too : StepEnds::Tell::accelerations,
      [this](const Instant& at) { see(at, false); });
  ends_->start(start);
  watchers.observer = [this, next = watchers.observer](const StepView& step) {
    ends_->step(step);
    return next ? next(step) : std::string();
  };
  if (std::ranges::none_of(items_, [](const Item& item) { return item.peaks.has_value(); })) return;
  watchers.inside = [this](const StepView& step, const auto& row) {
    for (Item& item : items_)
      if (item.peaks)
        item.peaks->look(step.t - step.h, step.t, [&](double t, PeakSearch::Look look) {
          const bool counts = look == PeakSearch::Look::counts;
          const Instant* at = row(t, counts ? RowBy::solution : RowBy::dense_output);
          const double y =
              at ? value(item, columns_.read(*at)) : std::numeric_limits<double>::quiet_NaN();
          if (counts) item.reduction->see(t, y);
          return y;
        });
  };
}

double KeptWatch::value(const Item& item, std::span<const double> columns) {
  arguments_.clear();
  for (const std::size_t column : item.columns) arguments_.push_back(columns[column]);
  return item.expression.evaluate(std::span<const double>(arguments_));
}

void KeptWatch::see(const Instant& at, bool row) {
  const std::span<const double> values = columns_.read(at);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    Item& item = items_[i];
    if (!item.reduction) continue;
    const Sight sight = plan_.kept[i].function->sight;
    if (sight == (row ? Sight::events : Sight::rows)) continue;
    const double y = value(item, values);
    item.reduction->see(at.state->t, y);
    if (!row && item.peaks) item.peaks->end_of_step(at.state->t, y);
  }
}

void KeptWatch::finish(const RunReport& report, std::span<double> out) {
  for (const EventRecord& e : report.driver.events)
    for (std::size_t i = 0; i < items_.size(); ++i)
      if (items_[i].events &&
          plan_.kept[i].event == system_.event_names()[static_cast<std::size_t>(e.event)])
        items_[i].events->happened(e.t);
  for (std::size_t i = 0; i < items_.size(); ++i) {
    if (items_[i].reduction) {
      out[i] = items_[i].reduction->result();
      continue;
    }
    const Expression formula = with_parameters(plan_.kept[i].expression, system_);
    arguments_.clear();
    for (const std::string& name : formula.names()) {
      const auto kept = std::ranges::find(plan_.kept, name, &KeptValue::name);
      arguments_.push_back(out[static_cast<std::size_t>(kept - plan_.kept.begin())]);
    }
    out[i] = formula.evaluate(std::span<const double>(arguments_));
  }
}

}  // namespace kardan
