#pragma once
/// Random mechanisms, the same for the same seed: trees, loops, redundant ones, in the plane and in
/// space, of sizes from millimetres to kilometres. They can be moved, renamed and reordered, which
/// must not change their motion.

#include <Eigen/Geometry>
#include <random>
#include <string>
#include <vector>

namespace kardan::test {

using Vector3 = Eigen::Vector3d;

struct Mechanism {
  struct Body {
    std::string name;
    double mass = 1;
    Vector3 inertia;                   ///< about the centre of mass, body axes
    Vector3 position, velocity, spin;  ///< spin in body axes
    Eigen::Quaterniond turn;
  };
  struct Joint {
    std::string name, type;
    int a = 0, b = 0;  ///< 0: ground, then the bodies by identity
    Vector3 at, axis, x_axis;
  };
  struct Spring {
    std::string name;
    int a = 0, b = 0;
    Vector3 at_a, at_b;  ///< in the frames of the bodies
    double stiffness = 0, damping = 0, free_length = 0;
  };

  unsigned seed = 0;
  int dimension = 3;
  double length = 1;      ///< [m] its size
  double time = 1;        ///< [s] a run of interest
  bool floating = false;  ///< neither tied to the ground nor pulled by gravity
  bool conservative = true;
  Vector3 gravity;
  std::vector<Body> bodies;  ///< body k has identity k + 1 until they are reordered
  std::vector<int> order;    ///< by which they are written
  std::vector<int> joint_order;
  std::vector<Joint> joints;
  std::vector<Spring> springs;
};

Mechanism random_mechanism(unsigned seed);

/// The same in another place: every vector of the world turned, every point moved.
Mechanism moved(Mechanism mechanism, const Eigen::Quaterniond& turn, const Vector3& shift);
/// The same with other names, or written in another order.
Mechanism renamed(Mechanism mechanism);
Mechanism reordered(Mechanism mechanism);

/// As a model file, all digits.
std::string to_yaml(const Mechanism& mechanism);

}  // namespace kardan::test
