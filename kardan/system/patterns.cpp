#include "kardan/system/patterns.h"

#include <algorithm>
#include <unordered_map>

namespace kardan {
namespace {

/// Calls a lambda through the banks' plain function-pointer visitors.
template <class Slots, class Bank, class Visit>
void each_slot(Bank& bank, Visit&& visit) {
  using V = std::remove_reference_t<Visit>;
  bank.each_slot([](void* user, Slots& s) { (*static_cast<V*>(user))(s); }, &visit);
}

void insert(std::vector<int>& sorted, int value) {
  const auto at = std::lower_bound(sorted.begin(), sorted.end(), value);
  if (at == sorted.end() || *at != value) sorted.insert(at, value);
}

/// A pattern whose rows are given by the bodies whose columns they hold.
struct BodyPattern {
  SparsePattern pattern;
  explicit BodyPattern(int cols) { pattern.cols = cols; }

  void add_row(const std::vector<int>& row_bodies, const std::vector<BodyColumns>& bodies) {
    for (int b : row_bodies)
      for (int k = 0; k < bodies[b].count; ++k) pattern.column.push_back(bodies[b].first + k);
    pattern.row_start.push_back(static_cast<int>(pattern.column.size()));
    ++pattern.rows;
  }
  std::shared_ptr<const SparsePattern> share() {
    pattern.column.shrink_to_fit();
    return std::make_shared<const SparsePattern>(std::move(pattern));
  }
};

int row_values(const SparsePattern& p, int row) {
  return p.row_start[row + 1] - p.row_start[row];
}

/// Numbers the pairs of bodies in order of first use.
class PairIndex {
 public:
  explicit PairIndex(std::vector<PairSlots>& pairs) : pairs_(pairs) {}
  int operator()(const BodyColumns& A, const BodyColumns& B) {
    const std::uint64_t key =
        (static_cast<std::uint64_t>(A.body) << 32) | static_cast<unsigned>(B.body);
    const auto [found, is_new] = index_.emplace(key, static_cast<int>(pairs_.size()));
    if (is_new) {
      pairs_.emplace_back();
      pairs_.back().A = A;
      pairs_.back().B = B;
    }
    return found->second;
  }

