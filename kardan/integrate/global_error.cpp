#include "kardan/integrate/global_error.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace kardan {
namespace {

/// Six solves, L-stable, of order 6 (Hairer & Wanner II, table IV.6.4).
constexpr int solves = 6;
constexpr double gamma_of = 0.33414236706805043;
/// [rad] A block ends before a body has turned this far from its start.
constexpr double longest_turn = 1.5;
/// Steps of a block are at most this many times as long as their neighbours.
constexpr double longest_ratio = 10;
/// Kicks are stable while omega times their longest time stays below 2; modes that are faster than
/// half of that are followed otherwise.
constexpr double fastest_kick = 1;
/// Where kicks change by so many times what moves e from node to node a look decides, or it is
/// plain (over the smallest weight): a defect alone that changes its sign makes 2.
constexpr double suspicious = 1.5, plain = 6;
/// Blocks after which kicks are tried again: at first, and at most.
constexpr int first_patience = 4, longest_patience = 256;

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

/// Of displacements, with what rates make of them in a time.
double size(const Local& e, double time) {
  double sum = 0;
  for (const double x : e.x) sum += x * x;
  for (const double u : e.u) sum += time * time * u * u;
  for (const double z : e.z) sum += z * z;
  return std::sqrt(sum);
}

double distance(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

}  // namespace

/// The path must be exact beyond the order of the method, and the quadrature beyond the path: two
/// steps give degree 8, three 11, four 14.
ErrorBlocks error_blocks(const Method& method) {
  return method.order <= 5 ? ErrorBlocks{2, 4} : ErrorBlocks{3, 8};
}

GlobalError::GlobalError(NearbyMotion& motion, ErrorBlocks blocks)
    : motion_(motion),
      blocks_(blocks),
      ends_(static_cast<std::size_t>(2 * blocks.steps + 1)),
      points_(ends_.size()) {
  for (int steps = 1; steps <= blocks.steps; ++steps)
    rules_.emplace_back(blocks.nodes - (blocks.steps - steps));
  quadrature_.nodes.resize(static_cast<std::size_t>(blocks.nodes));
  const int n = motion.second_order(), m = motion.first_order();
  for (Local* y : {&e_, &start_, &kicked_e_, &y_, &change_, &last_e_}) y->resize(n, m);
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

void GlobalError::add(const Local& change) {
  add_to(1, change, e_);
}

/// A block of fewer steps than usual: the path goes on from the ends before it, where they are in
/// reach.
void GlobalError::take_earlier_ends() {
  block_.earliest = block_.first;
  while (block_.earliest > 0 && block_.last - block_.earliest < blocks_.steps) {
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
  quadrature_.rule = &rules_[steps() - 1];
  take_earlier_ends();
  start_ = e_;
  bool stiff = fast_.blocks > 0;
  Eval done = Eval::ok;
  const bool kicked = !stiff;
  kicked_whole_ = false;
  if (kicked) done = kick(stiff);
  if (stiff) {
    if (kicked) {
      fast_.patience = std::clamp(2 * fast_.patience, first_patience, longest_patience);
      fast_.blocks = fast_.patience;
    }
    --fast_.blocks;
    std::swap(kicked_e_, e_);
    e_ = start_;
    done = follow_fast_modes();
    // Kicks let fast modes grow: where they have come to less, there are none.
    if (kicked_whole_ && !(size(e_, block_.length) < size(kicked_e_, block_.length))) {
      std::swap(kicked_e_, e_);
      fast_.blocks = 0;
      done = Eval::ok;
    }
  }
  end_ = ends_[block_.last].state;
  if (done == Eval::ok) done = motion_.carry(points_[block_.last].y, end_, e_);
  known_ = done == Eval::ok && all_finite(e_.x) && all_finite(e_.u) && all_finite(e_.z);
  const int kept = std::min(block_.last, blocks_.steps);
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

Eval GlobalError::kick(bool& stiff) {
  pass(points_, BlockPath::By::all_rates);
  const GaussRule& rule = *quadrature_.rule;
  const double H = block_.length;
  double at = 0, answer = 0, moved = 0;
  for (std::size_t i = 0; i < rule.node.size(); ++i) {
    const double drift = (rule.node[i] - at) * H, weight = rule.weight[i] * H;
    at = rule.node[i];
    add_scaled(drift, e_.u, e_.x);
    // In the middle of its kick, as far as the last one tells.
    change_ = e_;
    add_scaled(0.5 * weight, last_d_.a, change_.u);
    add_scaled(0.5 * weight, last_d_.b, change_.z);
    if (Eval done = defect(i, change_); done != Eval::ok) {
      stiff = i > 0;
      return done;
    }
    if (i > 0) {
      const double more = H * H * distance(d_.a, last_d_.a) + H * distance(d_.b, last_d_.b),
                   way = distance(change_.x, last_e_.x) + H * distance(change_.u, last_e_.u) +
                         distance(change_.z, last_e_.z);
      stiff = more * rule.weight.front() > plain * way;
      if (stiff) return Eval::ok;
      answer += more;
      moved += way;
    }
    std::swap(last_e_, change_);
    add_scaled(weight, d_.a, e_.u);
    add_scaled(weight, d_.b, e_.z);
    last_d_ = d_;
  }
  add_scaled((1 - at) * H, e_.u, e_.x);
  stiff = false;
  kicked_whole_ = true;
  return answer > suspicious * moved ? look_for_fast_modes(stiff) : Eval::ok;
}

/// Where the defect itself changes as much, as in the first blocks, what e alone makes at the last
/// node decides.
Eval GlobalError::look_for_fast_modes(bool& stiff) {
  clear(change_);
  if (Eval done = defect(quadrature_.rule->node.size() - 1, change_); done != Eval::ok) return done;
  const double answer = block_.length * block_.length * distance(d_.a, last_d_.a) +
                        block_.length * distance(d_.b, last_d_.b);
  const double moved = distance(change_.x, last_e_.x) +
                       block_.length * distance(change_.u, last_e_.u) +
                       distance(change_.z, last_e_.z);
  const double fastest = fastest_kick / *std::ranges::max_element(quadrature_.rule->weight);
  stiff = answer > fastest * fastest / (1 + fastest) * moved;
  return Eval::ok;
}

/// smooth_ := the points, with rates that fast modes have no large share in.
void GlobalError::smooth_rates() {
  constexpr int passes = 3;
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
      last_e_ = change_;
      motion_.filter(last_e_);
      add_scaled(-1, last_e_.u, change_.u);
      add_scaled(-1, last_e_.z, change_.z);
    }
    add_scaled(-1, change_.u, smooth.rate.a);
    add_scaled(-1, change_.z, smooth.rate.b);
  }
}

Eval GlobalError::follow_fast_modes() {
  smooth_.resize(points_.size());
  pass(points_, BlockPath::By::positions_and_velocities);
  const std::size_t middle = (quadrature_.rule->node.size() - 1) / 2;
  if (Eval done = defect(middle, start_); done != Eval::ok) return done;
  ++counts_.jacobians;
  if (Eval done = motion_.factor(gamma_of * block_.length); done != Eval::ok) return done;
  smooth_rates();
  pass(smooth_, BlockPath::By::all_rates);
  const GaussRule& rule = *quadrature_.rule;
  const double H = block_.length;
  for (Local& sum : sums_) clear(sum);
  std::array<double, solves> L{};
  for (std::size_t i = 0; i < rule.node.size(); ++i) {
    if (Eval done = defect(i, start_); done != Eval::ok) return done;
    laguerre((1 - rule.node[i]) / gamma_of, L);
    for (int n = 0; n < solves; ++n) {
      const double weight = H * rule.weight[i] * L[n];
      add_scaled(weight, start_.u, sums_[n].x);
      add_scaled(weight, d_.a, sums_[n].u);
      add_scaled(weight, d_.b, sums_[n].z);
    }
  }
  std::ranges::fill(last_d_.a, 0.0);
  std::ranges::fill(last_d_.b, 0.0);
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
