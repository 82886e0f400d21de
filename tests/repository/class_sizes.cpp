#include "repository/class_sizes.h"

#include <algorithm>
#include <cctype>
#include <regex>
#include <string_view>
#include <utility>

namespace kardan::repository {
namespace {

/// Where the comment, literal or directive at `i` ends; `i` where there is none.
std::size_t end_of_noise(const std::string& text, std::size_t i) {
  const auto behind = [&](std::string_view what, std::size_t from) {
    const std::size_t at = text.find(what, from);
    return at == std::string::npos ? text.size() : at + what.size();
  };
  const std::string_view rest = std::string_view(text).substr(i);
  if (rest.starts_with("//")) return behind("\n", i);
  if (rest.starts_with("/*")) return behind("*/", i);
  if (rest.starts_with("R\"")) {
    const std::size_t open = text.find('(', i);
    return behind(")" + text.substr(i + 2, open - i - 2) + "\"", open);
  }
  const bool in_word = i > 0 && std::isalnum(static_cast<unsigned char>(text[i - 1])) != 0;
  if (rest.front() == '"' || (rest.front() == '\'' && !in_word)) {
    std::size_t end = i + 1;
    while (end < text.size() && text[end] != rest.front()) end += text[end] == '\\' ? 2 : 1;
    return end + 1;
  }
  const std::size_t line = text.find_last_not_of(" \t", i > 0 ? i - 1 : 0);
  if (rest.front() != '#' || (i > 0 && line != std::string::npos && text[line] != '\n')) return i;
  std::size_t end = behind("\n", i);
  while (end >= 2 && end < text.size() && text[end - 2] == '\\') end = behind("\n", end);
  return end;
}

/// Without comments, literals and directives: what is left has no braces but those of the language.
std::string code_of(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t end = end_of_noise(text, i);
    out += end > i ? ' ' : text[i];
    i = std::max(end, i + 1);
  }
  return out;
}

/// Without what stands between `open` and `close`, nested or not.
std::string without(std::string text, char open, char close) {
  std::string out;
  int depth = 0;
  for (const char c : text) {
    if (c == open) ++depth;
    if (depth == 0) out += c;
    if (c == close) depth = std::max(depth - 1, 0);
  }
  return out;
}

bool starts_with_word(const std::string& text, std::string_view word) {
  return text.starts_with(word) &&
         (text.size() == word.size() ||
          (std::isalnum(static_cast<unsigned char>(text[word.size()])) == 0 &&
           text[word.size()] != '_'));
}

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(" \t\r\n");
  if (first == std::string::npos) return {};
  return text.substr(first, text.find_last_not_of(" \t\r\n") - first + 1);
}

/// The data members that a statement of a class declares: `int a, b = 0` two, a function none.
int members_in(const std::string& statement) {
  std::string s = trimmed(
      std::regex_replace(statement, std::regex(R"(\b(public|private|protected)\s*:(?!:))"), " "));
  if (s.empty()) return 0;
  for (const char* word : {"using", "typedef", "friend", "static", "template", "operator"})
    if (starts_with_word(s, word)) return 0;
  if (std::regex_match(s, std::regex(R"((class|struct|union|enum)(\s+class)?\s+\w+(\s*:.*)?)")))
    return 0;
  s = without(s, '<', '>');
  const std::string declared = s.substr(0, s.find_first_of("={"));
  if (declared.find("operator") != std::string::npos) return 0;
  if (declared.find('(') != std::string::npos && declared.find("(*") == std::string::npos) return 0;
  for (const auto& [open, close] : {std::pair{'(', ')'}, {'{', '}'}, {'[', ']'}})
    s = without(s, open, close);
  return 1 + static_cast<int>(std::ranges::count(s, ','));
}

/// What a brace opens.
struct Scope {
  enum class Kind { type, values, block } kind;
  std::string name, before;  // of a type; what the statement was before
  int members = 0;
};

Scope open_scope(const std::string& statement, bool in_type) {
  static const std::regex type(
      R"((?:^|[^\w])(?:class|struct|union)\s*(?:KARDAN_EXPORT\s+)?([\w:]*)\s*(?:final)?\s*(?::[^=();]*)?$)");
  const std::string plain = trimmed(without(statement, '<', '>'));
  std::smatch found;
  if (!std::regex_search(plain, std::regex(R"(\benum\b)")) &&
      plain.find('(') == std::string::npos && std::regex_search(plain, found, type))
    return {Scope::Kind::type, found[1].str(), {}};
  const std::string declared = plain.substr(0, plain.find('='));
  if (in_type && !plain.empty() && declared.find('(') == std::string::npos)
    return {Scope::Kind::values, {}, statement};
  return {Scope::Kind::block, {}, {}};
}

std::string full_name(const std::vector<Scope>& scopes) {
  std::string out;
  for (const Scope& s : scopes)
    if (s.kind == Scope::Kind::type) out += (out.empty() ? "" : "::") + s.name;
  return out;
}

}  // namespace

std::vector<ClassSize> class_sizes(const std::string& text) {
  std::vector<ClassSize> out;
  std::vector<Scope> scopes;
  std::string statement;
  int parentheses = 0;
  for (const char c : code_of(text)) {
    parentheses += (c == '(' ? 1 : 0) - (c == ')' ? 1 : 0);
    const bool in_type = !scopes.empty() && scopes.back().kind == Scope::Kind::type;
    if (parentheses > 0 || (c != '{' && c != '}' && c != ';')) {
      statement += c;
    } else if (c == '{') {
      scopes.push_back(open_scope(statement, in_type));
      statement.clear();
    } else if (c == ';') {
      if (in_type) scopes.back().members += members_in(statement);
      statement.clear();
    } else if (!scopes.empty()) {
      const Scope closed = scopes.back();
      if (closed.kind == Scope::Kind::type) out.push_back({full_name(scopes), closed.members});
      scopes.pop_back();
      // A type or an enumeration may be followed by members; values belong to theirs.
      statement = closed.kind == Scope::Kind::type     ? "struct " + closed.name + "_ "
                  : closed.kind == Scope::Kind::values ? closed.before
                                                       : "";
    }
  }
  return out;
}

}  // namespace kardan::repository
