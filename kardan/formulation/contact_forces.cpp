#include "kardan/formulation/contact_forces.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace kardan {
namespace {

using Verdict = ContactAnswer::Verdict;

/// [unit] Rounding of accelerations and of forces, as accelerations.
constexpr double rounding = 1e-10;
/// A pivot of equations of unit size below this is none.
constexpr double no_pivot = 1e-11;
/// Of a force that is not unique: less is rounding.
constexpr double least_share = 1e-9;
/// Assignments that are tried, and corners of the forces that are not unique, at most.
constexpr double most_assignments = 50'000;
constexpr int most_corners = 50'000, most_free_forces = 4;
constexpr int most_iterations = 60;

/// All solutions of A x = b: one of them, and directions that change nothing.
struct Solutions {
  bool consistent = false;
  Vector x;
  std::vector<Vector> free;
};

/// Gauss-Jordan with full pivoting on rows of unit size.
Solutions solve_all(Matrix A, Vector b) {
  const int m = A.rows(), n = A.cols();
  for (int i = 0; i < m; ++i) {
    double size = 0;
    for (int j = 0; j < n; ++j) size = std::max(size, std::abs(A(i, j)));
    if (size == 0) continue;
    for (int j = 0; j < n; ++j) A(i, j) /= size;
    b[i] /= size;
  }
  std::vector<int> column_of;
  std::vector<char> used(n, 0);
  for (int k = 0; k < std::min(m, n); ++k) {
    int row = k, column = -1;
    double best = no_pivot;
    for (int i = k; i < m; ++i)
      for (int j = 0; j < n; ++j)
        if (!used[j] && std::abs(A(i, j)) > best) best = std::abs(A(i, j)), row = i, column = j;
    if (column < 0) break;
    for (int j = 0; j < n; ++j) std::swap(A(k, j), A(row, j));
    std::swap(b[k], b[row]);
    used[column] = 1;
    column_of.push_back(column);
    const double scale = 1 / A(k, column);
    for (int j = 0; j < n; ++j) A(k, j) *= scale;
    b[k] *= scale;
    for (int i = 0; i < m; ++i) {
      const double factor = A(i, column);
      if (i == k || factor == 0) continue;
      for (int j = 0; j < n; ++j) A(i, j) -= factor * A(k, j);
      b[i] -= factor * b[k];
    }
  }
  Solutions out;
  const auto rank = static_cast<int>(column_of.size());
  double size = 1;
  for (const double v : b) size = std::max(size, std::abs(v));
  out.consistent = true;
  for (int i = rank; i < m; ++i) out.consistent = out.consistent && std::abs(b[i]) <= 1e-9 * size;
  out.x.assign(n, 0.0);
  for (int k = 0; k < rank; ++k) out.x[column_of[k]] = b[k];
  for (int j = 0; j < n; ++j) {
    if (used[j]) continue;
    Vector direction(n, 0.0);
    direction[j] = 1;
    for (int k = 0; k < rank; ++k) direction[column_of[k]] = -A(k, j);
    out.free.push_back(std::move(direction));
  }
  return out;
}

/// Whether there is something that presses.
bool is_pressed(const ContactProblem& p, const std::vector<int>& modes, const FrictionContact& f) {
  const int stop = f.load.stop;
  return stop < 0 || modes[stop] != 0 || p.stops[stop].least > 0;
}

class Assignment {
 public:
  Assignment(const ContactProblem& problem, const std::vector<int>& modes)
      : problem_(problem),
        modes_(modes),
        stops_(static_cast<int>(problem.stops.size())),
        n_(problem.rows()) {}

  ContactAnswer answer() {
    ContactAnswer out;
    out.modes = modes_;
    out.force.assign(n_, 0.0);
    Solutions all;
    if (!solve(out.force, all)) return out;
    out.verdict = Verdict::found;
    if (!all.free.empty() && !take_middle(all, out)) {
      out.verdict = Verdict::undecided;
      return out;
    }
    out.x = problem_.b;
    for (int i = 0; i < n_; ++i)
      for (int j = 0; j < n_; ++j) out.x[i] += problem_.W(i, j) * out.force[j];
    if (out.margin.empty()) out.margin = margins(out.force);
    return out;
  }

