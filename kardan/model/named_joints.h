#pragma once
/// Joints that elements name: where they act, and on which coordinate.

#include <string>
#include <string_view>
#include <vector>

#include "kardan/model/blueprint.h"

namespace kardan {

class NamedJoints {
 public:
  NamedJoints(const Model& model, const Catalog& catalog, Diagnostics& diagnostics)
      : model_(model), catalog_(catalog), diagnostics_(diagnostics) {}

  /// Whether it, or the joint that it acts at, is placed by this key.
  bool placed_by(const NamedFields& e, std::string_view key) const;
  /// The type of the joint that an element with a coordinate acts at, or null.
  const ElementType* acted_on(const NamedFields& e, const ElementType& type) const;
  /// The coordinate that the joint leaves free.
  void take_coordinate(const ElementType& type, const ElementType& joint, ElementData& out) const;
  /// Of several joints: what each leaves free where no other is chosen.
  void take_coordinates(const NamedFields& e, const ElementType& type, ElementData& out) const;

 private:
  const NamedFields* named(const NamedFields& e) const;
  const ElementType* type_of(const std::string& element) const;

  const Model& model_;
  const Catalog& catalog_;
  Diagnostics& diagnostics_;
};

}  // namespace kardan
