#pragma once
/// A text that many things carry, such as the name of the file they stand in: copies share it.

#include <memory>
#include <string>
#include <utility>

namespace kardan {

class SharedText {
 public:
  SharedText() = default;
  SharedText(std::string text)  // NOLINT: a text is written as one
      : text_(text.empty() ? nullptr : std::make_shared<const std::string>(std::move(text))) {}
  SharedText(const char* text) : SharedText(std::string(text)) {}  // NOLINT

  [[nodiscard]] bool empty() const { return !text_; }
  [[nodiscard]] const std::string& str() const {
    static const std::string none;
    return text_ ? *text_ : none;
  }
  operator const std::string&() const { return str(); }  // NOLINT

  friend bool operator==(const SharedText& a, const SharedText& b) {
    return a.text_ == b.text_ || a.str() == b.str();
  }

 private:
  std::shared_ptr<const std::string> text_;  // null: empty
};

}  // namespace kardan
