#pragma once
/// What both versions of the interface share: instances that are known by their address, the state
/// each is in, and calls that are refused where they are out of order.

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kardan/fmi/instance.h"

namespace kardan::fmu {

/// Of an instance; several of them are a sum.
enum Stage : unsigned {
  instantiated = 1,
  initialization = 2,
  stepping = 4,
  step_failed = 8,
  terminated = 16,
  error = 32,
  any = instantiated | initialization | stepping | step_failed | terminated | error
};
[[nodiscard]] std::string_view to_string(Stage stage);
/// Where values may be asked for, and where they may be set.
inline constexpr unsigned readable = initialization | stepping | step_failed | terminated | error;
inline constexpr unsigned settable = instantiated | initialization | stepping;

/// Numbers are those of both versions.
enum class Status { ok, warning, discard, error, fatal };

/// A call that went wrong: its answer, and what is told.
struct Failure {
  Status status = Status::error;
  std::string message;
};

class Component {
 public:
  Component(FmuData data, std::string token) : instance(std::move(data), std::move(token)) {}

  FmuInstance instance;
  Stage stage = instantiated;
  std::string name;
  bool logging = false;
  std::set<std::string, std::less<>> categories;  // that are told; empty: all
  std::function<void(Status, const char* category, const std::string& message)> logger;
  std::set<std::unique_ptr<std::string>> saved;
  double last_time = 0;      // [s] reached by the last step that was asked for
  bool has_stopped = false;  // the model has ended
  bool may_return_early = false;

  /// Problems are told always, events and what else happens where logging is on.
  void log(Status status, const std::string& message);
  /// Throws where the model refuses.
  void need(const std::string& none, Status status = Status::error) const {
    if (!none.empty()) throw Failure{status, none};
  }
  /// The motion begins.
  void start();
  void step(double t, double h);
  /// Back to what it was when it was made.
  void reset();

  // States: what the caller holds is the address of one in `saved`.
  void get_state(void** state);
  void set_state(const void* state);
  void free_state(void** state);
  void state_size(const void* state, std::size_t* size) const;
  void serialize(const void* state, void* bytes, std::size_t size) const;
  void deserialize(const void* bytes, std::size_t size, void** state);

 private:
  const std::string& state_at(const void* state) const;
};

/// "file:///a%20b/resources", or a path; throws where it is of another machine or kind.
[[nodiscard]] std::string path_of(std::string_view location);

/// Null after telling why. `folder`: of the resources.
[[nodiscard]] std::unique_ptr<Component> make_component(
    const char* name, const char* token, const std::string& folder,
    std::function<void(Status, const char*, const std::string&)> logger);

/// Takes an instance into the list of those there are.
void* publish(std::unique_ptr<Component> component);
/// Null: there is no instance at this address.
[[nodiscard]] Component* find(const void* address);
void forget(const void* address);

/// Runs `body` where the instance is there and in one of the stages; whatever happens is an answer.
template <class Body>
Status call(void* address, const char* function, unsigned stages, const Body& body) {
  Component* c = find(address);
  if (!c) return Status::error;
  try {
    if ((c->stage & stages) == 0)
      throw Failure{Status::error,
                    std::string(function) + ": not allowed " + std::string(to_string(c->stage))};
    body(*c);
    return Status::ok;
  } catch (const Failure& f) {
    if (f.status == Status::error) c->stage = error;
    c->log(f.status, f.message);
    return f.status;
  } catch (const std::exception& e) {
    c->stage = error;
    c->log(Status::error, std::string(function) + ": " + e.what());
    return Status::error;
  }
}

/// An array a caller gives: a null pointer only where nothing is in it.
template <class T>
std::span<T> array(T* first, std::size_t size, const char* what) {
  if (!first && size > 0) throw Failure{Status::error, std::string(what) + ": a null pointer"};
  return {first, size};
}
template <class T>
T& target(T* pointer, const char* what) {
  if (!pointer) throw Failure{Status::error, std::string(what) + ": a null pointer"};
  return *pointer;
}

}  // namespace kardan::fmu
