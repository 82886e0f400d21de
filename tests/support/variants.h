#pragma once
/// Models made from the catalog alone: every element type with every choice of its words and as
/// many of its other fields as go together. New types are covered as soon as they are in the
/// catalog.

#include <string>
#include <vector>

#include "kardan/elements/catalog.h"
#include "kardan/model/model.h"

namespace kardan::test {

/// An element as a user could write it.
struct Variant {
  const ElementType* type = nullptr;
  int dimension = 3;
  std::vector<std::string> markers;
  FieldMap fields;
  bool built = false;  ///< the model with it compiles
  [[nodiscard]] std::string label() const;
};

/// Two bodies "one" and "two" and the ground, each with a marker "m" turned out of its axes,
/// and a rod between the two.
Model two_bodies(int dimension);
/// The same with the variant as element "element".
Model model_with(const Variant& variant);

/// The type with its required fields only, or one more where one of several is wanted. Not `built` if no choice of markers compiles.
Variant minimal_variant(const ElementType& type, int dimension);
/// All choices of words; for each, optional fields added while the model still compiles, in the
/// declared order and in the reverse.
std::vector<Variant> variants(const ElementType& type, int dimension);

/// True if the type builds in the dimension.
bool exists_in(const ElementType& type, int dimension);

}  // namespace kardan::test
