#include "kardan/integrate/global_error.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kardan {
namespace {

/// Six solves, L-stable, of order 6 (Hairer & Wanner II, table IV.6.4).
constexpr int solves = 6;
constexpr double gamma_of = 0.33414236706805043;
/// It is A-stable, and of order 5, with other gammas, too (Hairer & Wanner II, table IV.6.3).
constexpr double least_gamma = 0.284071, largest_gamma = 0.540907;
/// Blocks for which a Jacobian is kept, and the most that bodies may have turned meanwhile [rad].
constexpr int most_kept = 4;
constexpr double kept_turn = 1e-3;
/// [rad] A block ends before a body has turned this far from its start.
constexpr double longest_turn = 1.5;
/// Steps of a block are at most this many times as long as their neighbours.
constexpr double longest_ratio = 10;
/// Blocks from look to look at how fast modes are.
constexpr int pause_between_looks = 8;
/// Of the motion over a block: the displacement to look along; and the least one.
constexpr double look_share = 1e-4, least_look = 1e-8;

/// L_0(x) ... L_{n-1}(x)
void laguerre(double x, std::span<double> L) {
  L[0] = 1;
  L[1] = 1 - x;
  for (std::size_t k = 1; k + 1 < L.size(); ++k) {
    const auto n = static_cast<double>(k);
    L[k + 1] = ((2 * n + 1 - x) * L[k] - n * L[k - 1]) / (n + 1);
  }
}

void add_to(double factor, const Local& what, Local& to) {
  add_scaled(factor, what.x, to.x);
  add_scaled(factor, what.u, to.u);
  add_scaled(factor, what.z, to.z);
}

void clear(Local& y) {
  for (Vector* part : {&y.x, &y.u, &y.z}) std::ranges::fill(*part, 0.0);
}

double length(const Vector& a) {
  double sum = 0;
  for (const double value : a) sum += value * value;
  return std::sqrt(sum);
}

}  // namespace

/// The path must be exact beyond the order of the method, and the quadrature beyond the path. Two
/// steps give degree 8, and two ends before them 14.
ErrorBlocks error_blocks(const Method& method) {
  return method.order <= 5 ? ErrorBlocks{2, 4, 0, 0.4} : ErrorBlocks{2, 9, 2, 0.5};
}

GlobalError::GlobalError(NearbyMotion& motion, ErrorBlocks blocks)
    : motion_(motion),
      blocks_(blocks),
      ends_(static_cast<std::size_t>(2 * blocks.steps + blocks.earlier + 1)),
      points_(ends_.size()),
      smooth_(ends_.size()) {
  for (int steps = 1; steps <= blocks.steps; ++steps)
    quadrature_.rules.emplace_back(blocks.nodes - (blocks.steps - steps));
  quadrature_.nodes.resize(static_cast<std::size_t>(blocks.nodes));
  const int n = motion.second_order(), m = motion.first_order();
  for (Local* y : {&e_, &start_, &y_, &change_, &beside_}) y->resize(n, m);
  looks_.fastest.resize(n, m);
  missed_.resize(static_cast<std::size_t>(n));
  inside_.ends.resize(static_cast<std::size_t>(blocks.steps - 1));
  inside_.shares.reserve(static_cast<std::size_t>(blocks.nodes + blocks.steps + 1));
  inside_.rates.resize(static_cast<std::size_t>(blocks.nodes));
  for (LocalRate& rate : inside_.rates) rate.resize(n, m);
  for (LocalRate* rate : {&rate_, &d_, &last_d_}) rate->resize(n, m);
  for (PathPoint& point : points_) {
    point.y.resize(n, m);
    point.rate.resize(n, m);
  }
  sums_.resize(solves);
  for (Local& sum : sums_) sum.resize(n, m);
}

void GlobalError::begin(const State& state, const Vector& a, const Vector& b) {
  end_ = state;
  block_.first = block_.last = 0;
  ends_[0] = {state, a, b};
  std::ranges::fill(missed_, 0.0);
  looks_.fastest.doubt();
  jacobian_.left = 0;
  std::ranges::fill(last_d_.a, 0.0);
  std::ranges::fill(last_d_.b, 0.0);
}

/// The end of a step at block_.last, in the chart of the block.
void GlobalError::put(const State& state, const Vector& a, const Vector& b) {
  End& end = ends_[block_.last];
  end.state = state;
  end.a = a;
  end.b = b;
  points_[block_.last].t = state.t;
  motion_.place(state, a, b, points_[block_.last].y, points_[block_.last].rate);
}

