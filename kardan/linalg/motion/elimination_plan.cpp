#include "kardan/linalg/motion/elimination_plan.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "kardan/base/assert.h"
#include "kardan/linalg/lanes.h"

namespace kardan {
namespace {

/// A hub has at least this many rows,
constexpr int fewest_hub_rows = 16;
/// and S costs at most this share without it.
constexpr double hub_gain = 0.6;

/// Of each column: the list it is a member of.
std::vector<int> list_of(const std::vector<std::vector<int>>& lists, int columns) {
  std::vector<int> of(columns);
  for (std::size_t i = 0; i < lists.size(); ++i)
    for (const int column : lists[i]) of[column] = static_cast<int>(i);
  return of;
}

void append(std::vector<int>& sorted, int value) {
  if (sorted.empty() || sorted.back() != value) sorted.push_back(value);
}

}  // namespace

EliminationPlan::EliminationPlan(std::shared_ptr<const SparsePattern> M_pattern,
                                 std::shared_ptr<const SparsePattern> G_pattern)
    : M(std::move(M_pattern)), G(std::move(G_pattern)) {
  KARDAN_ASSERT(M->rows == M->cols && M->cols == G->cols, "M is square, G as wide");
  const Lists members = find_blocks();
  const std::vector<int> block_of = list_of(members, M->rows);
  Lists touching(members.size());  // rows of each block
  for (int i = 0; i < G->rows; ++i)
    for (int k = G->row_start[i]; k < G->row_start[i + 1]; ++k)
      append(touching[block_of[G->column[k]]], i);
  place_blocks(members, touching);
  const std::vector<int> sizes = find_nodes();
  find_tiles(sizes);
  find_runs();
  whole = std::make_shared<const GramPlan>(sizes, tile_groups, tiles, -1);
  work = whole->work() + product_work(sizes, -1);
  find_hub(sizes);
  for (std::vector<int>* list : {&columns, &L_from}) list->shrink_to_fit();
  blocks.shrink_to_fit();
  groups.shrink_to_fit();
  tile_groups.shrink_to_fit();
  tiles.shrink_to_fit();
  runs.shrink_to_fit();
}

/// Columns that M connects, directly or through others, form a block.
EliminationPlan::Lists EliminationPlan::find_blocks() const {
  const int n = M->rows;
  std::vector<int> root(n);
  std::iota(root.begin(), root.end(), 0);
  auto find = [&](int i) {
    while (root[i] != i) i = root[i] = root[root[i]];
    return i;
  };
  for (int i = 0; i < n; ++i)
    for (int k = M->row_start[i]; k < M->row_start[i + 1]; ++k) {
      const int a = find(i), b = find(M->column[k]);
      root[std::max(a, b)] = std::min(a, b);
    }
  std::vector<int> place(n, -1);  // of the block of each root
  Lists members;
  for (int i = 0; i < n; ++i) {
    int& block = place[find(i)];
    if (block < 0) {
      block = static_cast<int>(members.size());
      members.emplace_back();
    }
    members[block].push_back(i);
  }
  return members;
}

void EliminationPlan::place_blocks(const Lists& members, const Lists& touching) {
  std::map<std::vector<int>, int> group_of;
  Lists own;  // blocks of each group
  for (std::size_t b = 0; b < members.size(); ++b) {
    const auto [at, is_new] = group_of.emplace(touching[b], static_cast<int>(own.size()));
    if (is_new) own.emplace_back();
    own[at->second].push_back(static_cast<int>(b));
  }
  for (const auto& of_group : own) {
    groups.push_back({static_cast<int>(blocks.size()), 0, static_cast<int>(columns.size())});
    Block alone{static_cast<int>(columns.size()), 0, static_cast<int>(L_from.size()), true};
    for (const int b : of_group)
      if (members[b].size() == 1) {
        columns.push_back(members[b][0]);
        L_from.push_back(M->find(members[b][0], members[b][0]));
        ++alone.size;
      }
    if (alone.size > 0) blocks.push_back(alone);
    for (const int b : of_group) {
      const auto& own_columns = members[b];
      const int size = static_cast<int>(own_columns.size());
      if (size == 1) continue;
      blocks.push_back({static_cast<int>(columns.size()), size, static_cast<int>(L_from.size())});
      for (int i = 0; i < size; ++i) {
        columns.push_back(own_columns[i]);
        for (int j = 0; j <= i; ++j) L_from.push_back(M->find(own_columns[i], own_columns[j]));
      }
    }
    groups.back().blocks = static_cast<int>(blocks.size()) - groups.back().first_block;
    tile_groups.push_back({static_cast<int>(columns.size()) - groups.back().first_column, 0, 0});
  }
}

/// Rows that touch the same groups, as evenly as four lanes allow. The sizes of the nodes.
std::vector<int> EliminationPlan::find_nodes() {
  std::vector<int> group_of(columns.size());
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (int k = 0; k < tile_groups[g].columns; ++k)
      group_of[columns[groups[g].first_column + k]] = static_cast<int>(g);
  std::map<std::vector<int>, std::vector<int>> alike;
  for (int i = 0; i < G->rows; ++i) {
    std::vector<int> touched;
    for (int k = G->row_start[i]; k < G->row_start[i + 1]; ++k)
      touched.push_back(group_of[G->column[k]]);
    std::sort(touched.begin(), touched.end());
    touched.erase(std::unique(touched.begin(), touched.end()), touched.end());
    alike[std::move(touched)].push_back(i);
  }
  lane.resize(G->rows);
  std::vector<int> sizes;
  for (const auto& [touched, rows] : alike) {
    const int count = static_cast<int>(rows.size()), nodes = (count + lanes - 1) / lanes;
    for (int n = 0, next = 0; n < nodes; ++n) {
      const int size = count * (n + 1) / nodes - count * n / nodes;
      for (int k = 0; k < size; ++k)
        lane[rows[next++]] = lanes * static_cast<int>(sizes.size()) + k;
      for (const int g : touched) {
        tiles.push_back({static_cast<int>(sizes.size()), g});
        ++tile_groups[g].tiles;
      }
      sizes.push_back(size);
    }
  }
  return sizes;
}

/// Tiles by group; find_nodes() left their groups in `values`.
void EliminationPlan::find_tiles(const std::vector<int>& sizes) {
  std::stable_sort(tiles.begin(), tiles.end(),
                   [](const GramTile& a, const GramTile& b) { return a.values < b.values; });
  int entries = 0, next = 0;
  for (GramGroup& g : tile_groups) {
    g.first_tile = next;
    for (; next < g.first_tile + g.tiles; ++next) {
      tiles[next].values = Y_size;
      Y_size += lanes * g.columns;
      entries += sizes[tiles[next].node] * g.columns;
    }
  }
  has_holes = entries != G->nonzeros();
}

void EliminationPlan::find_runs() {
  std::vector<int> group_of(columns.size()), place(columns.size());
  for (std::size_t g = 0; g < groups.size(); ++g)
    for (int k = 0; k < tile_groups[g].columns; ++k) {
      group_of[columns[groups[g].first_column + k]] = static_cast<int>(g);
      place[columns[groups[g].first_column + k]] = k;
    }
  for (int i = 0; i < G->rows; ++i) {
    const std::size_t first_run = runs.size();
    for (int k = G->row_start[i]; k < G->row_start[i + 1]; ++k) {
      const GramGroup& g = tile_groups[group_of[G->column[k]]];
      const auto begin = tiles.begin() + g.first_tile;
      const auto at = std::lower_bound(begin, begin + g.tiles, lane[i] / lanes,
                                       [](const GramTile& t, int node) { return t.node < node; });
      const int to = at->values + lanes * place[G->column[k]] + lane[i] % lanes;
      if (runs.size() > first_run && runs.back().values + lanes * runs.back().count == to)
        ++runs.back().count;
      else
        runs.push_back({to, 1});
    }
  }
}

int EliminationPlan::group_rows(const std::vector<int>& sizes, int g) const {
  int rows = 0;
  for (int t = 0; t < tile_groups[g].tiles; ++t)
    rows += sizes[tiles[tile_groups[g].first_tile + t].node];
  return rows;
}

/// Of L^-1 and the products of tiles.
double EliminationPlan::product_work(const std::vector<int>& sizes, int without) const {
  double sum = 0;
  for (int g = 0; g < static_cast<int>(groups.size()); ++g) {
    if (g == without) continue;
    const double count = group_rows(sizes, g);
    for (int b = 0; b < groups[g].blocks; ++b) {
      const Block& block = blocks[groups[g].first_block + b];
      const double wide = block.diagonal ? 1 : block.size;
      sum += 0.5 * block.size * count * (count + wide + 2);
    }
  }
  return sum;
}

/// The group that most rows touch, if S is much cheaper without it.
void EliminationPlan::find_hub(const std::vector<int>& sizes) {
  int most = 0, count = 0;
  for (int g = 0; g < static_cast<int>(groups.size()); ++g)
    if (const int rows = group_rows(sizes, g); rows > count) most = g, count = rows;
  if (count < fewest_hub_rows) return;
  std::vector<int> touches(sizes.size(), 0);
  for (int g = 0; g < static_cast<int>(groups.size()); ++g)
    for (int t = 0; g != most && t < tile_groups[g].tiles; ++t)
      touches[tiles[tile_groups[g].first_tile + t].node] = 1;
  if (std::ranges::count(touches, 0) > 0) return;
  rest = std::make_shared<const GramPlan>(sizes, tile_groups, tiles, most);
  const double size = tile_groups[most].columns;
  const double rest_work =
      rest->work() + product_work(sizes, most) + size * (rest->factor_nonzeros() + size * G->rows);
  if (rest_work > hub_gain * work) {
    rest.reset();
    return;
  }
  hub = most;
  work = rest_work;
  const int* own = columns.data() + groups[hub].first_column;
  for (int i = 0; i < tile_groups[hub].columns; ++i)
    for (int j = 0; j <= i; ++j) hub_from.push_back(M->find(own[i], own[j]));
}

}  // namespace kardan
