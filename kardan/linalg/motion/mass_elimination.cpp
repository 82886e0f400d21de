#include "kardan/linalg/motion/mass_elimination.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <type_traits>

#include "kardan/base/assert.h"
#include "kardan/linalg/dispatch.h"
#include "kardan/linalg/kernels.h"
#include "kardan/linalg/lanes.h"

namespace kardan {
namespace {

/// Without the hub this share of every row is left.
constexpr double least_share = 1e-4;

/// Calls `use` with the size of a block as a constant where it is one of those of bodies: a
/// coordinate by itself, a rotation, a body. Their loops then have no branches left.
template <class Use>
KARDAN_INLINE void with_size(int size, Use&& use) {
  switch (size) {
    case 1:
      return use(std::integral_constant<int, 1>());
    case 3:
      return use(std::integral_constant<int, 3>());
    case 6:
      return use(std::integral_constant<int, 6>());
    default:
      return use(size);
  }
}

/// The number of columns that are not connected.
template <class Size>
struct Diagonal {
  Size size;
};

/// Calls `use` with the size of a block, or its diagonal.
template <class Use>
KARDAN_INLINE void with_block(const EliminationPlan::Block& block, Use&& use) {
  if (block.diagonal)
    with_size(
        block.size, [&](auto size)
                        __attribute__((always_inline)) { use(Diagonal<decltype(size)>{size}); });
  else
    with_size(block.size, use);
}

/// L^-1 in place of a matrix L L', both by rows of the lower triangle. The row whose pivot failed,
/// or -1. Products with the inverse do not wait for each other, as the steps of a solution do.
int invert_factor(int size, double* L) {
  for (int i = 0; i < size; ++i) {
    double* row = L + i * (i + 1) / 2;
    const double own = row[i];
    for (int j = 0; j <= i; ++j) {
      const double* other = L + j * (j + 1) / 2;
      double sum = row[j];
      for (int k = 0; k < j; ++k) sum -= row[k] * other[k];
      if (j < i)
        row[j] = sum * other[j];
      else if (sum > GramCholesky::smallest_pivot * own && std::isfinite(sum))
        row[i] = 1 / std::sqrt(sum);
      else
        return i;
    }
  }
  // Row i of the inverse: -(L(i, k) sums over rows k >= j) / L(i, i), from the left.
  for (int i = 1; i < size; ++i) {
    double* row = L + i * (i + 1) / 2;
    for (int j = 0; j < i; ++j) {
      double sum = 0;
      for (int k = j; k < i; ++k) sum += row[k] * L[k * (k + 1) / 2 + j];
      row[j] = -sum * row[i];
    }
  }
  return -1;
}

/// x := L^-1 x
template <class Size>
KARDAN_INLINE void lower_solve(Size size, const double* inverse, double* x) {
  for (int i = size - 1; i >= 0; --i) {
    const double* row = inverse + i * (i + 1) / 2;
    double sum = row[0] * x[0];
    for (int k = 1; k <= i; ++k) sum += row[k] * x[k];
    x[i] = sum;
  }
}

template <class Size>
KARDAN_INLINE void lower_solve(Diagonal<Size> block, const double* inverse, double* x) {
  for (int i = 0; i < block.size; ++i) x[i] *= inverse[i];
}

/// The same for four lanes.
template <class Size>
KARDAN_INLINE void lower_solve(Size size, const double* inverse, Four* x) {
  for (int i = size - 1; i >= 0; --i) {
    const double* row = inverse + i * (i + 1) / 2;
    Four sum = row[0] * x[0];
    for (int k = 1; k <= i; ++k) sum += row[k] * x[k];
    x[i] = sum;
  }
}

template <class Size>
KARDAN_INLINE void lower_solve(Diagonal<Size> block, const double* inverse, Four* x) {
  for (int i = 0; i < block.size; ++i) x[i] *= inverse[i];
}

/// x := L^-T x
template <class Size>
KARDAN_INLINE void upper_solve(Diagonal<Size> block, const double* inverse, double* x) {
  lower_solve(block, inverse, x);
}
template <class Size>
KARDAN_INLINE void upper_solve(Size size, const double* inverse, double* x) {
  for (int i = 0; i < size; ++i) {
    double sum = 0;
    for (int k = i; k < size; ++k) sum += inverse[k * (k + 1) / 2 + i] * x[k];
    x[i] = sum;
  }
}

/// The sums of four vectors.
KARDAN_INLINE void add_up(const Four (&x)[lanes], Four& sums) {
  const Four ab = __builtin_shufflevector(x[0], x[1], 0, 4, 2, 6) +
                  __builtin_shufflevector(x[0], x[1], 1, 5, 3, 7);
  const Four cd = __builtin_shufflevector(x[2], x[3], 0, 4, 2, 6) +
                  __builtin_shufflevector(x[2], x[3], 1, 5, 3, 7);
  sums = __builtin_shufflevector(ab, cd, 0, 1, 4, 5) + __builtin_shufflevector(ab, cd, 2, 3, 6, 7);
}

/// The tiles of the groups [first, end) but one from G to Y.
KARDAN_DISPATCHED
void turn(const EliminationPlan& plan, int first, int end, int without, const double* L,
          double* Y) {
  for (int g = first; g < end; ++g) {
    if (g == without) continue;
    const EliminationPlan::Group& group = plan.groups[g];
    const GramGroup& own = plan.tile_groups[g];
    for (int b = group.first_block; b < group.first_block + group.blocks; ++b) {
      const EliminationPlan::Block& block = plan.blocks[b];
      with_block(
          block, [&](auto size) __attribute__((always_inline)) {
            for (int t = own.first_tile; t < own.first_tile + own.tiles; ++t)
              lower_solve(size, L + block.factor,
                          reinterpret_cast<Four*>(Y + plan.tiles[t].values) + block.first_column -
                              group.first_column);
          });
    }
  }
}

/// w := L^-1 w, t += Y w
KARDAN_DISPATCHED
void to_rows(const EliminationPlan& plan, int without, const double* L, const double* Y, double* w,
             double* t) {
  for (int g = 0; g < static_cast<int>(plan.groups.size()); ++g) {
    if (g == without) continue;
    const EliminationPlan::Group& group = plan.groups[g];
    for (int b = group.first_block; b < group.first_block + group.blocks; ++b)
      with_block(
          plan.blocks[b], [&](auto size) __attribute__((always_inline)) {
            lower_solve(size, L + plan.blocks[b].factor, w + plan.blocks[b].first_column);
          });
    const GramGroup& own = plan.tile_groups[g];
    const double* x = w + group.first_column;
    for (int k = own.first_tile; k < own.first_tile + own.tiles; ++k) {
      const Four* y = reinterpret_cast<const Four*>(Y + plan.tiles[k].values);
      Four* to = reinterpret_cast<Four*>(t + lanes * plan.tiles[k].node);
      Four sum = *to;
      for (int c = 0; c < own.columns; ++c) sum += y[c] * x[c];
      *to = sum;
    }
  }
}

/// w := L^-T (w - Y' t)
KARDAN_DISPATCHED
void to_columns(const EliminationPlan& plan, int without, const double* L, const double* Y,
                const double* t, double* w) {
  for (int g = 0; g < static_cast<int>(plan.groups.size()); ++g) {
    if (g == without) continue;
    const EliminationPlan::Group& group = plan.groups[g];
    const GramGroup& own = plan.tile_groups[g];
    const GramTile* first = plan.tiles.data() + own.first_tile;
    for (int c = 0; c < own.columns; c += lanes) {
      with_constant(
          own.columns - c, [&](auto columns) __attribute__((always_inline)) {
            Four sum[lanes] = {};
            for (const GramTile* k = first; k != first + own.tiles; ++k) {
              const Four* y = reinterpret_cast<const Four*>(Y + k->values) + c;
              const Four own_t = *reinterpret_cast<const Four*>(t + lanes * k->node);
              for (int j = 0; j < columns; ++j) sum[j] += y[j] * own_t;
            }
            Four sums;
            add_up(sum, sums);
            for (int j = 0; j < columns; ++j) w[group.first_column + c + j] -= sums[j];
          });
    }
    for (int b = group.first_block; b < group.first_block + group.blocks; ++b)
      with_block(
          plan.blocks[b], [&](auto size) __attribute__((always_inline)) {
            upper_solve(size, L + plan.blocks[b].factor, w + plan.blocks[b].first_column);
          });
  }
}

}  // namespace

MassElimination::MassElimination(std::shared_ptr<const SparsePattern> M,
                                 std::shared_ptr<const SparsePattern> G)
    : plan_(std::make_shared<const EliminationPlan>(std::move(M), std::move(G))),
      L_(plan_->L_from.size()),
      Y_(plan_->Y_size),
      w_(columns()),
      t_(lanes * plan_->whole->nodes()),
      whole_(plan_->whole) {
  if (!has_hub()) return;
  rest_.emplace(plan_->rest);
  const int size = plan_->tile_groups[plan_->hub].columns, width = (size + 3) / 4 * 4;
  Z_.resize(rows(), width);
  DZ_.resize(rows(), width);
  square_.resize(width, width);
  hub_L_.resize(plan_->hub_from.size());
}

int MassElimination::row_at(int lane) const {
  const auto at = std::ranges::find(plan_->lane, lane);
  return at == plan_->lane.end() ? -1 : static_cast<int>(at - plan_->lane.begin());
}

/// Masses of bodies in their own frames do not change.
Eval MassElimination::factor_mass(std::span<const double> M) {
  KARDAN_ASSERT(static_cast<int>(M.size()) == plan_->M->nonzeros(), "one value per entry");
  if (factored_ && std::memcmp(M.data(), mass_.data(), M.size_bytes()) == 0) return Eval::ok;
  mass_.assign(M.begin(), M.end());
  factored_ = false;
  failed_column_ = -1;
  for (const EliminationPlan::Block& b : plan_->blocks) {
    double* L = L_.data() + b.factor;
    const int count = b.diagonal ? b.size : b.size * (b.size + 1) / 2;
    for (int k = 0; k < count; ++k) {
      const int place = plan_->L_from[b.factor + k];
      L[k] = place < 0 ? 0 : M[place];
    }
    int failed = b.diagonal ? -1 : invert_factor(b.size, L);
    for (int k = 0; b.diagonal && k < b.size; ++k)
      if (invert_factor(1, L + k) >= 0) failed = k;
    if (failed >= 0) {
      failed_column_ = plan_->columns[b.first_column + failed];
      return Eval::recoverable;
    }
  }
  factored_ = true;
  return Eval::ok;
}

Eval MassElimination::factor(std::span<const double> G) {
  KARDAN_ASSERT(static_cast<int>(G.size()) == plan_->G->nonzeros(), "one value per entry");
  if (plan_->has_holes) std::fill(Y_.begin(), Y_.end(), 0.0);
  const double* value = G.data();
  for (const EliminationPlan::Run& run : plan_->runs) {
    double* to = Y_.data() + run.values;
    with_size(
        run.count, [&](auto count) __attribute__((always_inline)) {
          for (int k = 0; k < count; ++k) to[lanes * k] = value[k];
        });
    value += run.count;
  }
  const int groups = static_cast<int>(plan_->groups.size()), hub = plan_->hub;
  turn(*plan_, 0, groups, hub, L_.data(), Y_.data());
  around_hub_ = has_hub() && factor_around_hub() == Eval::ok;
  if (around_hub_) return Eval::ok;
  if (has_hub()) turn(*plan_, hub, hub + 1, -1, L_.data(), Y_.data());
  return whole_.factor(Y_);
}

Eval MassElimination::factor_around_hub() {
  if (Eval e = rest_->factor(Y_); e != Eval::ok) return e;
  // Rows that nearly depend on each other without the hub lose digits in the difference.
  if (rest_->pivot_ratio() < least_share) return Eval::recoverable;
  const GramGroup& hub = plan_->tile_groups[plan_->hub];
  const GramPlan& nodes = *plan_->rest;
  Z_.set_zero();
  for (int t = hub.first_tile; t < hub.first_tile + hub.tiles; ++t) {
    const GramTile& tile = plan_->tiles[t];
    for (int i = 0; i < nodes.size[tile.node]; ++i)
      for (int j = 0; j < hub.columns; ++j)
        Z_(nodes.first[tile.node] + i, j) = Y_[tile.values + lanes * j + i];
  }
  rest_->solve_lower(Z_);
  const std::span<const double> inverse = rest_->inverse_pivots();
  for (int n = 0; n < nodes.nodes(); ++n)
    for (int i = 0; i < nodes.size[n]; ++i)
      for (int j = 0, k = nodes.first[n] + i; j < Z_.cols(); ++j)
        DZ_(k, j) = inverse[lanes * n + i] * Z_(k, j);
  multiply_lower(rows(), Z_.cols(), Z_.data(), DZ_.data(), square_.data());
  int at = 0;
  for (int i = 0; i < hub.columns; ++i)
    for (int j = 0; j <= i; ++j, ++at) {
      const int place = plan_->hub_from[at];
      hub_L_[at] = square_(i, j) + (place < 0 ? 0 : mass_[place]);
    }
  return invert_factor(hub.columns, hub_L_.data()) < 0 ? Eval::ok : Eval::recoverable;
}

/// From t = L^-1 P (G_o M_o^-1 f_o - c): the hub's accelerations, and t with their share.
void MassElimination::move_hub() {
  const int columns = plan_->tile_groups[plan_->hub].columns;
  const GramPlan& nodes = *plan_->rest;
  double* a = w_.data() + plan_->groups[plan_->hub].first_column;
  auto each_row = [&](auto&& use) {
    for (int n = 0; n < nodes.nodes(); ++n)
      for (int i = 0; i < nodes.size[n]; ++i) use(nodes.first[n] + i, t_[lanes * n + i]);
  };
  with_size(columns, [&](auto size) {
    each_row([&](int row, double t) {
      for (int j = 0; j < size; ++j) a[j] -= DZ_(row, j) * t;
    });
    lower_solve(size, hub_L_.data(), a);
    upper_solve(size, hub_L_.data(), a);
    each_row([&](int row, double& t) {
      const double* z = Z_.row(row);
      for (int j = 0; j < size; ++j) t += z[j] * a[j];
    });
  });
}

void MassElimination::solve(std::span<double> a, std::span<double> y) {
  const int hub = used_hub() ? plan_->hub : -1;
  for (int k = 0; k < columns(); ++k) w_[k] = a[plan_->columns[k]];
  for (int i = 0; i < rows(); ++i) t_[plan_->lane[i]] = -y[i];
  to_rows(*plan_, hub, L_.data(), Y_.data(), w_.data(), t_.data());
  used().solve_lower(t_);
  if (hub >= 0) move_hub();
  used().scale(t_);
  used().solve_upper(t_);
  to_columns(*plan_, hub, L_.data(), Y_.data(), t_.data(), w_.data());
  for (int i = 0; i < rows(); ++i) y[i] = t_[plan_->lane[i]];
  for (int k = 0; k < columns(); ++k) a[plan_->columns[k]] = w_[k];
}

}  // namespace kardan