bool GlobalError::step(const State& state, const Vector& a, const Vector& b) {
  if (!known_) return false;
  const auto open_block = [this] {
    const End& from = ends_[block_.first];
    motion_.rebase(from.state);
    points_[block_.first].t = from.state.t;
    motion_.place(from.state, from.a, from.b, points_[block_.first].y, points_[block_.first].rate);
  };
  if (steps() == 0) open_block();
  ++block_.last;
  put(state, a, b);
  bool done = false;
  if (steps() > 1) {
    const double h = state.t - points_[block_.last - 1].t,
                 before = points_[block_.last - 1].t - points_[block_.last - 2].t;
    if (motion_.largest_turn(points_[block_.last].y) > longest_turn || h > longest_ratio * before ||
        h * longest_ratio < before) {
      --block_.last;
      carry_over();
      if (!known_) return true;
      open_block();
      ++block_.last;
      put(state, a, b);
      done = true;
    }
  }
  if (steps() < blocks_.steps) return done;
  carry_over();
  return true;
}

bool GlobalError::close() {
  if (!known_ || steps() == 0) return false;
  carry_over();
  return true;
}

/// A block of fewer steps than usual: the path goes on from the ends before it, where they are in
/// reach.
void GlobalError::take_earlier_ends() {
  block_.earliest = block_.first;
  while (block_.earliest > 0 && block_.last - block_.earliest < blocks_.steps + blocks_.earlier) {
    PathPoint& point = points_[block_.earliest - 1];
    const End& end = ends_[block_.earliest - 1];
    const double h = ends_[block_.earliest].state.t - end.state.t,
                 longest = block_.length / steps();
    if (h > longest_ratio * longest || h * longest_ratio < longest) return;
    point.t = end.state.t;
    motion_.place(end.state, end.a, end.b, point.y, point.rate);
    if (motion_.largest_turn(point.y) > longest_turn) return;
    --block_.earliest;
  }
}

void GlobalError::pass(const std::vector<PathPoint>& points, BlockPath::By by) {
  quadrature_.along = &points;
  const double from = points_[block_.earliest].t, all = points_[block_.last].t - from,
               before = points_[block_.first].t - from;
  for (std::size_t i = 0; i < quadrature_.rule->node.size(); ++i)
    quadrature_.nodes[i] = (before + quadrature_.rule->node[i] * block_.length) / all;
  path_.pass({points.data() + block_.earliest,
              static_cast<std::size_t>(block_.last - block_.earliest + 1)},
             {quadrature_.nodes.data(), quadrature_.rule->node.size()}, by);
}

/// e over the block, and into the chart of its end.
void GlobalError::carry_over() {
  block_.length = points_[block_.last].t - points_[block_.first].t;
  quadrature_.rule = &quadrature_.rules[steps() - 1];
  take_earlier_ends();
  start_ = e_;
  inside_.count = 0;
  const double longest_kick = block_.length * *std::ranges::max_element(quadrature_.rule->weight);
  Eval done = Eval::ok;
  if (!looks_.fastest.known()) done = look_first();
  bool kicked = done == Eval::ok && looks_.fastest.rate() * longest_kick <= blocks_.fastest_kick;
  if (kicked) kicked = kick() == Eval::ok;
  if (kicked) look_inside();
  if (!kicked) {
    e_ = start_;
    inside_.count = 0;
    done = follow_fast_modes();
  }
  end_ = ends_[block_.last].state;
  if (done == Eval::ok) done = motion_.carry(points_[block_.last].y, end_, e_);
  known_ = done == Eval::ok && all_finite(e_.x) && all_finite(e_.u) && all_finite(e_.z);
  const int kept = std::min(block_.last, blocks_.steps + blocks_.earlier - 1);
  for (int i = 0; i <= kept; ++i) std::swap(ends_[i], ends_[block_.last - kept + i]);
  block_.first = block_.last = kept;
}

/// d_ := P' - f(P - e) at a node, of velocities and first-order variables.
Eval GlobalError::defect(std::size_t node, const Local& e) {
  path_.at({quadrature_.along->data() + block_.earliest,
            static_cast<std::size_t>(block_.last - block_.earliest + 1)},
           static_cast<int>(node), y_, d_);
  add_to(-1, e, y_);
  ++counts_.evaluations;
  if (Eval done = motion_.rate(
          points_[block_.first].t + quadrature_.rule->node[node] * block_.length, y_, rate_);
      done != Eval::ok)
    return done;
  add_scaled(-1, rate_.a, d_.a);
  add_scaled(-1, rate_.b, d_.b);
  return Eval::ok;
}