 private:
  const FrictionContact& friction(int row) const { return problem_.frictions[row - stops_]; }
  bool is_stop(int row) const { return row < stops_; }
  bool held(int row) const {
    return is_stop(row) ? modes_[row] != 0 : modes_[row] == 0 && pressed(row);
  }
  bool pressed(int row) const { return is_pressed(problem_, modes_, friction(row)); }
  double size(int row) const { return problem_.W(row, row) * problem_.unit[row]; }

  double load(int row, const Vector& force) const {
    const ContactLoad& l = friction(row).load;
    if (l.stop >= 0) return l.fixed + l.arm * problem_.stops[l.stop].side * force[l.stop];
    return l.fixed + (l.offset.empty() ? 0 : l.arm * norm_two(at_joint(l, force)));
  }
  Vector at_joint(const ContactLoad& l, const Vector& force) const {
    Vector out = l.offset;
    for (int i = 0; i < l.by_force.rows(); ++i)
      for (int j = 0; j < n_; ++j) out[i] += l.by_force(i, j) * force[j];
    return out;
  }

  /// force_row + d (slip N + extra) = 0, with N linear at `force`.
  void slipping(int row, const Vector& force, Matrix& A, Vector& b) const {
    const FrictionContact& f = friction(row);
    const int d = modes_[row];
    const ContactLoad& l = f.load;
    A(row, row) = 1;
    b[row] = -d * (f.slip * l.fixed + f.extra);
    if (l.stop >= 0) A(row, l.stop) += d * f.slip * l.arm * problem_.stops[l.stop].side;
    if (l.offset.empty()) return;
    const Vector at = at_joint(l, force);
    const double norm = norm_two(at);
    if (!(norm > 0)) return;
    for (int i = 0; i < l.by_force.rows(); ++i) {
      b[row] -= d * f.slip * l.arm * at[i] / norm * l.offset[i];
      for (int j = 0; j < n_; ++j)
        A(row, j) += d * f.slip * l.arm * at[i] / norm * l.by_force(i, j);
    }
  }

  bool solve(Vector& force, Solutions& all) const {
    for (int iteration = 0; iteration < most_iterations; ++iteration) {
      Matrix A(n_, n_);
      Vector b(n_, 0.0);
      bool bends = false;
      for (int i = 0; i < n_; ++i) {
        if (held(i)) {
          for (int j = 0; j < n_; ++j) A(i, j) = problem_.W(i, j);
          b[i] = -problem_.b[i];
        } else if (is_stop(i)) {
          A(i, i) = 1;
          b[i] = problem_.stops[i].side * problem_.stops[i].least;
        } else if (modes_[i] == 0) {
          A(i, i) = 1;
        } else {
          bends = bends || !friction(i).load.offset.empty();
          slipping(i, force, A, b);
        }
      }
      all = solve_all(std::move(A), std::move(b));
      if (!all.consistent) return false;
      double change = 0, most = 0;
      for (int i = 0; i < n_; ++i) {
        change = std::max(change, std::abs(all.x[i] - force[i]) * size(i));
        most = std::max(most, std::abs(all.x[i]) * size(i));
      }
      force = all.x;
      if (!std::isfinite(most)) return false;
      if (!bends || change <= 1e-14 * (1 + most)) return true;
    }
    return false;
  }

  Vector margins(const Vector& force) const {
    Vector out(n_, std::numeric_limits<double>::infinity());
    for (int i = 0; i < n_; ++i) {
      if (!held(i)) continue;
      if (is_stop(i))
        out[i] = (problem_.stops[i].side * force[i] - problem_.stops[i].least) * size(i);
      else
        out[i] = (friction(i).stick * load(i, force) - std::abs(force[i])) * size(i);
    }
    return out;
  }

