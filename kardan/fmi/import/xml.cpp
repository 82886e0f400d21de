#include "kardan/fmi/import/xml.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>

namespace kardan {
namespace {

constexpr int deepest_element = 100;

/// What ends reading: the first fault.
struct XmlFault {
  std::string message;
};

class XmlReader {
 public:
  explicit XmlReader(std::string_view text) : text_(text) {}

  int line() const { return line_; }
  int column() const { return column_; }

  XmlElement document() {
    if (text_.starts_with("\xef\xbb\xbf")) skip(3);
    skip_between();
    XmlElement root = element(0);
    skip_between();
    if (at_ != text_.size()) throw XmlFault{"there is something behind the end of the root"};
    return root;
  }

 private:
  char peek() const { return at_ < text_.size() ? text_[at_] : '\0'; }
  bool looking_at(std::string_view what) const { return text_.substr(at_).starts_with(what); }

  void skip(std::size_t count) {
    for (; count > 0 && at_ < text_.size(); --count, ++at_) {
      column_ = text_[at_] == '\n' ? 1 : column_ + 1;
      line_ += text_[at_] == '\n';
    }
  }
  void skip_space() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) skip(1);
  }
  void skip_behind(std::string_view end) {
    const std::size_t found = text_.find(end, at_);
    if (found == std::string_view::npos) throw XmlFault{fmt::format("'{}' is missing", end)};
    skip(found + end.size() - at_);
  }
  /// Text, comments and instructions.
  void skip_between() {
    while (at_ < text_.size()) {
      if (looking_at("<!--"))
        skip_behind("-->");
      else if (looking_at("<?"))
        skip_behind("?>");
      else if (looking_at("<![CDATA["))
        skip_behind("]]>");
      else if (looking_at("<!"))
        throw XmlFault{"a document type is not read"};
      else if (peek() != '<')
        skip(1);
      else
        return;
    }
  }

  std::string name() {
    const std::size_t start = at_;
    while (at_ < text_.size() && (std::isalnum(static_cast<unsigned char>(text_[at_])) != 0 ||
                                  std::string_view("_:.-").find(text_[at_]) != std::string::npos))
      skip(1);
    if (at_ == start) throw XmlFault{"a name is missing"};
    return std::string(text_.substr(start, at_ - start));
  }

  void append_character(unsigned long code, std::string& out) {
    if (code == 0 || code > 0x10ffff) throw XmlFault{"a character that there is not"};
    if (code < 0x80) {
      out += static_cast<char>(code);
      return;
    }
    const int tail = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    constexpr int marks[] = {0, 0xc0, 0xe0, 0xf0};
    out += static_cast<char>(marks[tail] | static_cast<int>(code >> (6 * tail)));
    for (int i = tail - 1; i >= 0; --i) out += static_cast<char>(0x80 | (code >> (6 * i) & 0x3f));
  }

  std::string value() {
    const char quote = peek();
    if (quote != '"' && quote != '\'') throw XmlFault{"the value of an attribute has no quotes"};
    skip(1);
    std::string out;
    for (;;) {
      if (at_ >= text_.size() || peek() == '<')
        throw XmlFault{"the value of an attribute does not end"};
      if (peek() == quote) break;
      if (peek() != '&') {
        out += std::isspace(static_cast<unsigned char>(peek())) != 0 ? ' ' : peek();
        skip(1);
        continue;
      }
      const std::size_t end = text_.find(';', at_);
      if (end == std::string_view::npos || end - at_ > 12) throw XmlFault{"'&' without ';'"};
      const std::string entity(text_.substr(at_ + 1, end - at_ - 1));
      if (entity == "amp")
        out += '&';
      else if (entity == "lt")
        out += '<';
      else if (entity == "gt")
        out += '>';
      else if (entity == "quot")
        out += '"';
      else if (entity == "apos")
        out += '\'';
      else if (entity.starts_with("#x"))
        append_character(std::strtoul(entity.c_str() + 2, nullptr, 16), out);
      else if (entity.starts_with("#"))
        append_character(std::strtoul(entity.c_str() + 1, nullptr, 10), out);
      else
        throw XmlFault{fmt::format("the entity '&{};' is not known", entity)};
      skip(end + 1 - at_);
    }
    skip(1);
    return out;
  }

  XmlElement element(int depth) {
    if (depth > deepest_element) throw XmlFault{"elements are nested too deeply"};
    if (peek() != '<') throw XmlFault{"there is no element"};
    XmlElement out;
    out.line = line_;
    out.column = column_;
    skip(1);
    out.name = name();
    for (;;) {
      skip_space();
      if (looking_at("/>")) {
        skip(2);
        return out;
      }
      if (peek() == '>') break;
      std::string key = name();
      skip_space();
      if (peek() != '=') throw XmlFault{fmt::format("'=' is missing behind '{}'", key)};
      skip(1);
      skip_space();
      if (out.attribute(key)) throw XmlFault{fmt::format("'{}' is there twice", key)};
      std::string given = value();
      out.attributes.emplace_back(std::move(key), std::move(given));
    }
    skip(1);
    for (;;) {
      skip_between();
      if (at_ >= text_.size()) throw XmlFault{fmt::format("'</{}>' is missing", out.name)};
      if (looking_at("</")) {
        skip(2);
        if (const std::string end = name(); end != out.name)
          throw XmlFault{fmt::format("'</{}>' ends '<{}>'", end, out.name)};
        skip_space();
        if (peek() != '>') throw XmlFault{"'>' is missing"};
        skip(1);
        return out;
      }
      out.children.push_back(element(depth + 1));
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1, column_ = 1;
};

}  // namespace

const std::string* XmlElement::attribute(std::string_view wanted) const {
  for (const auto& [key, value] : attributes)
    if (key == wanted) return &value;
  return nullptr;
}

const XmlElement* XmlElement::child(std::string_view wanted) const {
  for (const XmlElement& c : children)
    if (c.name == wanted) return &c;
  return nullptr;
}

XmlElement parse_xml(std::string_view text, const SharedText& file, Diagnostics& diagnostics) {
  XmlReader reader(text);
  try {
    return reader.document();
  } catch (const XmlFault& fault) {
    diagnostics.error("fmu.xml", fault.message, {file, reader.line(), reader.column()},
                      "wanted a description by the FMI standard");
    return {};
  }
}

}  // namespace kardan
