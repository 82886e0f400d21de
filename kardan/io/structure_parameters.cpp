#include "kardan/io/structure_parameters.h"

#include <algorithm>
#include <cctype>
#include <set>
#include <string_view>

namespace kardan {
namespace {

using NameSet = std::set<std::string, std::less<>>;

/// All words that could be names in an expression.
void collect_names(std::string_view text, NameSet& out) {
  for (std::size_t i = 0; i < text.size();) {
    if (std::isalpha(static_cast<unsigned char>(text[i])) == 0 && text[i] != '_') {
      ++i;
      continue;
    }
    const std::size_t start = i;
    while (i < text.size() &&
           (std::isalnum(static_cast<unsigned char>(text[i])) != 0 || text[i] == '_'))
      ++i;
    out.emplace(text.substr(start, i - start));
  }
}

void collect_substitutions(std::string_view text, NameSet& out) {
  for (std::size_t at = text.find("${"); at != std::string_view::npos; at = text.find("${", at)) {
    const std::size_t end = std::min(text.find('}', at), text.size());
    collect_names(text.substr(at + 2, end - at - 2), out);
    at = end;
  }
}

void collect_all(const YamlNode& node, NameSet& out) {
  collect_names(node.text, out);
  for (const YamlNode& item : node.items) collect_all(item, out);
}

void collect(const YamlNode& node, NameSet& out) {
  collect_substitutions(node.text, out);
  for (std::size_t i = 0; i < node.items.size(); ++i) {
    if (i < node.keys.size()) {
      collect_substitutions(node.keys[i].text, out);
      if (node.keys[i].text == "repeat") collect_all(node.items[i], out);
    }
    collect(node.items[i], out);
  }
}

}  // namespace

std::vector<std::string> structure_parameters(const YamlDocument& document) {
  std::vector<std::string> out;
  const YamlNode* parameters = document.root.find("parameters");
  if (!parameters || parameters->kind != YamlNode::Kind::mapping) return out;
  NameSet names;
  collect(document.root, names);
  // What they are made of counts too.
  for (std::size_t before = 0; before != names.size();) {
    before = names.size();
    for (std::size_t i = 0; i < parameters->keys.size(); ++i)
      if (names.contains(parameters->keys[i].text)) collect_all(parameters->items[i], names);
  }
  for (const YamlKey& key : parameters->keys)
    if (names.contains(key.text)) out.push_back(key.text);
  return out;
}

}  // namespace kardan
