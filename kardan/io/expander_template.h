#pragma once
/// What an Expander compiles a document to before it makes the copies; private to it.

#include <algorithm>

#include "kardan/io/expander.h"

namespace kardan::io {

/// A text split at ${}: literal, expression, literal, ...
struct Expander::Text {
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

struct Expander::Range {
  std::string name;
  Expression first, last;
  std::vector<int> first_slots, last_slots;
  SourceLocation where;
};

struct Expander::Template {
  FieldValue constant;     // the value if it does not vary; its place in any case
  std::size_t values = 1;  // how many values the constant has, with the weight of texts
  bool varies = false;
  YamlNode::Kind kind = YamlNode::Kind::null;
  Text text;                    // of a scalar
  std::vector<Template> items;  // of a list
  std::vector<Entry> entries;   // of a mapping
};

struct Expander::Entry {
  Text key;
  SourceLocation where;  // of the key
  std::vector<Range> ranges;
  bool broken = false;  // a range could not be understood
  Template value;
};

/// Compiles nodes; `scope_` holds the names of the indices that may be used.
class Expander::Compiler {
 public:
  explicit Compiler(Expander& owner) : owner_(owner) {}

  /// `Repeat::done`: the mapping's own key `repeat` has been dealt with.
  enum class Repeat { field, done };
  Template compile(const YamlNode& node, const std::string& what, Repeat repeat = Repeat::field);
  Entry entry(const YamlKey& key, const YamlNode& node, const std::string& owner);

 private:
  template <class Node>
  SourceLocation place(const Node& node, int offset = 0) const {
    return {owner_.files_[static_cast<std::size_t>(node.file)], node.line, node.column + offset};
  }
  void scalar(const YamlNode& node, const std::string& what, Template& t);
  void list(const YamlNode& node, const std::string& what, Template& t);
  void mapping(const YamlNode& node, const std::string& what, Repeat repeat, Template& t);
  void ranges(const YamlNode& node, const std::string& what, Entry& e);
  void range(const YamlKey& key, const YamlNode& node, const std::string& what, Entry& e);
  /// Every index must be in the name, or copies would share it.
  void check_key(const Entry& e, const std::string& key, std::size_t outer);
  Text text(const YamlNode& node, const std::string& what);
  bool expression(const std::string& source, const YamlNode& node, int offset,
                  const std::string& what, Expression& out, std::vector<int>& slots);

  Expander& owner_;
  std::vector<std::string> scope_;
  bool lenient_ = false;  // inside a repeat that is not understood
};

}  // namespace kardan::io