  /// A bound c + C z >= 0 on forces that are not unique, force = x + sum z_k free_k.
  struct Bound {
    double c = 0;
    Vector C;
    int row = 0;
  };
  std::vector<Bound> bounds(const Solutions& all) const {
    std::vector<Bound> out;
    const auto add = [&](int row, const Vector& by_force, double c) {
      Bound bound{c * size(row), Vector(all.free.size(), 0.0), row};
      bound.c += size(row) * dot(by_force, all.x);
      double touched = 0;
      for (std::size_t k = 0; k < all.free.size(); ++k) {
        bound.C[k] = size(row) * dot(by_force, all.free[k]);
        touched = std::max(touched, std::abs(bound.C[k]));
      }
      if (touched > no_pivot) out.push_back(std::move(bound));
    };
    for (int i = 0; i < n_; ++i) {
      if (!held(i)) continue;
      Vector by_force(n_, 0.0);
      if (is_stop(i)) {
        by_force[i] = problem_.stops[i].side;
        add(i, by_force, -problem_.stops[i].least);
        continue;
      }
      const ContactLoad& l = friction(i).load;
      for (const int sign : {1, -1}) {
        std::fill(by_force.begin(), by_force.end(), 0.0);
        by_force[i] = sign;
        if (l.stop >= 0)
          by_force[l.stop] += friction(i).stick * l.arm * problem_.stops[l.stop].side;
        add(i, by_force, friction(i).stick * l.fixed);
      }
    }
    return out;
  }

  /// Takes those forces whose smallest margin is the largest: a corner of the bounds c + C z >= m.
  bool take_middle(const Solutions& all, ContactAnswer& out) const {
    const auto d = static_cast<int>(all.free.size());
    for (int i = stops_; i < n_; ++i) {
      const bool slips = !held(i) && pressed(i) && modes_[i] != 0;
      if (!slips && friction(i).load.offset.empty()) continue;
      // The loads of joints bend bounds; what slips must know its load.
      for (const Vector& free : all.free)
        for (int j = 0; j < n_; ++j)
          if (std::abs(free[j]) > least_share && (j == i || j == friction(i).load.stop))
            return false;
      if (held(i)) return false;
    }
    const std::vector<Bound> all_bounds = bounds(all);
    if (d > most_free_forces) return false;
    Vector z(d, 0.0);
    double best = -std::numeric_limits<double>::infinity();
    if (!best_corner(all_bounds, d, z, best)) return false;
    for (int k = 0; k < d; ++k) add_scaled(z[k], all.free[k], out.force);
    out.margin = margins(out.force);
    for (const Bound& bound : all_bounds) out.margin[bound.row] = best;
    return true;
  }

  static bool best_corner(const std::vector<Bound>& bounds, int d, Vector& z, double& best) {
    const auto count = static_cast<int>(bounds.size());
    std::vector<int> chosen(d + 1);
    for (int k = 0; k <= d; ++k) chosen[k] = k;
    if (count < d + 1) return false;
    for (int tried = 0; tried < most_corners; ++tried) {
      Matrix A(d + 1, d + 1);
      Vector b(d + 1);
      for (int k = 0; k <= d; ++k) {
        for (int j = 0; j < d; ++j) A(k, j) = bounds[chosen[k]].C[j];
        A(k, d) = -1;
        b[k] = -bounds[chosen[k]].c;
      }
      const Solutions corner = solve_all(std::move(A), std::move(b));
      if (corner.consistent && corner.free.empty()) {
        const double m = corner.x[d];
        bool inside = m > best;
        for (const Bound& bound : bounds) {
          double value = bound.c;
          for (int j = 0; j < d; ++j) value += bound.C[j] * corner.x[j];
          inside = inside && value >= m - rounding * (1 + std::abs(m));
        }
        if (inside) {
          best = m;
          z.assign(corner.x.begin(), corner.x.begin() + d);
        }
      }
      int k = d;
      while (k >= 0 && chosen[k] == count - 1 - (d - k)) --k;
      if (k < 0) return std::isfinite(best);
      ++chosen[k];
      for (int j = k + 1; j <= d; ++j) chosen[j] = chosen[j - 1] + 1;
    }
    return false;
  }