/// How fast modes are, at the first node of the first block with these equations.
Eval GlobalError::look_first() {
  pass(points_, BlockPath::By::all_rates);
  if (Eval done = defect(0, e_); done != Eval::ok) return done;
  while (!looks_.fastest.known())
    if (Eval done = look(0, e_); done != Eval::ok) return done;
  std::ranges::fill(last_d_.a, 0.0);
  std::ranges::fill(last_d_.b, 0.0);
  return Eval::ok;
}

/// From the defect at a node and at a point beside it.
Eval GlobalError::look(std::size_t node, const Local& e) {
  looks_.pause = pause_between_looks;
  const double H = block_.length;
  const double motion = H * length(y_.u) + H * H * length(rate_.a) + H * length(rate_.b);
  beside_ = e;
  add_to(1, looks_.fastest.direction(std::max(look_share * motion, least_look), H), beside_);
  last_d_ = d_;
  const Eval done = defect(node, beside_);
  add_scaled(-1, last_d_.a, d_.a);
  add_scaled(-1, last_d_.b, d_.b);
  if (done == Eval::ok) looks_.fastest.answered(d_, H);
  std::swap(last_d_, d_);
  return done;
}

/// What rates at some shares of a block, once and twice integrated from its start, come to at
/// another: those of the polynomial through them.
void GlobalError::weigh_until(double share) {
  const GaussRule& rule = *quadrature_.rule;
  const Vector& at = inside_.shares;
  inside_.once.assign(at.size(), 0.0);
  inside_.twice.assign(at.size(), 0.0);
  for (std::size_t k = 0; k < rule.node.size(); ++k)
    for (std::size_t i = 0; i < at.size(); ++i) {
      double basis = share * rule.weight[k];
      for (std::size_t j = 0; j < at.size(); ++j)
        if (j != i) basis *= (share * rule.node[k] - at[j]) / (at[i] - at[j]);
      inside_.once[i] += basis;
      inside_.twice[i] += share * (1 - rule.node[k]) * basis;
    }
}

/// At ends of steps inside the block the run is known, and the motion follows from its rates, which
/// are smooth: it has not made the jumps that steps have. Where nodes are few, those of the run at the
/// ends are taken with them: near enough.
void GlobalError::look_inside() {
  if (steps() < 2) return;
  const double H = block_.length;
  const std::size_t nodes = quadrature_.rule->node.size();
  const PathPoint& from = points_[block_.first];
  inside_.shares = quadrature_.rule->node;
  for (int point = block_.first; blocks_.earlier == 0 && point <= block_.last; ++point)
    inside_.shares.push_back((points_[point].t - from.t) / H);
  for (int point = block_.first + 1; point < block_.last; ++point) {
    const double since = points_[point].t - from.t;
    weigh_until(since / H);
    y_ = from.y;
    add_to(-1, start_, y_);
    add_scaled(since, y_.u, y_.x);
    for (std::size_t i = 0; i < inside_.shares.size(); ++i) {
      const LocalRate& rate =
          i < nodes ? inside_.rates[i]
                    : points_[static_cast<std::size_t>(block_.first) + i - nodes].rate;
      add_scaled(H * H * inside_.twice[i], rate.a, y_.x);
      add_scaled(H * inside_.once[i], rate.a, y_.u);
      add_scaled(H * inside_.once[i], rate.b, y_.z);
    }
    Inner& inner = inside_.ends[inside_.count++];
    inner.run = ends_[point].state;
    inner.motion = inner.run;
    motion_.state_at(y_, inner.motion);
  }
}

/// Velocities of e swing inside a block as much as steps are off in positions over their length: what
/// a node misses of the way that they make, the next one makes up for, or forces that depend on
/// velocities would answer to another way than e goes.
Eval GlobalError::kick() {
  pass(points_, BlockPath::By::all_rates);
  const GaussRule& rule = *quadrature_.rule;
  const double H = block_.length;
  double at = 0, later = 1;  // later: the weights of the nodes that follow
  for (std::size_t i = 0; i < rule.node.size(); ++i) {
    const double w = rule.weight[i], drift = (rule.node[i] - at) * H, weight = w * H;
    at = rule.node[i];
    later -= w;
    add_scaled(drift, e_.u, e_.x);
    // In the middle of its kick, as far as the last one tells.
    change_ = e_;
    add_scaled(0.5 * weight, last_d_.a, change_.u);
    add_scaled(0.5 * weight, last_d_.b, change_.z);
    add_scaled(1 / weight, missed_, change_.u);
    if (Eval done = defect(i, change_); done != Eval::ok) return done;
    add_scaled(weight, d_.a, e_.u);
    add_scaled(weight, d_.b, e_.z);
    for (std::size_t k = 0; k < missed_.size(); ++k)
      missed_[k] = weight * H * ((1 - at - later) * d_.a[k] - 0.5 * w * last_d_.a[k]);
    last_d_ = d_;
    inside_.rates[i] = rate_;
  }
  if (--looks_.pause <= 0)
    if (Eval done = look(rule.node.size() - 1, change_); done != Eval::ok) return done;
  std::swap(last_d_, d_);
  add_scaled((1 - at) * H, e_.u, e_.x);
  return Eval::ok;
}

