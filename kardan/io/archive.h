#pragma once
/// Values as bytes: numbers in little endian, texts and lists after their length. One function
/// `fields(archive, value)` a type names the members for both ways.

#include <bit>
#include <concepts>
#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

namespace kardan {

static_assert(std::endian::native == std::endian::little, "bytes are stored as they are in memory");

class ArchiveWriter {
 public:
  template <class... Values>
  void operator()(Values&... values) {
    (put(values), ...);
  }
  std::string take() { return std::move(bytes_); }

 private:
  void raw(const void* data, std::size_t size) {
    bytes_.append(static_cast<const char*>(data), size);
  }
  void put(double& x) { raw(&x, sizeof x); }
  template <std::integral Integer>
  void put(Integer& x) {
    const auto wide = static_cast<std::int64_t>(x);
    raw(&wide, sizeof wide);
  }
  void put(std::string& x) {
    std::uint64_t size = x.size();
    put(size);
    bytes_ += x;
  }
  template <class Value>
  void put(std::vector<Value>& list) {
    std::uint64_t size = list.size();
    put(size);
    for (Value& x : list) put(x);
  }
  template <class A, class B>
  void put(std::pair<A, B>& x) {
    (*this)(x.first, x.second);
  }
  template <class Value>
  requires std::is_class_v<Value>
  void put(Value& x) { fields(*this, x); }

  std::string bytes_;
};

/// Reads what the writer wrote. Bytes that end too early, or lists longer than the bytes that are
/// left, make it fail; what was read then means nothing.
class ArchiveReader {
 public:
  explicit ArchiveReader(std::string_view bytes) : rest_(bytes) {}

  template <class... Values>
  void operator()(Values&... values) {
    (get(values), ...);
  }
  /// So far everything was there.
  bool good() const { return good_; }
  /// All bytes were read, and no more.
  bool complete() const { return good_ && rest_.empty(); }

 private:
  void raw(void* data, std::size_t size) {
    good_ = good_ && size <= rest_.size();
    if (!good_ || size == 0) return;
    std::memcpy(data, rest_.data(), size);
    rest_.remove_prefix(size);
  }
  void get(double& x) { raw(&x, sizeof x); }
  template <std::integral Integer>
  void get(Integer& x) {
    std::int64_t wide = 0;
    raw(&wide, sizeof wide);
    x = static_cast<Integer>(wide);
    if (static_cast<std::int64_t>(x) != wide) good_ = false;
  }
  /// A length whose items take at least `least` bytes each.
  std::size_t length(std::size_t least) {
    std::uint64_t size = 0;
    get(size);
    if (size > rest_.size() / least) good_ = false;
    return good_ ? static_cast<std::size_t>(size) : 0;
  }
  void get(std::string& x) {
    x.resize(length(1));
    raw(x.data(), x.size());
  }
  template <class Value>
  void get(std::vector<Value>& list) {
    // Every value takes eight bytes or more.
    list.resize(length(8));
    for (Value& x : list) get(x);
  }
  template <class A, class B>
  void get(std::pair<A, B>& x) {
    (*this)(x.first, x.second);
  }
  template <class Value>
  requires std::is_class_v<Value>
  void get(Value& x) { fields(*this, x); }

  std::string_view rest_;
  bool good_ = true;
};

}  // namespace kardan
