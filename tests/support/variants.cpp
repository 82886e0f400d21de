#include "support/variants.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/run/prepare.h"

namespace kardan::test {
namespace {

bool compiles(const Variant& variant) {
  Diagnostics diagnostics;
  return compile_model(model_with(variant), {}, diagnostics) != nullptr;
}

/// Markers an element may be given, the general case first.
std::vector<std::vector<std::string>> marker_choices(int frames) {
  if (frames == 0) return {{}};
  if (frames == 1) return {{"two.m"}};
  if (frames == 2) return {{"one.m", "two.m"}, {"ground.m", "two.m"}};
  // As pairs, or one after the other.
  if (frames == any_frames) return {{"ground.m", "one.m", "ground.m", "two.m"}};
  return {{"ground.m", "one.m", "ground.m", "two.m"}};
}

/// Values worth a try for a field that is no word.
std::vector<FieldValue> values_for(const FieldDoc& f) {
  if (f.kind == "number") return {f.info.check == Check::unit_interval ? 0.6 : 1.7};
  if (f.kind == "whole number") return {2};
  if (f.kind == "true or false") return {"true"};
  if (f.kind == "[x, y, z]") return {Vec3d{0.4, 0.7, 1.1}, FieldValue::List{0.4, 0.7}};
  if (f.kind == "formula of t and quantities") {
    if (f.info.doc.find("`angle`") != std::string::npos) return {"0.3*sin(2*angle)"};
    const FieldValue of_time = "2 + 0.1*sin(3*t)";
    if (f.info.need == Need::required) return {of_time};
    return {"0.3*sin(2*t) + 0.2*one.vx*two.y - max(0.1*two.vy, 0.3) + abs(one.y)*t",
            "2 + 0.1*sin(3*t) + 0.2*one.x*two.y", of_time};
  }
  if (f.kind == "list of words") {
    const auto list = [](const char* a, const char* b) {
      return FieldValue(FieldValue::List{a, b});
    };
    return {list("angle", "x"), list("distance", "y"), list("angle", "angle")};
  }
  if (f.kind == "function of t") return {"0.3*sin(2*t) + 0.2*t^3"};
  if (f.kind == "table [[x, y], ...]") {
    FieldValue::List points;
    for (const auto& [x, y] :
         std::vector<std::pair<double, double>>{{-1.0, 0.1}, {0.2, 0.3}, {1.0, -0.2}, {2.5, 0.4}})
      points.push_back(FieldValue::List{x, y});
    return {points};
  }
  if (f.kind == "word") return {"rod"};  // a joint of the model
  if (f.kind == "expression") {
    std::string sum = "0.1";
    for (const std::string& name : f.info.variables) {
      const std::string v = name == any_quantity ? "one.x" : name;
      sum += fmt::format(" + 0.3*{0} - 0.2*{0}^2", v);
    }
    return {sum};
  }
  std::vector<FieldValue> lists;  // a list of numbers of a size to be found
  // Those that must be given are of two things.
  const int first = f.info.need == Need::required ? 2 : 1;
  for (const int size : {first, 3 - first, 3, 4, 6, 9, 36}) {
    FieldValue::List list;
    for (int i = 0; i < size; ++i) list.push_back(1.0 + 0.1 * ((i * 7) % 11));
    lists.emplace_back(list);
  }
  return lists;
}

bool add_field(const FieldDoc& f, Variant& variant) {
  for (const FieldValue& value : values_for(f)) {
    Variant more = variant;
    more.fields.emplace_back(f.key, value);
    if (!compiles(more)) continue;
    variant = std::move(more);
    return true;
  }
  return false;
}

/// All combinations of the type's words.
std::vector<FieldMap> word_choices(const ElementType& type) {
  std::vector<FieldMap> all(1);
  for (const FieldDoc& f : type.fields) {
    if (f.info.choices.empty() || f.kind == "list of words") continue;
    std::vector<FieldMap> more;
    for (const FieldMap& fields : all)
      for (const std::string& word : f.info.choices) {
        more.push_back(fields);
        more.back().emplace_back(f.key, word);
      }
    all = std::move(more);
  }
  return all;
}

/// Also of types that take two coordinates.
void add_required(const ElementType& type, FieldMap& fields) {
  for (const FieldDoc& f : type.fields) {
    if (f.key == "coordinates") fields.emplace_back(f.key, values_for(f)[0]);
    if (f.info.need != Need::required || f.key == "coordinates") continue;
    const bool word = !f.info.choices.empty();
    fields.emplace_back(f.key, word ? FieldValue(f.info.choices[0]) : values_for(f)[0]);
  }
}

/// Variants with these fields between the first markers that compile. A word may need another field
/// (a table, a radius), or one of several may be wanted: then with each that helps.
std::vector<Variant> places(const ElementType& type, int dimension, const FieldMap& fields) {
  for (const auto& markers : marker_choices(type.frames)) {
    Variant v{&type, dimension, markers, fields};
    v.built = compiles(v);
    if (v.built) return {v};
    v.built = true;  // if a further field helps
    std::vector<Variant> out;
    for (const FieldDoc& f : type.fields) {
      if (f.info.need != Need::optional || !f.info.choices.empty()) continue;
      for (const FieldValue& value : values_for(f)) {
        Variant more = v;
        more.fields.emplace_back(f.key, value);
        if (compiles(more)) out.push_back(std::move(more));
      }
    }
    if (!out.empty()) return out;
  }
  return {};
}

FieldMap pose(int dimension, double size) {
  if (dimension == 2) return {{"at", FieldValue::List{0.3 * size, -0.2 * size}}, {"angle", 0.7}};
  return {{"at", Vec3d{0.3 * size, -0.2 * size, 0.4 * size}},
          {"rotation", Vec3d{0.5, -0.3 * size, 0.4}}};
}

FieldMap body(int dimension, double size) {
  FieldMap fields{{"mass", 1.3 * size}, {"markers", FieldMap{{"m", pose(dimension, size)}}}};
  if (dimension == 2) {
    fields.emplace_back("inertia", 0.4);
    fields.emplace_back("position", FieldValue::List{0.9 * size, 0.5});
    fields.emplace_back("angle", 0.4 * size);
  } else {
    fields.emplace_back("inertia", FieldValue::List{0.5, 0.6, 0.7, 0.05, -0.04, 0.03});
    fields.emplace_back("position", Vec3d{0.9 * size, 0.5, 0.8 - 0.3 * size});
    fields.emplace_back("rotation", Vec3d{0.2, 0.6 * size, -0.3});
  }
  return fields;
}

}  // namespace

std::string Variant::label() const {
  std::string text = fmt::format("{} in {}D", type->name, dimension);
  for (const auto& [key, value] : fields) {
    const auto* word = std::get_if<std::string>(&value.data);
    text += word ? fmt::format(", {}: {}", key, *word) : ", " + key;
  }
  return text;
}

bool exists_in(const ElementType& type, int dimension) {
  return dimension == 2 ? type.build_planar != nullptr : type.build_spatial != nullptr;
}

Model two_bodies(int dimension) {
  Model model;
  model.name = "two bodies";
  model.dimension = dimension;
  model.gravity = dimension == 2 ? FieldValue(FieldValue::List{0.3, -9.81})
                                 : FieldValue(Vec3d{0.3, 0.2, -9.81});
  model.ground.fields = {{"markers", FieldMap{{"m", pose(dimension, 0.5)}}}};
  model.add_body("one", body(dimension, 1));
  model.add_body("two", body(dimension, 1.6));
  model.add("rod", "distance", {"one.m", "two.m"});
  return model;
}

Model model_with(const Variant& v) {
  Model model = two_bodies(v.dimension);
  model.add("element", std::string(v.type->name), v.markers, v.fields);
  return model;
}

Variant minimal_variant(const ElementType& type, int dimension) {
  FieldMap fields;
  add_required(type, fields);
  for (const auto& markers : marker_choices(type.frames)) {
    Variant v{&type, dimension, markers, fields};
    v.built = compiles(v);
    if (v.built) return v;
  }
  // One of several fields may be wanted.
  const std::vector<Variant> more = places(type, dimension, fields);
  return more.empty() ? Variant{&type, dimension, {}, fields} : more.front();
}

/// Optional fields are added in the declared order, and in the reverse.
static void add_variants(const ElementType& type, const Variant& first, std::vector<Variant>& all) {
  std::vector<FieldDoc> order = type.fields;
  for (int direction = 0; direction < 2; ++direction) {
    Variant v = first;
    for (const FieldDoc& f : order) {
      const bool given = std::any_of(v.fields.begin(), v.fields.end(),
                                     [&](const auto& x) { return x.first == f.key; });
      if (!given) add_field(f, v);
    }
    std::sort(v.fields.begin(), v.fields.end(),
              [](const auto& a, const auto& b) { return a.first < b.first; });
    if (direction == 0 || v.label() != all.back().label()) all.push_back(std::move(v));
    std::reverse(order.begin(), order.end());
  }
}

std::vector<Variant> variants(const ElementType& type, int dimension) {
  std::vector<Variant> all;
  for (FieldMap fields : word_choices(type)) {
    for (const FieldDoc& f : type.fields)
      if ((f.info.need == Need::required && f.info.choices.empty()) || f.key == "coordinates")
        fields.emplace_back(f.key, values_for(f)[0]);
    for (const Variant& first : places(type, dimension, fields)) add_variants(type, first, all);
  }
  return all;
}

}  // namespace kardan::test