  const ContactProblem& problem_;
  const std::vector<int>& modes_;
  int stops_, n_;
};

/// Whether an assignment's forces answer all conditions.
bool answers(const ContactProblem& p, const ContactAnswer& a) {
  const auto stops = static_cast<int>(p.stops.size());
  for (int i = 0; i < p.rows(); ++i) {
    const double x = p.unit[i] * a.x[i];
    if (a.margin[i] < -rounding) return false;
    if (i < stops) {
      if (p.stops[i].side != 0 && a.modes[i] == 0 && p.stops[i].side * x < -rounding) return false;
    } else if (p.frictions[i - stops].moves == 0 && a.modes[i] * x < -rounding) {
      return false;
    }
  }
  return true;
}

/// The choices of a row under those of the stops, the preferred one first.
std::vector<int> choices(const ContactProblem& p, int row, const std::vector<int>& modes) {
  const auto stops = static_cast<int>(p.stops.size());
  if (row < stops)
    return p.stops[row].side != 0 ? std::vector<int>{p.stops[row].side, 0} : std::vector<int>{0};
  const FrictionContact& f = p.frictions[row - stops];
  if (!is_pressed(p, modes, f)) return {0};
  if (f.moves != 0) return {f.moves};
  return f.may_stick ? std::vector<int>{0, 1, -1} : std::vector<int>{1, -1};
}

/// All assignments, one after the other, depth first.
template <class Visit>
bool each(const ContactProblem& p, int row, std::vector<int>& modes, Visit&& visit) {
  if (row == p.rows()) return visit();
  for (const int choice : choices(p, row, modes)) {
    modes[row] = choice;
    if (!each(p, row + 1, modes, visit)) return false;
  }
  return true;
}

double assignments(const ContactProblem& p) {
  double out = 1;
  for (const StopContact& s : p.stops) out *= s.side != 0 ? 2 : 1;
  for (const FrictionContact& f : p.frictions) out *= f.moves != 0 ? 1 : 3;
  return out;
}

}  // namespace

ContactAnswer forces_of(const ContactProblem& problem, std::vector<int> modes) {
  return Assignment(problem, modes).answer();
}

ContactAnswer solve_contacts(const ContactProblem& problem) {
  ContactAnswer first;
  std::vector<int> modes(problem.rows(), 0);
  if (assignments(problem) > most_assignments) {
    first.verdict = Verdict::too_many;
    return first;
  }
  const bool slips = std::ranges::any_of(problem.frictions, [](const FrictionContact& f) {
    return f.moves != 0 && (f.load.stop >= 0 || !f.load.offset.empty());
  });
  bool found = false, undecided = false;
  each(problem, 0, modes, [&] {
    ContactAnswer next = forces_of(problem, modes);
    undecided = undecided || next.verdict == Verdict::undecided;
    if (next.verdict != Verdict::found || !answers(problem, next)) return true;
    if (!found) {
      found = true;
      first = std::move(next);
      return slips;  // else what can stick, sticks
    }
    // Another motion of what slips: not one in which something lets go that could have stuck.
    for (const FrictionContact& f : problem.frictions)
      if (f.moves == 0 && is_pressed(problem, first.modes, f)) return true;
    double difference = 0, size = 1;
    for (int i = 0; i < problem.rows(); ++i) {
      difference = std::max(difference, problem.unit[i] * std::abs(next.x[i] - first.x[i]));
      size = std::max(size, problem.unit[i] * std::abs(first.x[i]));
    }
    if (difference <= 1e-6 * size) return true;
    first.verdict = Verdict::several;
    return false;
  });
  if (!found) first.verdict = undecided ? Verdict::undecided : Verdict::none;
  return first;
}

}  // namespace kardan
