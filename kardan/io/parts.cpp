#include "kardan/io/parts.h"

#include <fmt/format.h>

#include <algorithm>

#include "kardan/base/text.h"
#include "kardan/io/part_use.h"
#include "kardan/io/units.h"
#include "kardan/model/names.h"
#include "kardan/model/placement.h"

namespace kardan {
namespace {

class Expansion {
 public:
  Expansion(YamlNode& root, const PartFile& open, const std::vector<SharedText>& files,
            Diagnostics& diagnostics)
      : root_(root), open_(open), files_(files), diagnostics_(diagnostics) {}

  void run() {
    const auto at = std::find_if(root_.keys.begin(), root_.keys.end(),
                                 [](const YamlKey& key) { return key.text == "parts"; });
    // A list names parts that have been put in their places.
    const bool done =
        at != root_.keys.end() &&
        root_.items[static_cast<std::size_t>(at - root_.keys.begin())].kind == YamlNode::Kind::list;
    if (at == root_.keys.end() || done) return;
    const YamlKey key = *at;
    const auto place = at - root_.keys.begin();
    outer_ = declared_names(root_);
    const YamlNode parts = std::move(root_.items[static_cast<std::size_t>(place)]);
    for (auto k = at + 1; k != root_.keys.end(); ++k) behind_.insert(k->text);
    root_.items.erase(root_.items.begin() + place);
    root_.keys.erase(at);
    if (parts.kind == YamlNode::Kind::null) return;
    if (parts.kind != YamlNode::Kind::mapping) {
      fail("model.shape", fmt::format("parts: got {}; wanted a mapping", describe(parts)), parts,
            "write name: {file: part.yaml}");
      return;
    }
    YamlNode all = parts;
    all.keys.clear();
    all.items.clear();
    YamlNode names = all;
    names.kind = YamlNode::Kind::list;
    all.keys.push_back(key);
    all.items.push_back(std::move(names));  // of those that are put in their places
    for (std::size_t i = 0; i < parts.items.size(); ++i)
      part(parts.keys[i], parts.items[i], parts, all);
    join(std::move(all));
  }

 private:
  template <class Node>
  SourceLocation place(const Node& node) const {
    return {files_[static_cast<std::size_t>(node.file)], node.line, node.column};
  }
  template <class Node>
  void fail(const std::string& code, const std::string& message, const Node& at,
             const std::string& hint = "") {
    diagnostics_.error(code, message, place(at), hint);
  }

  void part(const YamlKey& key, const YamlNode& node, const YamlNode& parts, YamlNode& all) {
    const std::string what = "parts." + key.text;
    if (node.kind != YamlNode::Kind::mapping) {
      fail("model.shape", fmt::format("{}: got {}; wanted a mapping", what, describe(node)), node,
            "write {file: part.yaml, with: {...}, at: [...]}");
      return;
    }
    const bool letters = !key.text.empty() &&
                         key.text.find_first_not_of(name_letters) == std::string::npos &&
                         (key.text[0] < '0' || key.text[0] > '9');
    if (!letters || is_taken(key.text, NameOf::value)) {
      fail("name.bad", fmt::format("'{}' cannot name a part", key.text), key,
            "a name is a letter or '_', then letters, digits and '_'");
      return;
    }
    const auto others = std::count_if(parts.keys.begin(), parts.keys.end(),
                                      [&](const YamlKey& k) { return k.text == key.text; });
    if (others > 1 || is_used(key.text)) {
      fail("name.duplicate", fmt::format("the name '{}' is used twice", key.text), key,
            "parts share their names with bodies, elements and parameters: rename one");
      return;
    }
    PartUse use;
    use.name = key.text;
    use.where = place(key);
    use.outer = outer_;
    use.dimension = dimension_of(root_);
    const YamlNode* const tree = read(node, what, use);
    if (!tree) return;
    if (dimension_of(*tree) != use.dimension) {
      fail("part.dimension",
            fmt::format("{}: the part has dimension {}, the model {}", what, dimension_of(*tree),
                        use.dimension),
            node, "a part and its model have one dimension");
      return;
    }
    if (!connect(node.find("with"), *tree, what, node, use)) return;
    YamlNode name;
    name.kind = YamlNode::Kind::plain;
    name.text = key.text;
    name.line = key.line;
    name.column = key.column;
    name.file = key.file;
    all.items.front().items.push_back(std::move(name));
    merge(PartInstance(*tree, use, files_, diagnostics_).sections(), all);
  }

