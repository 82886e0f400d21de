#include "kardan/io/unused_parameters.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

namespace kardan {
namespace {

/// All words that could be names in expressions.
class Words {
 public:
  void collect(const YamlNode& node) {
    if (node.is_scalar()) add(node.text);
    for (const YamlNode& item : node.items) collect(item);
    for (const YamlKey& key : node.keys)
      if (key.text.find("${") != std::string::npos) add(key.text);
  }
  /// Of a repeated name, what stands before its first index decides.
  [[nodiscard]] bool contains(const std::string& name) const {
    const std::size_t index = name.find("${");
    if (index == std::string::npos) return words_.contains(name.substr(0, name.find('.')));
    const std::string head = name.substr(0, index);
    return std::any_of(words_.begin(), words_.end(),
                       [&](const std::string& word) { return word.starts_with(head); });
  }

 private:
  void add(std::string_view text) {
    const auto letter = [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    };
    const auto digit = [](char c) { return c >= '0' && c <= '9'; };
    for (std::size_t i = 0; i < text.size();) {
      if (!letter(text[i])) {
        ++i;
        continue;
      }
      std::size_t end = i;
      while (end < text.size() && (letter(text[end]) || digit(text[end]))) ++end;
      words_.emplace(text.substr(i, end - i));
      i = end;
    }
  }

  std::unordered_set<std::string> words_;
};

}  // namespace

void report_unused_parameters(const YamlDocument& document, Diagnostics& diagnostics) {
  const YamlNode& root = document.root;
  const YamlNode* parameters = root.find("parameters");
  if (!document.complete || !parameters || parameters->kind != YamlNode::Kind::mapping) return;
  Words words;
  for (std::size_t i = 0; i < root.keys.size(); ++i)
    if (root.keys[i].text != "name") words.collect(root.items[i]);
  for (const YamlKey& key : parameters->keys)
    if (!words.contains(key.text))
      diagnostics.warning("parameter.unused", fmt::format("nothing uses '{}'", key.text),
                          document.place(key), "remove it, or correct its name where it is used");
}

}  // namespace kardan
