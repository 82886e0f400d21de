#pragma once
/// What MassElimination makes of the patterns of M and G: all that does not depend on values.

#include <memory>
#include <vector>

#include "kardan/linalg/motion/gram_cholesky.h"
#include "kardan/linalg/sparse.h"

namespace kardan {

struct EliminationPlan {
  EliminationPlan(std::shared_ptr<const SparsePattern> M, std::shared_ptr<const SparsePattern> G);

  /// A connected part of M: its columns and the lower triangle of its factor's inverse, by rows. Or
  /// columns of a group that are connected to none: the diagonal.
  struct Block {
    int first_column = 0, size = 0;  // into columns
    int factor = 0;                  // into the values of L
    bool diagonal = false;
  };
  /// Blocks that the same rows touch, and their columns.
  struct Group {
    int first_block = 0, blocks = 0;
    int first_column = 0;
  };
  /// Values of a row of G that follow each other, in the columns of a tile of Y.
  struct Run {
    int values = 0, count = 0;
  };

  std::shared_ptr<const SparsePattern> M, G;
  std::vector<Block> blocks;
  std::vector<Group> groups;
  std::vector<int> columns;  // of all blocks, block by block, group by group
  std::vector<int> L_from;   // place in the values of M of each entry of L, or -1
  // Y by groups, in tiles (gram_cholesky.h).
  std::vector<GramGroup> tile_groups;
  std::vector<GramTile> tiles;
  int Y_size = 0;
  bool has_holes = false;  // G lacks entries of tiles
  std::vector<Run> runs;   // of all values of G, in order
  std::vector<int> lane;   // of each row: four times its node plus its place there
  // S of all groups, and without the hub.
  std::shared_ptr<const GramPlan> whole, rest;
  int hub = -1;               // group
  std::vector<int> hub_from;  // place in the values of M of its lower triangle, or -1
  double work = 0;            // multiplications of a factorization, about

 private:
  using Lists = std::vector<std::vector<int>>;
  Lists find_blocks() const;
  void place_blocks(const Lists& members, const Lists& touching);
  std::vector<int> find_nodes();
  void find_tiles(const std::vector<int>& sizes);
  void find_runs();
  void find_hub(const std::vector<int>& sizes);
  int group_rows(const std::vector<int>& sizes, int g) const;
  double product_work(const std::vector<int>& sizes, int without) const;
};

}  // namespace kardan