  static constexpr const char* name_letters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_";

  /// By something of the model that is no part.
  bool is_used(const std::string& name) const {
    for (std::size_t i = 0; i < root_.keys.size(); ++i)
      if (root_.keys[i].text != "outputs" && root_.items[i].kind == YamlNode::Kind::mapping &&
          root_.keys[i].text != "ground" && root_.keys[i].text != "simulate" &&
          root_.keys[i].text != "defaults" && root_.keys[i].text != "equilibrium" &&
          root_.items[i].find(name))
        return true;
    return false;
  }

  static int dimension_of(const YamlNode& root) {
    const YamlNode* node = root.find("dimension");
    return node && node->text == "2" ? 2 : 3;
  }

  /// Its own keys; the tree of its file.
  const YamlNode* read(const YamlNode& node, const std::string& what, PartUse& use) {
    static const std::vector<std::string> known = [] {
      std::vector<std::string> keys{"file", "with"};
      for (const FieldDoc& d : placement_field_docs()) keys.push_back(d.key);
      return keys;
    }();
    FieldMap keys;
    for (const YamlKey& k : node.keys) {
      keys.emplace_back(k.text, FieldValue());
      keys.back().second.where = place(k);
    }
    const std::size_t before = diagnostics_.error_count();
    report_unknown_keys(keys, known, what, diagnostics_);
    use.placement = node;
    use.placement.keys.clear();
    use.placement.items.clear();
    for (std::size_t i = 0; i < node.keys.size(); ++i) {
      if (node.keys[i].text == "file" || node.keys[i].text == "with") continue;
      use.placement.keys.push_back(node.keys[i]);
      use.placement.items.push_back(node.items[i]);
    }
    if (use.placement.keys.empty()) use.placement.kind = YamlNode::Kind::null;
    if (const YamlNode* mirror = node.find("mirror"); mirror && mirror->text != "none")
      use.mirror = mirror->text;
    if (!use.mirror.empty() && use.mirror != "x" && use.mirror != "y" && use.mirror != "z")
      fail("field.choice",
            fmt::format("{}.mirror: got {}; wanted x, y, z or none", what,
                        describe(*node.find("mirror"))),
            *node.find("mirror"), "the coordinate of the part that changes its sign");
    const YamlNode* file = node.find("file");
    if (!file || !file->is_scalar())
      fail("field.missing", what + ": 'file' is missing", node, "file: part.yaml");
    if (diagnostics_.error_count() > before) return nullptr;
    const YamlNode* tree = open_(*file);
    if (tree && tree->kind != YamlNode::Kind::mapping) return nullptr;
    return tree;
  }

  /// What `with` gives to parameters and ports.
  bool connect(const YamlNode* with, const YamlNode& tree, const std::string& what,
               const YamlNode& at, PartUse& use) {
    const YamlNode* const parameters = tree.find("parameters");
    const YamlNode* const ports = tree.find("ports");
    std::vector<std::string> known, wanted;
    if (parameters)
      for (const YamlKey& key : parameters->keys) known.push_back(key.text);
    if (ports && ports->kind != YamlNode::Kind::list)
      fail("model.shape", fmt::format("ports: got {}; wanted a list", describe(*ports)), *ports,
            "write ports: [chassis]");
    else if (ports)
      for (const YamlNode& port : ports->items) wanted.push_back(port.text);
    bool ok = true;
    for (std::size_t i = 0; with && i < with->keys.size(); ++i) {
      const std::string& name = with->keys[i].text;
      const YamlNode& value = with->items[i];
      if (std::find(wanted.begin(), wanted.end(), name) != wanted.end()) {
        if (!value.is_scalar()) {
          fail("part.port",
                fmt::format("{}.with.{}: got {}; wanted a name", what, name, describe(value)),
                value, "the name of a body, a marker, a joint or a sensor");
          ok = false;
        }
        use.ports[name] = value.text;
      } else if (std::find(known.begin(), known.end(), name) != known.end()) {
        ok &= give(*parameters->find(name), value, what + ".with." + name, use.with[name]);
      } else {
        std::vector<std::string> all = known;
        all.insert(all.end(), wanted.begin(), wanted.end());
        const std::string near = did_you_mean(name, all);
        fail("part.with", fmt::format("{}: the part has no parameter or port '{}'", what, name),
              with->keys[i],
              near.empty() ? "it has: " + fmt::format("{}", fmt::join(all, ", "))
                           : "did you mean '" + near + "'?");
        ok = false;
      }
    }
    for (const std::string& port : wanted)
      if (!use.ports.contains(port)) {
        fail("part.port", fmt::format("{}: nothing is given for the port '{}'", what, port), at,
              fmt::format("write with: {{{}: NAME}}", port));
        ok = false;
      }
    return ok;
  }

