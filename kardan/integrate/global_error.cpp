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
/// Kicks answer displacements with at most so many times what moves them away in a block, or modes
/// are too fast to be followed by kicks.
constexpr double fastest = 6;
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

double distance(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]) * (a[i] - b[i]);
  return std::sqrt(sum);
}

}  // namespace

/// The path must be exact beyond the order of the method, and the quadrature beyond the path: two
/// steps give degree 8, three 11, four 14.
ErrorBlocks error_blocks(int order) {
  return order <= 5 ? ErrorBlocks{2, 4} : ErrorBlocks{3, 8};
}

GlobalError::GlobalError(NearbyMotion& motion, ErrorBlocks blocks)
    : motion_(motion), blocks_(blocks), points_(blocks.steps + 1), states_(blocks.steps + 1) {
  // Single steps: their quintic has a defect of degree 4.
  for (int steps = 1; steps <= blocks.steps; ++steps)
    rules_.emplace_back(
        std::max(3, (blocks.nodes * steps + blocks.steps - 1) / blocks.steps));
  const int n = motion.second_order(), m = motion.first_order();
  for (Local* y : {&e_, &start_, &y_, &change_, &last_e_}) y->resize(n, m);
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
  first_point(state, a, b);
  std::ranges::fill(last_d_.a, 0.0);
  std::ranges::fill(last_d_.b, 0.0);
}

void GlobalError::first_point(const State& state, const Vector& a, const Vector& b) {
  count_ = 1;
  states_[0] = state;
  a_ = a;
  b_ = b;
}

bool GlobalError::step(const State& state, const Vector& a, const Vector& b) {
  if (!known_) return false;
  if (count_ == 1) {
    motion_.rebase(states_[0]);
    motion_.place(states_[0], a_, b_, points_[0].y, points_[0].rate);
    points_[0].t = states_[0].t;
  }
  PathPoint& point = points_[count_];
  point.t = state.t;
  motion_.place(state, a, b, point.y, point.rate);
  if (count_ > 1) {
    const double h = state.t - states_[count_ - 1].t,
                 before = states_[count_ - 1].t - states_[count_ - 2].t;
    if (motion_.largest_turn(point.y) > longest_turn || h > longest_ratio * before ||
        h * longest_ratio < before) {
      carry_over();
      step(state, a, b);
      return true;
    }
  }
  states_[count_++] = state;
  a_ = a;
  b_ = b;
  return count_ > blocks_.steps && carry_over();
}

bool GlobalError::close() {
  return known_ && count_ > 1 && carry_over();
}

void GlobalError::add(const Local& change) {
  add_to(1, change, e_);
}

/// e over the block, and into the chart of its end.
bool GlobalError::carry_over() {
  const int steps = count_ - 1;
  path_.pass({points_.data(), static_cast<std::size_t>(count_)}, rules_[steps - 1].node);
  start_ = e_;
  motion_.close_at(1 / (points_[steps].t - points_[0].t));
  bool stiff = fast_for_ > 0;
  Eval done = Eval::ok;
  if (!stiff) done = kick(stiff);
  if (stiff) {
    if (fast_for_ == 0) {
      patience_ = std::clamp(2 * patience_, first_patience, longest_patience);
      fast_for_ = patience_;
    }
    --fast_for_;
    e_ = start_;
    done = follow_fast_modes();
  }
  known_ = done == Eval::ok && all_finite(e_.x) && all_finite(e_.u) && all_finite(e_.z);
  end_ = states_[steps];
  motion_.carry(points_[steps].y, end_, e_);
  states_[0] = end_;
  count_ = 1;
  return true;
}

/// d_ := P' - f(P - e) at a node, of velocities and first-order variables.
Eval GlobalError::defect(int node, const Local& e) {
  const std::span<const PathPoint> points{points_.data(), static_cast<std::size_t>(count_)};
  const double from = points.front().t, length = points.back().t - from;
  path_.at(points, node, y_, d_);
  add_to(-1, e, y_);
  ++evaluations_;
  if (Eval done = motion_.rate(from + rules_[count_ - 2].node[node] * length, y_, rate_);
      done != Eval::ok)
    return done;
  add_scaled(-1, rate_.a, d_.a);
  add_scaled(-1, rate_.b, d_.b);
  return Eval::ok;
}

Eval GlobalError::kick(bool& stiff) {
  const GaussRule& rule = rules_[count_ - 2];
  const double H = points_[count_ - 1].t - points_[0].t;
  double at = 0, answer = 0, moved = 0;
  for (std::size_t i = 0; i < rule.node.size(); ++i) {
    const double drift = (rule.node[i] - at) * H, weight = rule.weight[i] * H;
    at = rule.node[i];
    add_scaled(drift, e_.u, e_.x);
    // In the middle of its kick, as far as the last one tells.
    change_ = e_;
    add_scaled(0.5 * weight, last_d_.a, change_.u);
    add_scaled(0.5 * weight, last_d_.b, change_.z);
    if (Eval done = defect(static_cast<int>(i), change_); done != Eval::ok) {
      stiff = i > 0;
      return done;
    }
    if (i > 0) {
      answer += H * H * distance(d_.a, last_d_.a) + H * distance(d_.b, last_d_.b);
      moved += distance(change_.x, last_e_.x) + H * distance(change_.u, last_e_.u) +
               distance(change_.z, last_e_.z);
    }
    std::swap(last_e_, change_);
    add_scaled(weight, d_.a, e_.u);
    add_scaled(weight, d_.b, e_.z);
    last_d_ = d_;
  }
  add_scaled((1 - at) * H, e_.u, e_.x);
  stiff = answer > fastest * moved;
  return Eval::ok;
}

Eval GlobalError::follow_fast_modes() {
  const GaussRule& rule = rules_[count_ - 2];
  const double H = points_[count_ - 1].t - points_[0].t;
  for (Local& sum : sums_) clear(sum);
  std::array<double, solves> L{};
  const std::size_t middle = (rule.node.size() - 1) / 2;
  for (std::size_t i = 0; i < rule.node.size(); ++i) {
    if (Eval done = defect(static_cast<int>(i), start_); done != Eval::ok) return done;
    if (i == middle) {
      ++jacobians_;
      if (Eval done = motion_.factor(gamma_of * H); done != Eval::ok) return done;
    }
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
