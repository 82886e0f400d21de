#pragma once
/// One use of a part: its sections with the names they have in the model that uses it, placed and
/// mirrored.

#include <map>
#include <set>
#include <string>
#include <vector>

#include "kardan/elements/catalog.h"
#include "kardan/io/yaml_document.h"

namespace kardan {

/// What stands at the use: `front_left: {file: corner.yaml, with: {...}, at: ..., mirror: y}`.
struct PartUse {
  std::string name;
  SourceLocation where;
  std::map<std::string, YamlNode> with;  ///< values of parameters
  std::map<std::string, std::string> ports;
  YamlNode placement;  ///< {at: ..., mirror: ...}, or null
  std::string mirror;  ///< x, y, z, or none
  int dimension = 3;
  std::set<std::string> outer;  ///< names of the using file
};

/// The names that a tree of a model declares, those of its parts included.
[[nodiscard]] std::set<std::string> declared_names(const YamlNode& root);

class PartInstance {
 public:
  PartInstance(const YamlNode& part, const PartUse& use, const std::vector<SharedText>& files,
               Diagnostics& diagnostics);

  /// The sections, to be joined with those of the model.
  [[nodiscard]] YamlNode sections();

 private:
  enum class Mode { reference, formula, number };
  using Locals = std::vector<std::string>;

  SourceLocation place(const YamlNode& node) const {
    return {files_[static_cast<std::size_t>(node.file)], node.line, node.column};
  }
  void fail(const std::string& code, const std::string& message, const YamlNode& at,
             const std::string& hint) const;
  bool placed() const { return use_.placement.kind == YamlNode::Kind::mapping; }
  bool mirrored() const { return !use_.mirror.empty(); }
  bool own(const std::string& name) const;

  void section(const std::string& name, YamlNode& node);
  void parameters(YamlNode& node);
  void bodies(YamlNode& node);
  void markers(YamlNode& node, const Locals& locals);
  void shapes(YamlNode& node, const Locals& locals);
  void shape(YamlNode& node, const Locals& locals);
  void color(YamlNode& node);
  void ground(YamlNode& node);
  void element(YamlNode& node, const std::string& name);
  void fields(YamlNode& node, const ElementType* type, const Locals& locals);
  void check_axes(const YamlNode& element, const ElementType* type, const std::string& name) const;
  void events(YamlNode& node);
  void wishes(YamlNode& node);

  // Where elements act, and how they are reflected.
  void marker(YamlNode& node, const std::string& turned, const Locals& locals);
  YamlNode marker_on(const std::string& key, const std::string& name, const YamlNode& at) const;
  void add_placed(YamlNode& node, bool moved) const;
  /// The axis about which frames of the element make half a turn; "" for none. Swaps the frames of
  /// a planar element that counts angles.
  std::string reflect(YamlNode& element, const ElementType* type, const std::string& name);
  void reflect_components(YamlNode& element, const ElementType& type, const std::string& frames);
  bool keeps_its_joint(const YamlNode& element, bool about) const;
  const ElementType* type_of(const YamlNode& element) const;
  Reflection frames_of(const ElementType& type, const YamlNode& element) const;

  // Names.
  Locals locals_of(const YamlNode& entry) const;
  void rename_all(YamlNode& node, Mode mode, const Locals& locals);
  std::string renamed(const std::string& text, Mode mode, const Locals& locals, const YamlNode& at);
  std::string name_in_model(const std::string& first, const std::string& rest, Mode mode,
                            const YamlNode& at);
  void check_formula(const std::string& first, const std::string& rest, const YamlNode& at) const;

  const YamlNode& part_;
  const PartUse& use_;
  const std::vector<SharedText>& files_;
  Diagnostics& diagnostics_;
  std::set<std::string> own_;
  std::set<std::string> bodies_;
  std::map<std::string, const YamlNode*> elements_;
};

}  // namespace kardan
