#pragma once
/// Rows  g = 2 q_z, with q the unit quaternion of frame B seen from frame A: B has swung about an
/// axis across z of A, and not twisted about it. The rows' gradient is of unit length wherever
/// q_z = 0, and no other pose fulfils them. No continuous function of R_A'R_B has this zero set
/// alone (it is one-sided: q and -q are the same rotation), so the sign of q follows the motion, by
/// the turns that the State counts; that of the multiplier follows with it.
///
///   q' = (q b - a q)/2,   a, b: spins of A and B in the axes of their frames, as quaternions

#include "kardan/elements/constraint_bank.h"

namespace kardan {

class TwistRows final : public ConstraintBank<3> {
 public:
  struct Item {
    Mat3d RA, RB;  // the frames on their bodies
    int counter;   // of the turns of B seen from A
    RowSlots slots;
  };
  std::vector<Item> items;

  void evaluate(const Context<3>&, Depth, const ConstraintValues&) const override;
  void differentiate(const Context<3>&, std::span<const PairSlots>, const ConstraintValues&,
                     const ForceValues&) const override;
  bool splits() const override { return true; }
  void each_slot(void (*visit)(void*, RowSlots&), void* user) override {
    for (Item& i : items) visit(user, i.slots);
  }
};

}  // namespace kardan
