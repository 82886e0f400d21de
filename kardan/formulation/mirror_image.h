#pragma once
/// Mirror images of joints. Rows such as x_A.z_B = y_A.z_B = 0 hold as well where the axes point
/// against each other, and those of a weld at seven poses that are none. The joints' side
/// conditions (System::alignments) distinguish the pose that is meant from the others.

#include <span>
#include <vector>

#include "kardan/formulation/assembly_report.h"
#include "kardan/system/system.h"

namespace kardan {

/// The first element whose frames stand in a mirror image of the joint; -1: none does.
[[nodiscard]] int mirrored_joint(const System& system, const State& state);

/// All elements with side conditions.
[[nodiscard]] std::vector<int> all_aligned(const System& system);

/// Turns bodies, with all that hangs on them, so that the axes of the joints named (by element)
/// point the same way, on the shortest way. Returns the element of a joint whose axes point exactly
/// against each other, so that no way is the shortest; -1: done.
[[nodiscard]] int align_joints(const System& system, std::span<const int> elements, State& state);

/// Why there is no start: the element closes in its mirror image only, or its axes are opposed in
/// the start given.
enum class Mirrored { everywhere, opposed };
void tell_mirrored(const System& system, int element, Mirrored how, AssemblyReport& report);

}  // namespace kardan