  /// A value keeps the unit that the part declares, in the SI's; of another the value must say its
  /// own.
  bool give(const YamlNode& declared, const YamlNode& value, const std::string& what,
            YamlNode& out) {
    out = value;
    const YamlNode* unit =
        declared.kind == YamlNode::Kind::mapping ? declared.find("unit") : nullptr;
    const auto own = unit ? parse_any_unit(unit->text) : std::nullopt;
    const bool has_own = value.kind == YamlNode::Kind::mapping ||
                         (value.is_scalar() && parse_number_with_unit(value.text));
    const auto written =
        declared.is_scalar() ? parse_number_with_unit(declared.text) : std::nullopt;
    const bool foreign = (own && !own->is_si()) || (written && !written->unit.is_si());
    if (has_own || (!own && !written)) return true;
    if (foreign && value.is_scalar() && plain_number_text(value.text)) {
      fail("part.unit",
            fmt::format("{}: the part gives it in {}, and this number says no unit", what,
                        unit ? unit->text : written->text),
            value, fmt::format("write {} {}", value.text, unit ? unit->text : written->text));
      return false;
    }
    return true;
  }

  static bool plain_number_text(const std::string& text) {
    return !text.empty() && text.find_first_not_of("0123456789.+-eE") == std::string::npos;
  }

  void join(YamlNode sections) {
    for (std::size_t i = 0; i < sections.keys.size(); ++i) {
      const auto at = std::find_if(root_.keys.begin(), root_.keys.end(), [&](const YamlKey& key) {
        return key.text == sections.keys[i].text;
      });
      if (at == root_.keys.end()) {
        root_.keys.push_back(std::move(sections.keys[i]));
        root_.items.push_back(std::move(sections.items[i]));
        continue;
      }
      YamlNode& own = root_.items[static_cast<std::size_t>(at - root_.keys.begin())];
      // In the order of the file.
      if (behind_.contains(at->text)) std::swap(sections.items[i], own);
      merge(std::move(sections.items[i]), own);
    }
  }

  void merge(YamlNode from, YamlNode& into) {
    if (into.kind == YamlNode::Kind::null) {
      into = std::move(from);
    } else if (from.kind == into.kind) {
      for (std::size_t i = 0; i < from.items.size(); ++i) {
        // The markers of the ground are one mapping.
        if (i < from.keys.size() && into.find(from.keys[i].text)) {
          merge(std::move(from.items[i]), const_cast<YamlNode&>(*into.find(from.keys[i].text)));
          continue;
        }
        if (i < from.keys.size()) into.keys.push_back(std::move(from.keys[i]));
        into.items.push_back(std::move(from.items[i]));
      }
    }
  }

  YamlNode& root_;
  const PartFile& open_;
  const std::vector<SharedText>& files_;
  Diagnostics& diagnostics_;
  std::set<std::string> outer_;
  std::set<std::string> behind_;  // sections that stand behind `parts`
};

}  // namespace

void expand_parts(YamlNode& root, const PartFile& open, const std::vector<SharedText>& files,
                  Diagnostics& diagnostics) {
  Expansion(root, open, files, diagnostics).run();
}

}  // namespace kardan