 private:
  std::vector<PairSlots>& pairs_;
  std::unordered_map<std::uint64_t, int> index_;
};

std::shared_ptr<const SparsePattern> force_pattern(Topology& t,
                                                   std::span<const FormulaCoupling> formulas,
                                                   int velocities) {
  std::vector<std::vector<int>> near(t.bodies.size());
  for (std::size_t b = 1; b < t.bodies.size(); ++b) near[b].push_back(static_cast<int>(b));
  for (const PairSlots& s : t.pairs) {
    if (!s.A.count || !s.B.count) continue;
    insert(near[s.A.body], s.B.body);
    insert(near[s.B.body], s.A.body);
  }
  for (const FormulaCoupling& f : formulas)
    for (int a : f.forces)
      for (int b : f.motions) insert(near[a], b);
  BodyPattern out(velocities);
  for (std::size_t b = 1; b < t.bodies.size(); ++b)
    for (int k = 0; k < t.bodies[b].count; ++k) out.add_row(near[b], t.bodies);
  auto pattern = out.share();
  for (PairSlots& s : t.pairs) {
    if (s.A.count) {
      s.stride_A = row_values(*pattern, s.A.first);
      s.AA = pattern->find(s.A.first, s.A.first);
    }
    if (s.B.count) {
      s.stride_B = row_values(*pattern, s.B.first);
      s.BB = pattern->find(s.B.first, s.B.first);
    }
    if (s.A.count && s.B.count) {
      s.AB = pattern->find(s.A.first, s.B.first);
      s.BA = pattern->find(s.B.first, s.A.first);
    }
  }
  return pattern;
}

/// Translations are not coupled: the centre of mass is where a body's coordinates are.
std::shared_ptr<const SparsePattern> mass_pattern(const Topology& t, int dimension,
                                                  int velocities) {
  SparsePattern out;
  out.rows = out.cols = velocities;
  for (std::size_t b = 1; b < t.bodies.size(); ++b)
    for (int k = 0; k < t.bodies[b].count; ++k) {
      const bool turns = k >= dimension;
      for (int j = turns ? dimension : k; j < (turns ? t.bodies[b].count : k + 1); ++j)
        out.column.push_back(t.bodies[b].first + j);
      out.row_start.push_back(static_cast<int>(out.column.size()));
    }
  out.column.shrink_to_fit();
  return std::make_shared<const SparsePattern>(std::move(out));
}

template <int D>
std::shared_ptr<const SparsePattern> constraint_pattern(Program<D>& program, int velocities,
                                                        std::span<const SharedRow> shared,
                                                        Topology& t) {
  t.row_bodies.assign(program.rows.size(), {});
  for (const SharedRow& s : shared)
    if (s.row >= 0) t.row_bodies[s.row] = s.bodies;
  for (auto& bank : program.constraints)
    each_slot<RowSlots>(*bank, [&](RowSlots& s) {
      for (int k = 0; k < s.rows; ++k) {
        if (s.A.count) insert(t.row_bodies[s.row + k], s.A.body);
        if (s.B.count) insert(t.row_bodies[s.row + k], s.B.body);
      }
    });
  BodyPattern out(velocities);
  for (const auto& bodies : t.row_bodies) out.add_row(bodies, t.bodies);
  auto pattern = out.share();
  for (auto& bank : program.constraints)
    each_slot<RowSlots>(*bank, [&](RowSlots& s) {
      s.stride = row_values(*pattern, s.row);
      if (s.A.count) s.value_A = pattern->find(s.row, s.A.first);
      if (s.B.count) s.value_B = pattern->find(s.row, s.B.first);
    });
  return pattern;
}

/// Places of the derivatives by the variables of a force, of which the first nr are dynamic.
template <int D>
void place_aux(typename ForceBank<D>::Slots& s, int nr, const Patterns& out) {
  AuxSlots& x = s.aux;
  const int row_w = nr + x.w;
  auto place = [&](int row, int& A, int& B, int& f_A, int& f_B) {
    if (s.A.count) A = out.aux->find(row, s.A.first);
    if (s.B.count) B = out.aux->find(row, s.B.first);
    if (s.A.count) f_A = out.force_aux->find(s.A.first, row);
    if (s.B.count) f_B = out.force_aux->find(s.B.first, row);
  };
  if (x.r >= 0) {
    place(x.r, x.row_r, x.row_r_B, x.f_r_A, x.f_r_B);
    x.rr = out.aux_aux->find(x.r, x.r);
  }
  if (x.w >= 0) {
    place(row_w, x.row_w, x.row_w_B, x.f_w_A, x.f_w_B);
    x.ww = out.aux_aux->find(row_w, row_w);
  }
  if (x.r >= 0 && x.w >= 0) {
    x.rw = out.aux_aux->find(x.r, row_w);
    x.wr = out.aux_aux->find(row_w, x.r);
  }
  if (s.A.count) x.f_stride_A = row_values(*out.force_aux, s.A.first);
  if (s.B.count) x.f_stride_B = row_values(*out.force_aux, s.B.first);
}

/// Columns (r; w) of the equations (b; d), and of f.
template <int D>
void aux_patterns(Program<D>& program, int velocities, std::span<const FormulaCoupling> formulas,
                  const Topology& t, Patterns& out) {
  using Slots = typename ForceBank<D>::Slots;
  const int nr = static_cast<int>(program.states.size());
  const int n = nr + static_cast<int>(program.auxiliaries.size());
  std::vector<std::vector<int>> bodies(n), own(n), columns(t.bodies.size());
  auto each_owner = [&](auto&& visit) {
    for (auto& bank : program.forces)
      each_slot<Slots>(*bank, [&](Slots& s) {
        if (s.aux.r >= 0 || s.aux.w >= 0) visit(s);
      });
  };
  each_owner([&](Slots& s) {
    const int mine[2] = {s.aux.r, s.aux.w >= 0 ? nr + s.aux.w : -1};
    for (int row : mine) {
      if (row < 0) continue;
      for (int col : mine)
        if (col >= 0) insert(own[row], col);
      for (const BodyColumns* b : {&s.A, &s.B})
        if (b->count) {
          insert(bodies[row], b->body);
          insert(columns[b->body], row);
        }
    }
  });
  for (const FormulaCoupling& f : formulas)
    for (const int x : f.variables) {
      for (const int b : f.forces) insert(columns[b], x);
      if (f.variable >= 0) insert(own[f.variable], x);
    }
  for (const FormulaCoupling& f : formulas)
    if (f.variable >= 0)
      for (const int b : f.motions) insert(bodies[f.variable], b);
  BodyPattern by_body(velocities);
  SparsePattern by_aux, force;
  by_aux.rows = by_aux.cols = n;
  for (int row = 0; row < n; ++row) {
    by_body.add_row(bodies[row], t.bodies);
    by_aux.column.insert(by_aux.column.end(), own[row].begin(), own[row].end());
    by_aux.row_start.push_back(static_cast<int>(by_aux.column.size()));
  }
  force.rows = velocities;
  force.cols = n;
  for (std::size_t b = 1; b < t.bodies.size(); ++b)
    for (int k = 0; k < t.bodies[b].count; ++k) {
      force.column.insert(force.column.end(), columns[b].begin(), columns[b].end());
      force.row_start.push_back(static_cast<int>(force.column.size()));
    }
  out.aux = by_body.share();
  out.aux_aux = std::make_shared<const SparsePattern>(std::move(by_aux));
  out.force_aux = std::make_shared<const SparsePattern>(std::move(force));
  each_owner([&](Slots& s) { place_aux<D>(s, nr, out); });
}

}  // namespace

template <int D>
Patterns lay_out(Program<D>& program, int velocities, std::span<const SharedRow> shared,
                 std::span<const FormulaCoupling> formulas, Topology& topology) {
  using Slots = typename ForceBank<D>::Slots;
  Patterns out;
  out.constraint = constraint_pattern(program, velocities, shared, topology);
  PairIndex pair(topology.pairs);
  for (auto& bank : program.constraints)
    each_slot<RowSlots>(*bank, [&](RowSlots& s) { s.pairs = pair(s.A, s.B); });
  for (auto& bank : program.forces)
    each_slot<Slots>(*bank, [&](Slots& s) { s.pair = pair(s.A, s.B); });
  for (const SharedRow& s : shared)
    for (int a : s.bodies)
      for (int b : s.bodies) pair(topology.bodies[a], topology.bodies[b]);
  out.force = force_pattern(topology, formulas, velocities);
  out.mass = mass_pattern(topology, D, velocities);
  aux_patterns(program, velocities, formulas, topology, out);
  return out;
}

template Patterns lay_out<2>(Program<2>&, int, std::span<const SharedRow>,
                             std::span<const FormulaCoupling>, Topology&);
template Patterns lay_out<3>(Program<3>&, int, std::span<const SharedRow>,
                             std::span<const FormulaCoupling>, Topology&);

}  // namespace kardan
