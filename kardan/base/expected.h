#pragma once
/// A value or the error that prevented it. The part that is read must be the part that is there:
/// value() and error() throw std::bad_variant_access otherwise, operator* and -> only assert.

#include <cassert>
#include <type_traits>
#include <utility>
#include <variant>

namespace kardan {

template <class T, class E>
class [[nodiscard]] Expected {
  static_assert(!std::is_same_v<T, E>, "value and error must be told apart by their type");

 public:
  Expected(T value)
      : content_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: return value;
  Expected(E error)
      : content_(std::in_place_index<1>, std::move(error)) {}  // NOLINT: return error;

  [[nodiscard]] bool has_value() const { return content_.index() == 0; }
  explicit operator bool() const { return has_value(); }

  [[nodiscard]] const T& value() const& { return std::get<0>(content_); }
  [[nodiscard]] T& value() & { return std::get<0>(content_); }
  [[nodiscard]] T&& value() && { return std::get<0>(std::move(content_)); }

  [[nodiscard]] const E& error() const& { return std::get<1>(content_); }
  [[nodiscard]] E& error() & { return std::get<1>(content_); }
  [[nodiscard]] E&& error() && { return std::get<1>(std::move(content_)); }

  const T& operator*() const& { return *operator->(); }
  T& operator*() & { return *operator->(); }
  T&& operator*() && { return std::move(*operator->()); }
  const T* operator->() const {
    assert(has_value());
    return std::get_if<0>(&content_);
  }
  T* operator->() {
    assert(has_value());
    return std::get_if<0>(&content_);
  }

 private:
  std::variant<T, E> content_;
};

}  // namespace kardan
