#pragma once
/// The editable description of a mechanical system: what a user writes, in a file or in C++, with
/// parameters and expressions still in it. `resolve` (resolve.h) checks it and turns it into
/// numbers.

#include <string>
#include <utility>
#include <vector>

#include "kardan/base/diagnostics.h"
#include "kardan/elements/field.h"

namespace kardan {

/// Something with a name and fields: a body, a joint, a force, a sensor.
struct NamedFields {
  std::string name;
  FieldMap fields;
  SourceLocation where;
  std::string section = {};  ///< of an element: where it stood in the file

  const FieldValue* find(std::string_view key) const;
};

struct Model {
  std::string name;
  int dimension = 3;                     ///< 2: planar (x, y, angle), 3: spatial
  FieldValue gravity = Vec3d{0, 0, 0};   ///< [m/s^2]
  FieldMap parameters;                   ///< named expressions, in order
  FieldMap functions;                    ///< named functions of one variable
  FieldMap colors, shapes;               ///< for drawing, by name
  FieldMap defaults;                     ///< fields of "bodies" and of types, where not given
  NamedFields ground{"ground", {}, {}};  ///< markers and shapes fixed to the world
  std::vector<NamedFields> bodies;
  std::vector<NamedFields> elements;   ///< joints, drivers, forces, contacts, sensors
  std::vector<NamedFields> wishes;     ///< want, equals, priority
  std::vector<NamedFields> events;     ///< expression, direction, action
  std::vector<NamedFields> frictions;  ///< along, coefficients, load
  FieldValue::List invariants;         ///< energy, momentum, angular_momentum or expressions
  FieldValue::List outputs;            ///< names of quantities, "*" for any letters
  NamedFields equations{"equations", {}, {}};  ///< written by the user, instead of bodies
  NamedFields equilibrium{"equilibrium", {}, {}};
  NamedFields simulate{"simulate", {}, {}};
  std::string start = "assembled";  ///< "as_given" or "equilibrium"
  SourceLocation where;             ///< of the document

  NamedFields& add_body(std::string body, FieldMap fields);
  /// An element of a catalog type between markers ("body" or "body.marker").
  NamedFields& add(std::string element, std::string type, std::vector<std::string> markers,
                   FieldMap fields = {});
  void add_wish(std::string want, FieldValue equals, std::string priority = "exactly");
};

}  // namespace kardan
