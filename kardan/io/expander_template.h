#pragma once
/// What a document is compiled to before an Expander (expander.h) makes the copies.

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "kardan/elements/field.h"
#include "kardan/io/yaml_document.h"

namespace kardan {

/// Parameters with their values, and those that have none because of an error already reported.
struct ParameterScope {
  Environment values;
  std::unordered_set<std::string> failed;
};

/// A plain scalar that is a whole number text: "1", "-.5", "+2e-3"; nothing else, so neither "nan"
/// nor "0x10".
[[nodiscard]] std::optional<double> plain_number(std::string_view text);

/// A text split at ${}: literal, expression, literal, ...
struct TextTemplate {
  struct Piece {
    std::string literal;
    Expression expression;  // after the literal, when `slots` are set
    bool has_expression = false;
    std::vector<int> slots;  // index in scope of each of its names
  };
  std::vector<Piece> pieces;
  bool is_number = false;  // plain text that is one expression and nothing else
  SourceLocation where;

  [[nodiscard]] bool varies() const {
    return std::any_of(pieces.begin(), pieces.end(),
                       [](const Piece& p) { return p.has_expression; });
  }
};

struct IndexRange {
  std::string name;
  Expression first, last;
  std::vector<int> first_slots, last_slots;
  SourceLocation where;
};

struct EntryTemplate;

struct ValueTemplate {
  FieldValue constant;     // the value if it does not vary; its place in any case
  std::size_t values = 1;  // how many values the constant has, with the weight of texts
  bool varies = false;
  YamlNode::Kind kind = YamlNode::Kind::null;
  TextTemplate text;                   // of a scalar
  std::vector<ValueTemplate> items;    // of a list
  std::vector<EntryTemplate> entries;  // of a mapping
};

struct EntryTemplate {
  TextTemplate key;
  SourceLocation where;  // of the key
  std::vector<IndexRange> ranges;
  bool broken = false;  // a range could not be understood
  ValueTemplate value;
};

/// Compiles nodes; `scope_` holds the names of the indices that may be used.
class TemplateCompiler {
 public:
  TemplateCompiler(const ParameterScope& parameters, const std::vector<SharedText>& files,
                   Diagnostics& diagnostics)
      : parameters_(parameters), files_(files), diagnostics_(diagnostics) {}

  /// `Repeat::done`: the mapping's own key `repeat` has been dealt with.
  enum class Repeat { field, done };
  ValueTemplate compile(const YamlNode& node, const std::string& what,
                        Repeat repeat = Repeat::field);
  EntryTemplate entry(const YamlKey& key, const YamlNode& node, const std::string& owner);

 private:
  template <class Node>
  SourceLocation place(const Node& node, int offset = 0) const {
    return {files_[static_cast<std::size_t>(node.file)], node.line, node.column + offset};
  }
  void scalar(const YamlNode& node, const std::string& what, ValueTemplate& t);
  void list(const YamlNode& node, const std::string& what, ValueTemplate& t);
  void mapping(const YamlNode& node, const std::string& what, Repeat repeat, ValueTemplate& t);
  void ranges(const YamlNode& node, const std::string& what, EntryTemplate& e);
  void range(const YamlKey& key, const YamlNode& node, const std::string& what, EntryTemplate& e);
  /// Every index must be in the name, or copies would share it.
  void check_key(const EntryTemplate& e, const std::string& key, std::size_t outer);
  TextTemplate text(const YamlNode& node, const std::string& what);
  bool expression(const std::string& source, const YamlNode& node, int offset,
                  const std::string& what, Expression& out, std::vector<int>& slots);

  const ParameterScope& parameters_;
  const std::vector<SharedText>& files_;
  Diagnostics& diagnostics_;
  std::vector<std::string> scope_;
  bool lenient_ = false;  // inside a repeat that is not understood
};

}  // namespace kardan
