#pragma once
/// Functions of a loaded library, by name.

#include <dlfcn.h>

#include <stdexcept>
#include <string>

namespace kardan {

/// At one event; more is a fault of the FMU.
inline constexpr int most_event_iterations = 1000;

class LibraryFunctions {
 public:
  explicit LibraryFunctions(void* library) : library_(library) {}

  /// Throws where there is none of this name.
  template <class Result, class... Arguments>
  Result call(const std::string& name, Arguments... arguments) const {
    const auto f = reinterpret_cast<Result (*)(Arguments...)>(dlsym(library_, name.c_str()));
    if (!f) throw std::runtime_error("its library has no function " + name);
    return f(arguments...);
  }

 private:
  void* library_;
};

}  // namespace kardan
