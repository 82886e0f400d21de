#include "kardan/io/yaml_document.h"

#include <fmt/format.h>
#include <yaml-cpp/anchor.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "kardan/io/utf8.h"

namespace kardan {
namespace {

/// Ends the parsing; the reason has been reported.
struct Stop {};

std::size_t count_nodes(const YamlNode& node) {
  std::size_t count = 1 + weight(node.text);
  for (const YamlNode& item : node.items) count += count_nodes(item);
  for (const YamlKey& key : node.keys) count += weight(key.text);
  return count;
}

/// Builds the tree from the events of the parser.
class TreeBuilder final : public YAML::EventHandler {
 public:
  TreeBuilder(std::string_view text, const std::string& file, int index, const YamlLimits& limits,
              Diagnostics& diagnostics)
      : text_(text), file_(file), index_(index), limits_(limits), diagnostics_(diagnostics) {}

  /// The tree as far as it was read; open lists and mappings are closed.
  YamlNode take() {
    finishing_ = true;
    while (!open_.empty()) {
      open_.back().anchor = YAML::NullAnchor;  // nothing refers to it any more
      close();
    }
    return std::move(root_);
  }

  void OnDocumentStart(const YAML::Mark& mark) override {
    if (++documents_ == 1) return;
    diagnostics_.error("yaml.several_documents", "the file holds more than one document",
                       place(mark), "remove the lines '---' and '...' or split the file");
    throw Stop{};
  }
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    complete(make(mark, YamlNode::Kind::null), anchor);
  }
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override {
    check_tag(mark, tag);
    // The parser marks a scalar that is not plain with the tag "!".
    YamlNode node = make(mark, tag == "?" ? YamlNode::Kind::plain : YamlNode::Kind::quoted);
    if (opens_with_quote(mark)) ++node.column;
    if (node.kind == YamlNode::Kind::plain) check_comma(mark, value);
    node.text = value;
    complete(std::move(node), anchor);
  }
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      diagnostics_.error("yaml.alias", "an alias stands inside what it stands for", place(mark),
                         "write the value out");
      throw Stop{};
    }
    count_copy(mark, found->second);
    attach(found->second);
  }
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::list);
  }
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(mark, tag, anchor, YamlNode::Kind::mapping);
  }
  void OnMapEnd() override { close(); }

 private:
  enum class Expects { key, value, value_to_drop };
  struct Open {
    YamlNode node;
    YAML::anchor_t anchor = YAML::NullAnchor;
    Expects expects = Expects::key;  // of a mapping
    YamlKey key;
    std::unordered_map<std::string, std::size_t> seen;  // key -> its index
  };

  SourceLocation place(const YAML::Mark& mark) const {
    return {file_, mark.line + 1, mark.column + 1};
  }
  bool opens_with_quote(const YAML::Mark& mark) const {
    if (mark.pos < 0 || static_cast<std::size_t>(mark.pos) >= text_.size()) return false;
    const char c = text_[static_cast<std::size_t>(mark.pos)];
    return c == '"' || c == '\'';
  }

  /// `fx: step(t, 0, 1)` inside { } or [ ]: YAML ends the value at the comma, and what follows is
  /// nonsense, of which one message is enough.
  void check_comma(const YAML::Mark& mark, const std::string& value) {
    if (std::count(value.begin(), value.end(), '(') <= std::count(value.begin(), value.end(), ')'))
      return;
    const auto begin = static_cast<std::size_t>(std::max(mark.pos, 0));
    if (text_.substr(std::min(begin, text_.size()), value.size()) != value) return;
    const std::size_t next = text_.find_first_not_of(' ', begin + value.size());
    if (next == std::string_view::npos || text_[next] != ',') return;
    std::size_t end = begin;
    int open = 0;
    do {
      open += text_[end] == '(' ? 1 : text_[end] == ')' ? -1 : 0;
      ++end;
    } while (end < text_.size() && text_[end] != '\n' && (open > 0 || end < begin + value.size()));
    // Where it is not closed, or another key begins before, a parenthesis is missing instead.
    if (open > 0 || text_.substr(begin, end - begin).find(": ") != std::string_view::npos) return;
    constexpr std::size_t longest = 60;  // a message is a line
    const std::string_view whole = text_.substr(begin, std::min(end - begin, longest));
    diagnostics_.error("yaml.comma",
                       fmt::format("'{}': inside {{ }} and [ ] a comma ends the value", whole),
                       place(mark), fmt::format("put it in quotes: \"{}\"", whole));
    throw Stop{};
  }

  void check_tag(const YAML::Mark& mark, const std::string& tag) {
    if (tag.empty() || tag == "?" || tag == "!" || tag == "tag:yaml.org,2002:str") return;
    diagnostics_.error("yaml.tag", fmt::format("tag '{}' has no meaning here", tag), place(mark),
                       "remove it");
  }

  YamlNode make(const YAML::Mark& mark, YamlNode::Kind kind) {
    if (++nodes_ > limits_.nodes) {
      diagnostics_.error("yaml.too_large", fmt::format("more than {} values", limits_.nodes),
                         place(mark), "use 'repeat', or split the model");
      throw Stop{};
    }
    YamlNode node;
    node.kind = kind;
    node.line = mark.line + 1;
    node.column = mark.column + 1;
    node.file = index_;
    return node;
  }

  void count_copy(const YAML::Mark& mark, const YamlNode& node) {
    copied_ += count_nodes(node);
    if (copied_ <= limits_.alias_nodes) return;
    diagnostics_.error("yaml.too_large",
                       fmt::format("aliases stand for more than {} values", limits_.alias_nodes),
                       place(mark), "use fewer or smaller aliases, or 'repeat'");
    throw Stop{};
  }

  void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
            YamlNode::Kind kind) {
    check_tag(mark, tag);
    if (static_cast<int>(open_.size()) >= limits_.depth) {
      diagnostics_.error(
          "yaml.too_deep",
          fmt::format("lists and mappings are nested more than {} deep", limits_.depth),
          place(mark), "is a bracket not closed?");
      throw Stop{};
    }
    Open frame;
    frame.node = make(mark, kind);
    frame.anchor = anchor;
    open_.push_back(std::move(frame));
  }

  void close() {
    Open frame = std::move(open_.back());
    open_.pop_back();
    complete(std::move(frame.node), frame.anchor);
  }

  void complete(YamlNode node, YAML::anchor_t anchor) {
    if (anchor != YAML::NullAnchor) {
      YAML::Mark mark;
      mark.line = node.line - 1;
      mark.column = node.column - 1;
      count_copy(mark, node);
      anchors_[anchor] = node;
    }
    attach(std::move(node));
  }

  void attach(YamlNode node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == YamlNode::Kind::list) {
      parent.node.items.push_back(std::move(node));
    } else if (parent.expects == Expects::key) {
      take_key(parent, std::move(node));
    } else {
      if (parent.expects == Expects::value) {
        parent.node.keys.push_back(std::move(parent.key));
        parent.node.items.push_back(std::move(node));
      }
      parent.expects = Expects::key;
    }
  }

  void take_key(Open& mapping, YamlNode node) {
    mapping.expects = Expects::value_to_drop;
    const SourceLocation where{file_, node.line, node.column};
    if (!node.is_scalar()) {
      if (!finishing_)  // else it is not known whether it was a key
        diagnostics_.error("yaml.key",
                           fmt::format("got {} as a key; wanted a word", describe(node)), where);
      return;
    }
    const auto [first, is_new] = mapping.seen.emplace(node.text, mapping.node.keys.size());
    if (!is_new) {
      const YamlKey& other = mapping.node.keys[first->second];
      diagnostics_.error("yaml.duplicate_key",
                         fmt::format("key '{}' appears twice; first at {}:{}:{}", node.text, file_,
                                     other.line, other.column),
                         where, "remove or rename one of them");
      return;
    }
    mapping.expects = Expects::value;
    mapping.key = {std::move(node.text), node.line, node.column, index_};
  }

  std::string_view text_;
  const std::string& file_;
  int index_;
  const YamlLimits& limits_;
  Diagnostics& diagnostics_;
  YamlNode root_;
  std::vector<Open> open_;
  std::unordered_map<YAML::anchor_t, YamlNode> anchors_;
  std::size_t nodes_ = 0, copied_ = 0;
  int documents_ = 0;
  bool finishing_ = false;
};

