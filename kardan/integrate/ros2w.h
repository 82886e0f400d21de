#pragma once
#include "kardan/integrate/method.h"
#include "kardan/integrate/rosenbrock.h"

namespace kardan {

/// ROS2 of Verwer, Spee, Blom, Hundsdorfer (SIAM J. Sci. Comput. 20, 1999): order 2 whatever matrix
/// stands in for the Jacobian, L-stable with the exact one; gamma = 1 + 1/sqrt(2).
const RosenbrockTableau& ros2w_tableau();
Method ros2w();

}  // namespace kardan
