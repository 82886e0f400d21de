#pragma once
/// Rows of a result: everything known at a moment of the motion, in blocks of the same shape.
///
///   time            1
///   poses           bodies x (x y z qw qx qy qz), planar (x y angle)
///   velocities      bodies x (vx vy vz wx wy wz), planar (vx vy omega)
///   accelerations   the same of the accelerations
///   quantities      sensors and variables of forces; of equations: all variables
///   multipliers     constraint rows
///   reactions       joints x (fx fy fz tx ty tz) on the second body, in the world
///   forces          force elements: the scalar each shows
///   force_vectors   force elements x (fx fy fz) on the second body, in the world
///   energies        kinetic, potential
///
/// A block without items is left out. Columns by name (result.h) are places in these blocks.

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "kardan/run/result.h"

namespace kardan {

struct ResultBlock {
  std::string name;
  std::string doc;
  std::vector<std::string> items;       ///< names of bodies, joints, elements; empty: one without
  std::vector<std::string> components;  ///< of an item; empty: one number
  std::vector<std::string> units;       ///< of the components, or of the items where there are none
  int first = 0;                        ///< place in the row

  int item_count() const { return items.empty() ? 1 : static_cast<int>(items.size()); }
  int component_count() const {
    return components.empty() ? 1 : static_cast<int>(components.size());
  }
  int size() const { return item_count() * component_count(); }
};

struct ResultColumn {
  std::string name, unit;
  int at = 0;          ///< place in the row
  bool chosen = true;  ///< asked for by the model's `outputs`
};

struct ResultLayout {
  std::vector<ResultBlock> blocks;
  std::vector<ResultColumn> columns;
  int width = 0;  ///< numbers in a row

  const ResultBlock* find(std::string_view block) const;
};

class Recorder {
 public:
  explicit Recorder(const System& system);

  const ResultLayout& layout() const { return layout_; }
  /// The row of a moment; valid until the next. Not-a-number where the moment does not know.
  std::span<const double> row(const Instant& at);

 private:
  void add(ResultBlock block);
  void column(int at, std::string unit);
  int in_body(const char* block, int body, int k) const;
  void add_bodies();
  void place_columns();
  void place_quantities();
  void place_accelerations();
  void place_multipliers();
  void place_reactions();
  void place_loads();
  void place_forces();
  void fill_joints(const Instant& at);

  const System& system_;
  ResultColumns columns_;
  std::unique_ptr<Workspace> ws_;
  ResultLayout layout_;
  std::vector<int> joints_, forces_;  // elements with a reaction, with a force
  std::vector<double> row_, values_;
  std::vector<Vec3d> vectors_;
};

}  // namespace kardan