SourceLocation place_of(std::string_view text, std::size_t offset, const std::string& file) {
  const std::string_view before = text.substr(0, offset);
  const auto lines = std::count(before.begin(), before.end(), '\n');
  const std::size_t newline = before.rfind('\n');
  const std::size_t column = newline == std::string_view::npos ? offset : offset - newline - 1;
  return {file, static_cast<int>(lines) + 1, static_cast<int>(column) + 1};
}

std::string_view line_of(std::string_view text, int line) {
  std::size_t begin = 0;
  for (int i = 1; i < line && begin != std::string_view::npos; ++i) {
    begin = text.find('\n', begin);
    if (begin != std::string_view::npos) ++begin;
  }
  if (begin == std::string_view::npos) return {};
  return text.substr(begin, text.find('\n', begin) - begin);
}

/// The last line before `line` that is neither empty nor a comment; its number, or 0.
int line_before(std::string_view text, int line) {
  for (--line; line > 0; --line) {
    const std::string_view before = line_of(text, line);
    const std::size_t first = before.find_first_not_of(" \t\r");
    if (first != std::string_view::npos && before[first] != '#') return line;
  }
  return 0;
}

std::string syntax_hint(std::string_view line) {
  if (line.find("${") != std::string_view::npos)
    return "inside [ ] and { } put text with ${...} in quotes";
  if (line.find('\t') != std::string_view::npos) return "indent with blanks, not with tabs";
  return "look for a missing bracket, quote or colon, or a wrong indentation";
}

