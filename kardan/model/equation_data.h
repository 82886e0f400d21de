#pragma once
/// The `equations:` section of a model, checked: variables with their start, and formulas over them
/// for every term of the general form
///
///   (1) p' = Z(p) v   (2) M v' = f - ...   (3) r' = b   (4) 0 = d   (5) 0 = c   (6) 0 = H Z v + h
///   (7) 0 = g   (8) 0 = e   (9) events
///
/// (6) and Z v are written as formulas linear in v.

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "kardan/base/diagnostics.h"
#include "kardan/base/expression.h"
#include "kardan/elements/field.h"

namespace kardan {

struct WishData;
struct NamedFields;

/// An expression whose names are places in one row of all variables: t, p, v, r, w, s, lambda, mu,
/// then the definitions.
struct Formula {
  std::string what;  ///< "constraints.rod", for messages
  Expression expression;
  std::vector<int> slots;  ///< of expression.names()
  SourceLocation where;
};

struct NamedFormula {
  std::string name;
  Formula formula;
  double start = 0;  ///< of the multiplier of a constraint
};

struct EquationVariable {
  std::string name;
  double start = 0;
  Formula formula = {};  ///< rate of r; residual of w and s
};

struct MassEntry {
  int row = 0, column = 0;  ///< of the upper triangle and its mirror
  Formula formula;
};

struct EquationData {
  std::vector<EquationVariable> positions, velocities, dynamic, auxiliary, contact;
  std::vector<NamedFormula> definitions;  ///< in order: one may use those before it
  std::vector<Formula> kinematics;        ///< rates of the positions; empty: the velocities
  std::vector<MassEntry> mass;
  bool has_mass = false;        ///< false: the identity
  std::vector<Formula> forces;  ///< one a velocity
  std::vector<NamedFormula> holonomic, nonholonomic, invariants, events, outputs;
  std::optional<Formula> kinetic, potential, power;
  bool multiplier_forces = false;

  int variables() const {
    return static_cast<int>(1 + positions.size() + velocities.size() + dynamic.size() +
                            auxiliary.size() + contact.size() + holonomic.size() +
                            nonholonomic.size());
  }
};

/// Whether a formula, with the definitions it uses, depends on nothing but t, positions and contact
/// variables.
bool of_positions(const EquationData& data, const Formula& formula);

/// The equations with events, by their place in `events`, held at zero: as further constraints.
EquationData hold(EquationData data, const std::vector<int>& events);

/// The keys of the section.
const std::vector<std::string>& equation_keys();

/// Reads and checks the section; every fault is reported. Positions to be held become wishes.
EquationData read_equations(const NamedFields& section, const ValueReader& reader,
                            std::vector<WishData>& wishes);

}  // namespace kardan
