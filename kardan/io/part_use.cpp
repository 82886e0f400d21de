#include "kardan/io/part_use.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/io/expander_template.h"
#include "kardan/io/units.h"

namespace kardan {
namespace {

YamlNode scalar_like(const YamlNode& at, std::string text) {
  YamlNode out;
  out.kind = YamlNode::Kind::plain;
  out.line = at.line;
  out.column = at.column;
  out.file = at.file;
  out.text = std::move(text);
  return out;
}

YamlNode mapping_like(const YamlNode& at) {
  YamlNode out = scalar_like(at, "");
  out.kind = YamlNode::Kind::mapping;
  return out;
}

void add(YamlNode& mapping, const std::string& key, YamlNode value) {
  YamlKey k;
  k.text = key;
  k.line = value.line;
  k.column = value.column;
  k.file = value.file;
  mapping.keys.push_back(std::move(k));
  mapping.items.push_back(std::move(value));
}

YamlNode* find(YamlNode& mapping, std::string_view key) {
  return const_cast<YamlNode*>(std::as_const(mapping).find(key));
}

/// Another half turn behind the one that stands there: two about the same axis are none, about two
/// axes one about the third.
void add_turn(YamlNode& mapping, const std::string& axis) {
  if (axis.empty()) return;
  YamlNode* before = find(mapping, "turned");
  if (!before) return add(mapping, "turned", scalar_like(mapping, axis));
  if (before->text != axis) {
    before->text = std::string(1, static_cast<char>('x' + 'y' + 'z' - before->text[0] - axis[0]));
    return;
  }
  const auto place = before - mapping.items.data();
  mapping.items.erase(mapping.items.begin() + place);
  mapping.keys.erase(mapping.keys.begin() + place);
}

bool is_elements(const std::string& section) {
  static const std::set<std::string> sections{"elements", "joints",   "drivers",
                                              "forces",   "contacts", "sensors"};
  return sections.contains(section);
}

/// The same value with the other sign: a number, an expression, what has a unit, a table.
bool negate(YamlNode& value) {
  if (value.is_scalar()) {
    const bool number = plain_number(value.text) || parse_number_with_unit(value.text);
    value.text = !number                       ? fmt::format("-({})", value.text)
                 : value.text.starts_with('-') ? value.text.substr(1)
                                               : "-" + value.text;
    return true;
  }
  if (value.kind == YamlNode::Kind::mapping) {
    for (const char* key : {"value", "points"})
      if (YamlNode* inner = find(value, key)) return negate(*inner);
    return false;
  }
  for (YamlNode& item : value.items) {
    if (item.kind != YamlNode::Kind::list || item.items.size() != 2) return false;
    if (!negate(item.items[1])) return false;
  }
  return true;
}

}  // namespace

PartInstance::PartInstance(const YamlNode& part, const PartUse& use,
                           const std::vector<SharedText>& files, Diagnostics& diagnostics)
    : part_(part), use_(use), files_(files), diagnostics_(diagnostics) {
  own_ = declared_names(part);
  for (std::size_t i = 0; i < part.keys.size(); ++i) {
    const YamlNode& things = part.items[i];
    for (std::size_t k = 0; k < things.keys.size(); ++k) {
      if (part.keys[i].text == "bodies") bodies_.insert(things.keys[k].text);
      if (is_elements(part.keys[i].text)) elements_.emplace(things.keys[k].text, &things.items[k]);
    }
  }
}

void PartInstance::fail(const std::string& code, const std::string& message, const YamlNode& at,
                         const std::string& hint) const {
  diagnostics_.error(code, fmt::format("part '{}': {}", use_.name, message), place(at), hint);
}

YamlNode PartInstance::sections() {
  YamlNode out = part_;
  out.keys.clear();
  out.items.clear();
  static const std::set<std::string> head{"kardan", "name", "dimension", "ports"};
  for (std::size_t i = 0; i < part_.keys.size(); ++i) {
    const std::string& name = part_.keys[i].text;
    if (head.contains(name) || part_.items[i].kind == YamlNode::Kind::null) continue;
    YamlNode node = part_.items[i];
    section(name, node);
    out.keys.push_back(part_.keys[i]);
    out.items.push_back(std::move(node));
  }
  return out;
}

void PartInstance::section(const std::string& name, YamlNode& node) {
  static const std::set<std::string> known{"parameters", "functions", "colors",   "shapes",
                                           "ground",     "bodies",    "assemble", "when",
                                           "friction",   "outputs",   "inputs",   "parts"};
  if (!known.contains(name) && !is_elements(name)) {
    fail("part.section", fmt::format("a part has no '{}'", name), node,
          "it belongs to the model that uses the part: take it out of the part's file");
    return;
  }
  if (name == "ground") return ground(node);
  if (name == "parts") {
    for (YamlNode& inner : node.items) inner.text = use_.name + "." + inner.text;
    return;
  }
  if (name == "assemble") return wishes(node);
  if (name == "outputs") {
    for (YamlNode& item : node.items) rename_all(item, Mode::reference, {});
    return;
  }
  if (name == "parameters") parameters(node);
  if (name == "bodies") bodies(node);
  if (name == "when" || name == "friction") events(node);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    YamlNode& item = node.items[i];
    const Locals locals = locals_of(item);
    const std::string own_name = node.keys[i].text;
    if (is_elements(name)) element(item, own_name);
    if (name == "functions" || name == "inputs") rename_all(item, Mode::formula, locals);
    if (name == "shapes") shape(item, locals);
    node.keys[i].text = renamed(own_name, Mode::number, locals, item);
  }
}

