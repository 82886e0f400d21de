#include "kardan/model/named_joints.h"

#include <fmt/format.h>

#include <algorithm>

namespace kardan {
namespace {

std::vector<std::string> words_of(const FieldValue& value) {
  std::vector<std::string> out;
  if (const auto* list = std::get_if<FieldValue::List>(&value.data)) {
    for (const FieldValue& item : *list)
      if (const auto* text = std::get_if<std::string>(&item.data)) out.push_back(*text);
  }
  return out;
}

}  // namespace

bool NamedJoints::placed_by(const NamedFields& e, std::string_view key) const {
  if (e.find(key)) return true;
  const NamedFields* joint = named(e);
  return joint && joint->find(key);
}

const NamedFields* NamedJoints::named(const NamedFields& e) const {
  const FieldValue* value = e.find("joint");
  const auto* name = value ? std::get_if<std::string>(&value->data) : nullptr;
  if (!name) return nullptr;
  for (const NamedFields& other : model_.elements)
    if (other.name == *name) return &other;
  return nullptr;
}

const ElementType* NamedJoints::acted_on(const NamedFields& e, const ElementType& type) const {
  const bool chooses = std::any_of(type.fields.begin(), type.fields.end(),
                                   [](const FieldDoc& f) { return f.key == "coordinate"; });
  const NamedFields* joint = chooses ? named(e) : nullptr;
  const FieldValue* value = joint ? joint->find("type") : nullptr;
  const auto* word = value ? std::get_if<std::string>(&value->data) : nullptr;
  const ElementType* found = word ? catalog_.find(*word) : nullptr;
  return found && found->category == Category::joint ? found : nullptr;
}

void NamedJoints::take_coordinate(const ElementType& type, const ElementType& joint,
                                  ElementData& out) const {
  const std::string_view free = coordinate_of(joint.free_coordinate, model_.dimension);
  if (!free.empty()) {
    out.fields.emplace_back("coordinate", FieldValue(std::string(free)));
    return;
  }
  std::string words;
  for (const FieldDoc& f : type.fields)
    if (f.key == "coordinate") words = fmt::format("{}", fmt::join(f.info.choices, ", "));
  diagnostics_.error(
      "joint.coordinate",
      fmt::format("{}: a joint of type '{}' has not one free coordinate", out.name, joint.name),
      out.where, "write coordinate: one of " + words);
}

void NamedJoints::take_coordinates(const NamedFields& e, const ElementType& type,
                                   ElementData& out) const {
  if (e.find("coordinates")) return;
  FieldValue::List words;
  for (const std::string& name : words_of(*e.find("joints"))) {
    const ElementType* joint = type_of(name);
    const std::string_view free =
        joint ? coordinate_of(joint->free_coordinate, model_.dimension) : std::string_view();
    if (joint && free.empty())
      diagnostics_.error(
          "joint.coordinate",
          fmt::format("{}: joint '{}' has not one free coordinate", e.name, name), e.where,
          "write coordinates: [...], one of x, y, z, distance, angle for each joint");
    words.emplace_back(std::string(free));
  }
  if (std::any_of(type.fields.begin(), type.fields.end(),
                  [](const FieldDoc& f) { return f.key == "coordinates"; }))
    out.fields.emplace_back("coordinates", FieldValue(std::move(words)));
}

const ElementType* NamedJoints::type_of(const std::string& element) const {
  for (const NamedFields& other : model_.elements) {
    if (other.name != element) continue;
    const FieldValue* value = other.find("type");
    const auto* word = value ? std::get_if<std::string>(&value->data) : nullptr;
    return word ? catalog_.find(*word) : nullptr;
  }
  return nullptr;
}

}  // namespace kardan
