#pragma once
/// YAML text as a tree that remembers where everything stands, keeps the order of mappings and
/// refuses what a model file must not be: duplicate keys, several documents, text that is not
/// UTF-8, and input made to exhaust memory. JSON is YAML, so it reads JSON too.

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/base/diagnostics.h"

namespace kardan {

struct YamlKey {
  std::string text;
  int line = 0, column = 0;  // 1-based
  int file = 0;              // index of the file it stands in
};

/// A node. A scalar between quotes stands where its first letter stands.
struct YamlNode {
  enum class Kind { null, plain, quoted, list, mapping };
  Kind kind = Kind::null;
  int line = 0, column = 0;     // 1-based
  int file = 0;                 // index of the file it stands in
  std::string text;             // of a scalar
  std::vector<YamlNode> items;  // of a list; the values of a mapping
  std::vector<YamlKey> keys;    // of a mapping: keys[i] names items[i]; no key appears twice

  [[nodiscard]] bool is_scalar() const { return kind == Kind::plain || kind == Kind::quoted; }
  /// The value of a mapping's key; null if there is none.
  [[nodiscard]] const YamlNode* find(std::string_view key) const;
};

/// "a list", "a mapping", "nothing", "'text'": what a message says it got.
[[nodiscard]] std::string describe(const YamlNode& node);

struct YamlLimits {
  std::size_t bytes = std::size_t{64} << 20;  ///< of the text
  std::size_t nodes = 10'000'000;             ///< of the tree
  std::size_t alias_nodes =
      1'000'000;    ///< copied for anchors and aliases, with the weight of texts
  int depth = 100;  ///< of nesting
};

/// How much a text weighs against the limits, in values: what copies it pays for long ones too.
[[nodiscard]] constexpr std::size_t weight(std::string_view text) {
  constexpr std::size_t bytes_a_value = 64;  // about what a value without text takes
  return text.size() / bytes_a_value;
}

/// A tree of one file, or of several that include each other.
struct YamlDocument {
  YamlNode root;
  bool complete = false;          ///< false: reading stopped at an error, the tree ends there
  std::vector<SharedText> files;  ///< by the index that nodes carry

  [[nodiscard]] SourceLocation place(const YamlNode& node) const {
    return {files[static_cast<std::size_t>(node.file)], node.line, node.column};
  }
  [[nodiscard]] SourceLocation place(const YamlKey& key) const {
    return {files[static_cast<std::size_t>(key.file)], key.line, key.column};
  }
};

/// Parses `text`; `file` names it in messages; nodes carry `index`. Codes: yaml.syntax,
/// yaml.duplicate_key, yaml.key, yaml.tag, yaml.alias, yaml.several_documents, yaml.encoding,
/// yaml.too_large, yaml.too_deep.
[[nodiscard]] YamlDocument parse_yaml(std::string_view text, const std::string& file,
                                      Diagnostics& diagnostics, const YamlLimits& limits = {},
                                      int index = 0);

}  // namespace kardan
