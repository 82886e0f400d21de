#pragma once
/// Loads of joints and drivers as columns:
///
///   one row     NAME.force or NAME.torque, what it exerts along its coordinate, positive towards
///               larger values (a distance: pushing apart); NAME.power = that times the rate
///   more rows   the magnitudes of the force and of the torque on its second body (the first, where
///               that is the ground), the torque about its frame there
///
/// Not of elements without markers, and of wheels and pulleys only where they have one row.

#include <span>
#include <string>
#include <vector>

#include "kardan/run/instant.h"
#include "kardan/system/system.h"

namespace kardan {

class JointLoads {
 public:
  explicit JointLoads(const System& system);

  struct Column {
    std::string name, unit;
  };
  const std::vector<Column>& columns() const { return columns_; }
  /// One number a column; not-a-number where the multipliers are not known.
  void values(const Instant& at, std::span<double> out, Workspace& ws) const;

 private:
  struct Load {
    int element = 0;
    int row = -1;  // of one row
    bool power = false;
    Quantity rate;  // of that coordinate
    bool torque = false;
  };
  void add_row(int row);
  void add_rows(int element, bool lengths, bool angles);

  const System& system_;
  std::vector<Load> loads_;
  std::vector<Column> columns_;
  bool magnitudes_ = false;
};

}  // namespace kardan