/// smooth_ := the points, with rates that fast modes have no large share in.
void GlobalError::smooth_rates() {
  constexpr int passes = 2;
  const std::span<const PathPoint> points{
      points_.data() + block_.earliest,
      static_cast<std::size_t>(block_.last - block_.earliest + 1)};
  quadrature_.shares.resize(points.size());
  for (std::size_t j = 0; j < points.size(); ++j)
    quadrature_.shares[j] = (points[j].t - points[0].t) / (points.back().t - points[0].t);
  ends_path_.pass(points, quadrature_.shares, BlockPath::By::positions_and_velocities);
  for (std::size_t j = 0; j < points.size(); ++j) {
    PathPoint& smooth = smooth_[static_cast<std::size_t>(block_.earliest) + j];
    smooth = points[j];
    ends_path_.at(points, static_cast<int>(j), y_, d_);
    clear(change_);
    for (std::size_t i = 0; i < d_.a.size(); ++i) change_.u[i] = points[j].rate.a[i] - d_.a[i];
    for (std::size_t i = 0; i < d_.b.size(); ++i) change_.z[i] = points[j].rate.b[i] - d_.b[i];
    for (int pass = 0; pass < passes; ++pass) {
      beside_ = change_;
      motion_.filter(beside_);
      add_scaled(-1, beside_.u, change_.u);
      add_scaled(-1, beside_.z, change_.z);
    }
    add_scaled(-1, change_.u, smooth.rate.a);
    add_scaled(-1, change_.z, smooth.rate.b);
  }
}

/// I - c J, with J of an earlier block as long as it will do: it carries errors, and makes none.
Eval GlobalError::factor() {
  const double gamma = jacobian_.c / block_.length;
  jacobian_.turned += motion_.turned(points_[block_.last].y);
  if (--jacobian_.left > 0 && gamma > least_gamma && gamma < largest_gamma &&
      jacobian_.turned < kept_turn)
    return Eval::ok;
  pass(points_, BlockPath::By::positions_and_velocities);
  const std::size_t middle = (quadrature_.rule->node.size() - 1) / 2;
  if (Eval done = defect(middle, start_); done != Eval::ok) return done;
  ++counts_.jacobians;
  jacobian_ = {gamma_of * block_.length, 0, most_kept};
  return motion_.factor(jacobian_.c);
}

Eval GlobalError::follow_fast_modes() {
  if (Eval done = factor(); done != Eval::ok) return done;
  smooth_rates();
  pass(smooth_, BlockPath::By::all_rates);
  const GaussRule& rule = *quadrature_.rule;
  const double H = block_.length;
  for (Local& sum : sums_) clear(sum);
  std::array<double, solves> L{};
  for (std::size_t i = 0; i < rule.node.size(); ++i) {
    if (Eval done = defect(i, start_); done != Eval::ok) return done;
    laguerre((1 - rule.node[i]) * H / jacobian_.c, L);
    for (int n = 0; n < solves; ++n) {
      const double weight = H * rule.weight[i] * L[n];
      add_scaled(weight, start_.u, sums_[n].x);
      add_scaled(weight, d_.a, sums_[n].u);
      add_scaled(weight, d_.b, sums_[n].z);
    }
  }
  if (--looks_.pause <= 0)
    if (Eval done = look(rule.node.size() - 1, start_); done != Eval::ok) return done;
  std::ranges::fill(last_d_.a, 0.0);
  std::ranges::fill(last_d_.b, 0.0);
  std::ranges::fill(missed_, 0.0);
  change_ = sums_[solves - 1];
  for (int n = solves - 2; n >= 0; --n) {
    y_ = change_;
    motion_.filter(y_);
    add_to(-1, y_, change_);
    add_to(1, sums_[n], change_);
  }
  motion_.filter(change_);
  add_to(1, change_, e_);
  return Eval::ok;
}

}  // namespace kardan