/// What the parser found, in words, where the user made it.
void report_syntax(std::string_view text, const std::string& file, std::string what, int line,
                   int column, Diagnostics& diagnostics) {
  const std::string_view here = line_of(text, line);
  std::string hint = syntax_hint(here);
  if (const std::size_t tab = here.find_first_not_of(' ');
      tab != std::string_view::npos && here[tab] == '\t') {
    what = "the line is indented with a tab";
    column = static_cast<int>(tab) + 1;
  } else if (const int before = line_before(text, line);
             what == "illegal map value" && before > 0 &&
             line_of(text, before).find(':') == std::string_view::npos) {
    std::string_view key = line_of(text, before);
    key.remove_prefix(key.find_first_not_of(' '));
    key = key.substr(0, key.find_first_of(" \t\r#"));
    what = fmt::format("a colon is missing behind '{}'", key);
    hint = fmt::format("write '{}:'", key);
    column = static_cast<int>(line_of(text, before).find(key) + key.size()) + 1;
    line = before;
  }
  diagnostics.error("yaml.syntax", what, {file, line, column}, hint);
}

bool readable(std::string_view text, const std::string& file, const YamlLimits& limits,
              Diagnostics& diagnostics) {
  if (text.size() > limits.bytes) {
    diagnostics.error(
        "yaml.too_large",
        fmt::format("the text has {} bytes; at most {} are read", text.size(), limits.bytes),
        {file, 0, 0}, "use 'repeat', or split the model");
    return false;
  }
  const std::size_t bad = find_bad_utf8(text);
  if (bad == std::string_view::npos) return true;
  diagnostics.error(
      "yaml.encoding",
      fmt::format("byte 0x{:02x} is not part of UTF-8 text", static_cast<unsigned char>(text[bad])),
      place_of(text, bad, file), "save the file as UTF-8");
  return false;
}

}  // namespace

const YamlNode* YamlNode::find(std::string_view key) const {
  for (std::size_t i = 0; i < keys.size(); ++i)
    if (keys[i].text == key) return &items[i];
  return nullptr;
}

std::string describe(const YamlNode& node) {
  // Long texts are cut: a message is a line.
  constexpr std::size_t longest = 40;
  switch (node.kind) {
    case YamlNode::Kind::null:
      return "nothing";
    case YamlNode::Kind::list:
      return fmt::format("a list of {}", node.items.size());
    case YamlNode::Kind::mapping:
      return "a mapping";
    case YamlNode::Kind::plain:
    case YamlNode::Kind::quoted:
      break;
  }
  if (node.text.size() > longest) return "'" + node.text.substr(0, longest) + "...'";
  return "'" + node.text + "'";
}

YamlDocument parse_yaml(std::string_view text, const std::string& file, Diagnostics& diagnostics,
                        const YamlLimits& limits, int index) {
  constexpr std::string_view byte_order_mark = "\xef\xbb\xbf";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  YamlDocument document;
  document.files.assign(static_cast<std::size_t>(index) + 1, file);
  if (!readable(text, file, limits, diagnostics)) return document;

  std::istringstream stream{std::string(text)};
  TreeBuilder builder(text, file, index, limits, diagnostics);
  try {
    YAML::Parser parser(stream);
    while (parser.HandleNextDocument(builder)) {
    }
    document.complete = true;
  } catch (const YAML::Exception& e) {
    const int line = e.mark.is_null() ? 0 : e.mark.line + 1;
    const int column = e.mark.is_null() ? 0 : e.mark.column + 1;
    report_syntax(text, file, e.msg, line, column, diagnostics);
  } catch (const Stop&) {
  }
  document.root = builder.take();
  document.root.file = index;
  return document;
}

}  // namespace kardan