/// Those given at the use take the place of the part's; they are of the using model.
void PartInstance::parameters(YamlNode& node) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const auto given = use_.with.find(node.keys[i].text);
    if (given == use_.with.end())
      rename_all(node.items[i], Mode::number, locals_of(node.items[i]));
    else
      node.items[i] = given->second;
  }
}

void PartInstance::bodies(YamlNode& node) {
  for (YamlNode& body : node.items) {
    if (body.kind != YamlNode::Kind::mapping) continue;
    const Locals locals = locals_of(body);
    for (std::size_t i = 0; i < body.items.size(); ++i) {
      const std::string& key = body.keys[i].text;
      YamlNode& value = body.items[i];
      if (key == "markers")
        markers(value, locals);
      else if (key == "shapes")
        shapes(value, locals);
      else if (key == "color")
        color(value);
      else if (key != "hold" && key != "accept" && key != "kind" && key != "inertia_at")
        rename_all(value, Mode::number, locals);
    }
    add_placed(body, true);
  }
}

void PartInstance::markers(YamlNode& node, const Locals& locals) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    Locals more = locals_of(node.items[i]);
    more.insert(more.end(), locals.begin(), locals.end());
    rename_all(node.items[i], Mode::number, more);
  }
}

void PartInstance::shapes(YamlNode& node, const Locals& locals) {
  for (YamlNode& item : node.items) shape(item, locals);
}

/// A name of the section `shapes`, or a mapping.
void PartInstance::shape(YamlNode& node, const Locals& locals) {
  if (node.is_scalar()) return rename_all(node, Mode::reference, locals);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (node.keys[i].text == "color")
      color(node.items[i]);
    else if (node.keys[i].text != "shape")
      rename_all(node.items[i], Mode::number, locals);
  }
}

void PartInstance::color(YamlNode& node) {
  const YamlNode* colors = part_.find("colors");
  if (node.is_scalar() && colors && colors->find(node.text))
    node.text = use_.name + "." + node.text;
}

/// Its markers are the part's own.
void PartInstance::ground(YamlNode& node) {
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (node.keys[i].text == "shapes") {
      shapes(node.items[i], {});
      if (placed())
        fail("part.section", "shapes of the ground do not move with a part", node.items[i],
              "give them to the model that uses the part");
    }
    if (node.keys[i].text != "markers") continue;
    markers(node.items[i], {});
    for (std::size_t k = 0; k < node.items[i].items.size(); ++k) {
      add_placed(node.items[i].items[k], true);
      node.items[i].keys[k].text = use_.name + "." + node.items[i].keys[k].text;
    }
  }
}

void PartInstance::wishes(YamlNode& node) {
  for (YamlNode& wish : node.items) rename_all(wish, Mode::formula, {});
}

void PartInstance::events(YamlNode& node) {
  for (YamlNode& event : node.items) {
    if (event.kind != YamlNode::Kind::mapping) continue;
    const Locals locals = locals_of(event);
    for (std::size_t i = 0; i < event.items.size(); ++i) {
      const std::string& key = event.keys[i].text;
      YamlNode& value = event.items[i];
      YamlNode* set =
          key == "action" && value.kind == YamlNode::Kind::mapping ? find(value, "set") : nullptr;
      if (set)
        for (YamlKey& parameter : set->keys)
          parameter.text = renamed(parameter.text, Mode::number, locals, value);
      const bool word = key == "direction" || (key == "action" && value.is_scalar());
      if (!word) rename_all(value, Mode::formula, locals);
    }
  }
}

