#pragma once
/// Bodies that joints, drivers, forces or contacts connect with each other, with or without ground.

#include <vector>

#include "kardan/model/blueprint.h"

namespace kardan {

struct Mechanism {
  std::vector<int> bodies;
  bool floats = true;  // nothing connects it with the ground
  Vec3d place;         // [m] mean of the ground's frames it is connected with
};

/// All mechanisms of a model; every body but the ground is in one of them.
std::vector<Mechanism> find_mechanisms(const Blueprint& blueprint);

}  // namespace kardan
