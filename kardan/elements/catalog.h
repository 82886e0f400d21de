#pragma once
/// The catalog of element types: joints, drivers, forces, contacts, sensors. A new type is one file
/// and one line in the catalog.cpp of its folder; reader, writer, listings and the generic tests
/// read the catalog.
///
/// An element type is a struct with
///
///   static constexpr std::string_view type, summary, equation;   // documentation
///   static constexpr Category category;
///   static constexpr int frames;                                  // markers it is given
///   template <class F> static void fields(F& f);                 // what a user may write
///   template <int D> void build(Builder<D>&) const;              // or build for one D only
///
/// and, where it is not like most of its category (see ElementType),
///
///   static constexpr std::string_view example;                   // a model with it
///   static constexpr bool does_work, touches_plane, traced;
///   static constexpr Glyph glyph;                                 // or Glyph drawn() const
///   static constexpr Silhouette silhouette;                       // with double drawn_radius() const
///   static constexpr FreeCoordinate free_coordinate;             // of a joint that has one
///   static constexpr Reflection reflection;                       // how a mirrored part has it
///   static constexpr std::string_view one_handed;                 // fields that cannot be mirrored
///   RoadLine road_line(double from, double to) const;

#include <array>
#include <concepts>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/elements/builder.h"
#include "kardan/elements/field.h"

namespace kardan {

/// `frames` of a type that takes as many as it is given.
inline constexpr int any_frames = -1;

enum class Category { joint, driver, nonholonomic, force, contact, sensor };
std::string_view to_string(Category);

/// How an element is drawn.
enum class Glyph { none, ball, pin, block, rod, coil, damper, torsion, line };
std::string_view to_string(Glyph);
/// What a body looks like whose shape nobody gave, by what touches it there.
enum class Silhouette { none, wheel, ball };
std::string_view to_string(Silhouette);
/// The one coordinate that a joint leaves free: a motor that names the joint acts on it.
enum class FreeCoordinate { none, angle, slide };
/// As elements on a coordinate call it; empty: there is none.
std::string_view coordinate_of(FreeCoordinate free, int dimension);

/// What becomes of an element in a mirrored part. Its frames are mirrored, and one of their axes is
/// turned around to keep them right-handed.
enum class Reflection {
  none,        ///< it has a hand, or means directions of the world: it is refused
  along,       ///< distances, and displacements along x and z of its frames, keep their values
  about,       ///< angles about z of its frames keep their values
  coordinate,  ///< `about` where its field `coordinate` is an angle, else `along`
  joints,      ///< it acts on coordinates of joints, which keep their values
  vector,      ///< `along`, with the fields fx, fy, fz
  axial,       ///< `along`, with the fields tx, ty, tz of a torque
};

/// The upper side of a road: along x and up [m], with a name that equal ones share.
struct RoadLine {
  std::string key;
  std::vector<std::array<double, 2>> points;
};

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
  /// False: whatever work it does is in the energy of the bodies.
  bool does_work = true;
  bool touches_plane = false;  ///< that of its first marker: z (planar: y) is the normal
  bool traced = false;         ///< its point leaves a path in a replay
  Silhouette silhouette = Silhouette::none;
  FreeCoordinate free_coordinate = FreeCoordinate::none;  ///< of a joint
  Reflection reflection = Reflection::none;
  std::string_view one_handed = {};  ///< fields that cannot be mirrored, with blanks between them
  template <class Answer, class... More>
  using Asked = std::function<Answer(const FieldMap&, const std::string& owner,
                                     const SourceLocation&, const ValueReader&, More...)>;
  Asked<Glyph> glyph = nullptr;
  Asked<double> drawn_radius = nullptr;  ///< of the silhouette [m], about its last marker
  Asked<RoadLine, double, double> road_line = nullptr;  ///< null: it is on no road
};

template <class T, int D>
concept BuildsIn = requires(const T& t, Builder<D>& b) {
  t.build(b);
};

/// What an element of type T says of itself that is drawn or counted.
template <class T>
void describe_traits(ElementType& e) {
  e.does_work = e.category != Category::joint && e.category != Category::sensor;
  if constexpr (requires { T::does_work; }) e.does_work = T::does_work;
  if constexpr (requires { T::touches_plane; }) e.touches_plane = T::touches_plane;
  if constexpr (requires { T::traced; }) e.traced = T::traced;
  if constexpr (requires { T::silhouette; }) e.silhouette = T::silhouette;
  if constexpr (requires { T::free_coordinate; }) e.free_coordinate = T::free_coordinate;
  if constexpr (requires { T::reflection; }) e.reflection = T::reflection;
  if constexpr (requires { T::one_handed; }) e.one_handed = T::one_handed;
  e.glyph = [](const FieldMap& values, const std::string& owner, const SourceLocation& where,
               const ValueReader& reader) {
    if constexpr (requires { T::glyph; }) {
      return T::glyph;
    } else if constexpr (requires(const T& t) { t.drawn(); }) {
      T element{};
      return read_fields(values, owner, where, reader, element) ? element.drawn() : Glyph::none;
    } else {
      constexpr Category c = T::category;
      constexpr bool holds =
          c == Category::joint || c == Category::driver || c == Category::nonholonomic;
      return holds ? Glyph::ball : Glyph::none;
    }
  };
  constexpr bool is_round = requires(const T& t) {
    t.drawn_radius();
  };
  static_assert(
      is_round || !requires { T::silhouette; }, "how large is its silhouette?");
  if constexpr (is_round)
    e.drawn_radius = [](const FieldMap& values, const std::string& owner,
                        const SourceLocation& where, const ValueReader& reader) {
      T element{};
      return read_fields(values, owner, where, reader, element) ? element.drawn_radius() : 0.0;
    };
  if constexpr (requires(const T& t) { t.road_line(0.0, 1.0); })
    e.road_line = [](const FieldMap& values, const std::string& owner, const SourceLocation& where,
                     const ValueReader& reader, double from, double to) {
      T element{};
      return read_fields(values, owner, where, reader, element) ? element.road_line(from, to)
                                                                : RoadLine{};
    };
}

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
  describe_traits<T>(e);
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