const ElementType* PartInstance::type_of(const YamlNode& element) const {
  const YamlNode* type = element.kind == YamlNode::Kind::mapping ? element.find("type") : nullptr;
  return type ? Catalog::builtin().find(type->text) : nullptr;
}

void PartInstance::element(YamlNode& node, const std::string& name) {
  if (node.kind != YamlNode::Kind::mapping) return;
  const ElementType* type = type_of(node);
  const Locals locals = locals_of(node);
  check_axes(node, type, name);
  const std::string turned = mirrored() ? reflect(node, type, name) : "";
  fields(node, type, locals);
  for (const char* key : {"between", "on"}) {
    YamlNode* markers = find(node, key);
    if (!markers) continue;
    if (markers->kind != YamlNode::Kind::list) {
      marker(*markers, turned, locals);
      continue;
    }
    for (YamlNode& item : markers->items) marker(item, turned, locals);
  }
  if (!find(node, "bodies")) return;
  add_placed(node, true);
  add_turn(node, turned);
}

/// Components along the axes of the world do not turn with a part.
void PartInstance::check_axes(const YamlNode& element, const ElementType* type,
                              const std::string& name) const {
  if (!type || (type->reflection != Reflection::vector && type->reflection != Reflection::axial))
    return;
  const YamlNode* in = element.find("frame");
  if (in && in->text == "body") return;
  for (const YamlKey& key : use_.placement.keys)
    if (key.text != "at" && key.text != "mirror") {
      fail("part.world", name + ": components along the world's axes in a part that is turned",
           element, "write frame: body");
      return;
    }
}

void PartInstance::fields(YamlNode& node, const ElementType* type, const Locals& locals) {
  static const std::set<std::string> names{"bodies", "joint", "joints"};
  static const std::set<std::string> left{"type", "between", "on"};
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    const std::string& key = node.keys[i].text;
    YamlNode& value = node.items[i];
    if (left.contains(key)) continue;
    if (key == "color") {
      color(value);
      continue;
    }
    const FieldDoc* doc = nullptr;
    for (std::size_t k = 0; type && k < type->fields.size(); ++k)
      if (type->fields[k].key == key) doc = &type->fields[k];
    if (doc && (!doc->info.choices.empty() || doc->kind == "list of words")) continue;
    const bool name = names.contains(key) || (doc && doc->kind == "word");
    Locals all = locals;
    if (doc) all.insert(all.end(), doc->info.variables.begin(), doc->info.variables.end());
    rename_all(value, name ? Mode::reference : Mode::formula, all);
  }
}

void PartInstance::add_placed(YamlNode& node, bool moved) const {
  if (!placed() || node.kind != YamlNode::Kind::mapping) return;
  YamlNode step = use_.placement;
  if (!moved) {
    if (!mirrored()) return;
    step = mapping_like(node);
    add(step, "mirror", scalar_like(node, use_.mirror));
  }
  if (YamlNode* before = find(node, "placed")) {
    before->items.push_back(std::move(step));
    return;
  }
  YamlNode list = mapping_like(node);
  list.kind = YamlNode::Kind::list;
  list.items.push_back(std::move(step));
  add(node, "placed", std::move(list));
}

YamlNode PartInstance::marker_on(const std::string& key, const std::string& name,
                                 const YamlNode& at) const {
  YamlNode out = mapping_like(at);
  add(out, key, scalar_like(at, name));
  return out;
}

/// Markers of bodies are placed with them, the ground of the part is placed here. A marker given to
/// a port is taken as it is.
void PartInstance::marker(YamlNode& node, const std::string& turned, const Locals& locals) {
  if (node.is_scalar()) {
    const std::string text = node.text;
    const std::string first = text.substr(0, text.find('.'));
    if (text == "ground") {
      if (!placed()) return;
      YamlNode map = marker_on("body", "ground", node);
      add_placed(map, true);
      add_turn(map, turned);
      node = std::move(map);
      return;
    }
    const bool port = use_.ports.contains(first);
    node.text = first == "ground" ? fmt::format("ground.{}.{}", use_.name, text.substr(7))
                                  : renamed(text, Mode::reference, locals, node);
    if (turned.empty() || (port && node.text.find('.') != std::string::npos)) return;
    YamlNode map =
        marker_on(text.find('.') == std::string::npos ? "body" : "marker", node.text, node);
    add_turn(map, turned);
    node = std::move(map);
    return;
  }
  YamlNode* body = node.kind == YamlNode::Kind::mapping ? find(node, "body") : nullptr;
  if (!body) {
    // One of a part inside: {marker: ..., turned: ...}
    if (YamlNode* named = node.kind == YamlNode::Kind::mapping ? find(node, "marker") : nullptr)
      rename_all(*named, Mode::reference, locals);
    add_turn(node, turned);
    return;
  }
  const bool ground = body->text == "ground";
  for (std::size_t i = 0; i < node.items.size(); ++i)
    if (node.keys[i].text != "turned")
      rename_all(node.items[i], node.keys[i].text == "body" ? Mode::reference : Mode::number,
                 locals);
  add_placed(node, ground);
  add_turn(node, turned);
}

