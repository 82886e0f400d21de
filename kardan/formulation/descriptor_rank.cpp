/// Descriptor: how far constraints are from depending on each other, and what to say about it.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "kardan/formulation/culprit.h"
#include "kardan/formulation/descriptor.h"

namespace kardan {
namespace {

constexpr std::size_t most_names = 4;
/// An invariant may change by this share of the terms of its rate: their round-off.
constexpr double preserved = 1e-8, rank_round_off = 1e-12;

}  // namespace

Eval Descriptor::begin_step(double h) {
  last_.latest = base_.state.t;
  step_ = h;
  culprit_.clear();
  last_.evaluated = false;
  diagnosis_ = Diagnosis::none;
  return Eval::ok;
}

Eval Descriptor::fail(Diagnosis diagnosis, std::string culprit, Eval answer) {
  diagnosis_ = diagnosis;
  culprit_ = std::move(culprit);
  return answer;
}

/// Evaluates into the workspace; what is not finite is named.
Eval Descriptor::evaluate(const State& state, Request request) {
  if (request.force && !system_.has_bodies()) ++counts_.mass_evaluations;
  last_.evaluated = false;
  const Eval e = evaluate_named(state, request);
  if (e != Eval::ok) diagnosis_ = Diagnosis::not_finite;
  return e;
}

/// The joints of rows that nearly depend on others; empty where there are none.
std::string Descriptor::weak_rows(const ConstraintSpace& rows) const {
  if (!rows.knows_remainders()) return {};
  std::vector<std::string> names;
  double smallest = 1;
  for (int i = 0; i < layout_.m; ++i) {
    // Rows that are redundant everywhere are no trouble.
    const bool weak =
        rows.is_independent(i) ? rows.remainder(i) < singular::suspicious_row : rows.rank() < rank_;
    if (!weak) continue;
    if (rows.is_independent(i)) smallest = std::min(smallest, rows.remainder(i));
    const std::string& name = system_.blueprint().elements[system_.rows()[i].element].name;
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  }
  if (names.empty()) return {};
  const std::size_t more = names.size() > most_names ? names.size() - most_names : 0;
  names.resize(names.size() - more);
  std::string list = fmt::format("'{}'", fmt::join(names, "', '"));
  if (more > 0) list += fmt::format(" and {} more", more);
  return fmt::format("{}: near a singular position, where constraints depend on each other", list);
}

/// At a new base: rank, singular positions passed, and the next one.
void Descriptor::watch_rank() {
  const int rank = chosen_.rows.rank();
  if (history_.empty()) {
    history_.push_back({base_.state.t, rank, "start"});
  } else if (rank != history_.back().rank) {
    const std::string which = weak_rows(chosen_.rows);
    history_.push_back({base_.state.t, rank,
                        fmt::format("rank {} instead of {}{}", rank, history_.back().rank,
                                    which.empty() ? "" : ": " + which)});
  }
  if (layout_.m == 0 || singular_.t() == base_.state.t) return;
  const bool comparable = singular_.now() >= 0 && base_.state.t > singular_.t();
  singular_.see(base_.state.t, rank < rank_ ? 0 : chosen_.remainder,
                comparable ? SingularWatch::Before::comparable : SingularWatch::Before::unrelated);
  singular_.foretell(singular::near_row);
  if (singular_.passed())
    history_.push_back({singular_.before_t(), rank,
                        "passed " + (near_rows_.empty() ? "a singular position" : near_rows_)});
  near_rows_ = chosen_.old ? std::string() : weak_rows(chosen_.rows);
}

/// Invariants of bodies keep the values they have at the start, or after a change of modes: what
/// happens at an event may change them.
void Descriptor::note_invariants() {
  if (!system_.has_bodies() || (!kept_.empty() && modes_ == base_.state.modes)) return;
  if (system_.invariants(base_.state, *ws_) != Eval::ok) return;
  kept_ = ws_->e;
  modes_ = base_.state.modes;
}

/// e' = e_p v + e_v a is zero on every motion, or the model does not preserve e. (Users state
/// invariants of their equations on their own account: e may depend on time.)
Eval Descriptor::invariants_are_preserved(const State& state) {
  if (!system_.has_bodies()) return Eval::ok;
  const int n = layout_.n;
  int row = 0;
  for (const InvariantData& data : system_.blueprint().invariants) {
    const int rows = data.kind == InvariantData::Kind::momentum ? system_.dimension()
                     : data.kind == InvariantData::Kind::angular_momentum
                         ? (system_.dimension() == 2 ? 1 : 3)
                         : 1;
    for (int i = row; i < row + rows; ++i) {
      double rate = 0, size = 0;
      for (int j = 0; j < n; ++j) {
        const double by_p = ws_->e_p.values[i * n + j] * state.v[j],
                     by_v = ws_->e_v.values[i * n + j] * a_[j];
        rate += by_p + by_v;
        size += std::abs(by_p) + std::abs(by_v);
      }
      // Accelerations that vanish but for round-off.
      const double floor = rank_round_off * (1 + std::abs(ws_->e[i])) * system_.scales().speed /
                           system_.scales().length;
      if (std::abs(rate) > preserved * size + floor)
        return fail(Diagnosis::invariants_not_kept,
                    fmt::format("'{}': the motion does not preserve it (it changes by {:.2g} per "
                                "second): leave it out of the invariants",
                                data.text, rate),
                    Eval::fatal);
    }
    row += rows;
  }
  return Eval::ok;
}

std::vector<std::string> Descriptor::remarks() const {
  std::vector<std::string> out;
  if (form_.algebraic == RowDecomposition::lu && switches_ > 0)
    out.push_back(fmt::format(
        "LU of the constraints found their rank in doubt {} times; QR with pivoting decided there",
        switches_));
  return out;
}

}  // namespace kardan
