#pragma once
/// The catalog of element types: joints, drivers, forces, contacts, sensors. A new type is one file
/// and one line in the catalog.cpp of its folder; reader, writer, listings and the generic tests
/// read the catalog.
///
/// An element type is a struct with
///   static constexpr std::string_view type, summary, equation;   // documentation
///   static constexpr std::string_view example;                   // a model with it, may be left
///   out static constexpr Category category; static constexpr int frames; // markers it is given
///   template <class F> static void fields(F& f);                 // what a user may write
///   template <int D> void build(Builder<D>&) const;              // or build for one D only

#include <concepts>
#include <functional>
#include <string_view>

#include "kardan/elements/builder.h"
#include "kardan/elements/field.h"

namespace kardan {

enum class Category { joint, driver, nonholonomic, force, contact, sensor };
std::string_view to_string(Category);

struct ElementType {
  std::string_view name, summary, equation;
  std::string_view example = {};  ///< a model but for the version
  Category category = Category::joint;
  int frames = 2;
  std::vector<FieldDoc> fields;
  /// Reads the fields and builds; null where the type does not exist in that dimension.
  template <int D>
  using Build = std::function<bool(const FieldMap&, const std::string& owner, const SourceLocation&,
                                   const ValueReader&, Builder<D>&)>;
  Build<2> build_planar = nullptr;
  Build<3> build_spatial = nullptr;
  std::function<bool(const FieldMap&, const std::string& owner, const SourceLocation&,
                     const ValueReader&)>
      check = nullptr;
  /// False: its forces have no derivatives (they come from a user's callback).
  bool differentiable = true;
};

template <class T, int D>
concept BuildsIn = requires(const T& t, Builder<D>& b) {
  t.build(b);
};

/// The catalog entry of a type.
template <class T>
ElementType describe() {
  ElementType e;
  e.name = T::type;
  e.summary = T::summary;
  e.equation = T::equation;
  if constexpr (requires { T::example; }) e.example = T::example;
  e.category = T::category;
  e.frames = T::frames;
  e.fields = field_docs<T>();
  if constexpr (BuildsIn<T, 2>) {
    e.build_planar = [](const FieldMap& values, const std::string& owner,
                        const SourceLocation& where, const ValueReader& reader, Builder<2>& b) {
      T element{};
      if (!read_fields(values, owner, where, reader, element)) return false;
      element.build(b);
      return true;
    };
  }
  if constexpr (BuildsIn<T, 3>) {
    e.build_spatial = [](const FieldMap& values, const std::string& owner,
                         const SourceLocation& where, const ValueReader& reader, Builder<3>& b) {
      T element{};
      if (!read_fields(values, owner, where, reader, element)) return false;
      element.build(b);
      return true;
    };
  }
  e.check = [](const FieldMap& values, const std::string& owner, const SourceLocation& where,
               const ValueReader& reader) {
    T element{};
    return read_fields(values, owner, where, reader, element);
  };
  return e;
}

class Catalog {
 public:
  /// The element types that come with Kardan.
  static const Catalog& builtin();

  const ElementType* find(std::string_view name) const;
  const std::vector<ElementType>& types() const { return types_; }
  std::vector<std::string> names() const;
  void add(ElementType type) { types_.push_back(std::move(type)); }

 private:
  std::vector<ElementType> types_;
};

/// The types of each folder, listed in its catalog.cpp.
void add_joints(Catalog&);
void add_nonholonomic(Catalog&);
void add_forces(Catalog&);
void add_contacts(Catalog&);
void add_sensors(Catalog&);

}  // namespace kardan