Reflection PartInstance::frames_of(const ElementType& type, const YamlNode& element) const {
  if (type.reflection != Reflection::coordinate) return type.reflection;
  const YamlNode* given = element.find("coordinate");
  std::string word = given ? given->text : "";
  for (const FieldDoc& f : type.fields)
    if (word.empty() && f.key == "coordinate") word = f.default_text;
  return word == "angle" ? Reflection::about : Reflection::along;
}

/// Whether a coordinate of this kind keeps its value where the element's joint acts.
bool PartInstance::keeps_its_joint(const YamlNode& element, bool about) const {
  const YamlNode* named = element.find("joint");
  const auto found = named ? elements_.find(named->text) : elements_.end();
  const ElementType* joint = found == elements_.end() ? nullptr : type_of(*found->second);
  if (!joint) return true;  // told by whoever looks for it
  return !element.find("coordinate") || (joint->reflection == Reflection::about) == about;
}

std::string PartInstance::reflect(YamlNode& element, const ElementType* type,
                                  const std::string& name) {
  if (!type) return "";  // told later
  const auto refuse = [&](const std::string& what, const YamlNode& at) {
    fail("part.mirror", fmt::format("{}: {} cannot be mirrored", name, what), at,
          "leave 'mirror' out and give the part's places by parameters");
    return std::string();
  };
  const bool by_joints = element.find("joint") || element.find("joints");
  if (type->reflection == Reflection::none ||
      (type->reflection == Reflection::joints && !by_joints))
    return refuse(fmt::format("'{}'", type->name), element);
  for (std::size_t i = 0; i < element.keys.size(); ++i)
    if (fmt::format(" {} ", type->one_handed).find(" " + element.keys[i].text + " ") !=
        std::string::npos)
      return refuse("'" + element.keys[i].text + "'", element.items[i]);
  const Reflection frames = frames_of(*type, element);
  const bool about = frames == Reflection::about;
  if (by_joints)
    return type->reflection != Reflection::coordinate || keeps_its_joint(element, about)
               ? ""
               : refuse("a coordinate that is not the joint's own", element);
  const bool planar = use_.dimension == 2;
  const YamlNode* coordinate = element.find("coordinate");
  char axis = about ? 'z' : 'y';  // that is turned around
  if (coordinate && coordinate->text == "y") axis = 'x';
  if (planar && about) {
    // An angle is that of B seen from A: seen from the other it has the other sign.
    axis = 'y';
    for (const char* key : {"between", "bodies"})
      if (YamlNode* list = find(element, key); list && list->kind == YamlNode::Kind::list)
        for (std::size_t i = 0; i + 1 < list->items.size(); i += 2)
          std::swap(list->items[i], list->items[i + 1]);
  } else if (planar && type->touches_plane) {
    axis = 'x';
  }
  if (frames == Reflection::vector || frames == Reflection::axial) {
    const YamlNode* in = element.find("frame");
    const bool of_body = in && in->text == "body";
    reflect_components(element, *type, of_body ? std::string(1, axis) : use_.mirror);
  }
  if (use_.mirror[0] == axis) return "";
  return std::string(1, static_cast<char>('x' + 'y' + 'z' - axis - use_.mirror[0]));
}

/// A force changes the component along the normal of the mirror, a torque the others.
void PartInstance::reflect_components(YamlNode& element, const ElementType& type,
                                      const std::string& normal) {
  for (std::size_t i = 0; i < element.keys.size(); ++i) {
    const std::string& key = element.keys[i].text;
    if (key.size() != 2 || (key[0] != 'f' && key[0] != 't') || key[1] < 'x' || key[1] > 'z')
      continue;
    const bool along = key[1] == normal[0];
    if (along == (type.reflection == Reflection::vector) && !negate(element.items[i]))
      fail("part.mirror", key + " cannot be mirrored", element.items[i],
            "write it as an expression or a table");
  }
}

}  // namespace kardan
