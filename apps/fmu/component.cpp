#include "apps/fmu/component.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iterator>
#include <map>
#include <mutex>
#include <utility>

namespace kardan::fmu {
namespace {

/// [of a time] Sums of communication steps differ by as much.
constexpr double same_time = 1e-9;

/// Instances by their address, so that one that was freed, or never made, is told from one that is
/// there.
struct Instances {
  std::mutex mutex;
  std::map<const void*, std::unique_ptr<Component>> all;
};

Instances& instances() {
  static Instances there;
  return there;
}

const char* category(Status status) {
  switch (status) {
    case Status::ok:
      return "logEvents";
    case Status::warning:
      return "logStatusWarning";
    case Status::discard:
      return "logStatusDiscard";
    case Status::error:
      return "logStatusError";
    case Status::fatal:
      return "logStatusFatal";
  }
  return "logStatusError";
}

int hex(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

double slack(double t) {
  return same_time * std::max(1.0, std::abs(t));
}

}  // namespace

std::string_view to_string(Stage stage) {
  switch (stage) {
    case instantiated:
      return "before the initialization";
    case initialization:
      return "during the initialization";
    case stepping:
      return "between steps";
    case step_failed:
      return "after a step that was not done";
    case terminated:
      return "after the end";
    case error:
      return "after an error";
    case any:
      break;
  }
  return "now";
}

void Component::log(Status status, const std::string& message) {
  const char* of = category(status);
  if (!logger || (status == Status::ok && !logging)) return;
  if (!categories.empty() && !categories.contains("logAll") && !categories.contains(of)) return;
  logger(status, of, message);
}

void Component::start() {
  need(instance.begin());
  instance.start();
  last_time = instance.time();
  stage = stepping;
}

void Component::reset() {
  instance.reset();
  has_stopped = false;
  last_time = 0;
  stage = instantiated;
}

void Component::step(double t, double h) {
  if (!std::isfinite(t) || std::abs(t - last_time) > slack(t))
    throw Failure{Status::error,
                  fmt::format("a step from t = {}; the last one ended at t = {}", t, last_time)};
  if (!(h > 0) || !std::isfinite(h))
    throw Failure{Status::error, fmt::format("a step of {} s; wanted a positive length", h)};
  if (const auto stop = instance.stop_time(); stop && t + h > *stop + slack(*stop))
    throw Failure{Status::error,
                  fmt::format("a step to t = {}, beyond the stop time {}", t + h, *stop)};
  const FmuStep done = instance.step_to(t + h);
  if (logging)
    for (const SimulationEvent& e : instance.new_events())
      log(Status::ok, fmt::format("t = {:.9g}: {} {}", e.t, e.name,
                                  e.direction > 0 ? "becomes positive" : "becomes negative"));
  if (done.end == FmuStep::End::reached) {
    last_time = t + h;
    return;
  }
  last_time = done.t;
  has_stopped = done.end == FmuStep::End::stopped;
  if (!has_stopped) throw Failure{Status::error, done.message};
  stage = step_failed;
  throw Failure{Status::discard, done.message};
}

const std::string& Component::state_at(const void* state) const {
  for (const auto& s : saved)
    if (s.get() == state) return *s;
  throw Failure{Status::error, "this state is none of this instance"};
}

/// The stage, the time reached, and the model.
void Component::get_state(void** state) {
  void*& out = target(state, "state");
  std::string bytes;
  need(instance.save(bytes));
  auto kept = std::make_unique<std::string>(1, static_cast<char>(stage));
  kept->append(reinterpret_cast<const char*>(&last_time), sizeof last_time);
  *kept += bytes;
  std::erase_if(saved, [out](const auto& s) { return s.get() == out; });
  out = saved.insert(std::move(kept)).first->get();
}

void Component::set_state(const void* state) {
  const std::string& kept = state_at(state);
  constexpr std::size_t head = 1 + sizeof(double);
  const unsigned mark = kept.empty() ? 0 : static_cast<unsigned char>(kept[0]);
  if (kept.size() < head || mark == 0 || (mark & (mark - 1)) != 0 || mark > error)
    throw Failure{Status::error, "this is no state of an instance"};
  double reached = 0;
  std::copy_n(kept.data() + 1, sizeof reached, reinterpret_cast<char*>(&reached));
  need(instance.restore(std::string_view(kept).substr(head)));
  last_time = reached;
  stage = static_cast<Stage>(mark);
  has_stopped = false;
}

void Component::free_state(void** state) {
  void*& out = target(state, "state");
  if (!out) return;
  (void)state_at(out);
  std::erase_if(saved, [out](const auto& s) { return s.get() == out; });
  out = nullptr;
}

void Component::state_size(const void* state, std::size_t* size) const {
  target(size, "size") = state_at(state).size();
}

void Component::serialize(const void* state, void* bytes, std::size_t size) const {
  const std::string& kept = state_at(state);
  if (size < kept.size())
    throw Failure{Status::error,
                  fmt::format("{} bytes of room for a state of {} bytes", size, kept.size())};
  std::copy(kept.begin(), kept.end(), &target(static_cast<char*>(bytes), "serializedState"));
}

void Component::deserialize(const void* bytes, std::size_t size, void** state) {
  const auto given = array(static_cast<const char*>(bytes), size, "serializedState");
  target(state, "state") =
      saved.insert(std::make_unique<std::string>(given.begin(), given.end())).first->get();
}

std::string path_of(std::string_view location) {
  std::string_view rest = location;
  const bool uri = rest.starts_with("file:");
  if (uri) {
    rest.remove_prefix(5);
    if (rest.starts_with("//")) {
      rest.remove_prefix(2);
      if (rest.starts_with("localhost/")) rest.remove_prefix(9);
      if (!rest.starts_with("/"))
        throw Failure{Status::error,
                      fmt::format("resources at '{}': wanted a folder of this machine", location)};
    }
  }
  std::string out;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const bool coded = uri && rest[i] == '%' && i + 2 < rest.size() + 0 && hex(rest[i + 1]) >= 0 &&
                       hex(rest[i + 2]) >= 0;
    out += coded ? static_cast<char>(16 * hex(rest[i + 1]) + hex(rest[i + 2])) : rest[i];
    if (coded) i += 2;
  }
  return out;
}

std::unique_ptr<Component> make_component(
    const char* name, const char* token, const std::string& folder,
    std::function<void(Status, const char*, const std::string&)> logger) {
  const auto refuse = [&logger](const std::string& why) {
    if (logger) logger(Status::error, category(Status::error), why);
    return nullptr;
  };
  try {
    if (!name || !*name) return refuse("the instance has no name");
    const std::string file = path_of(folder) + "/model.kardan";
    std::ifstream in(file, std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    if (!in || bytes.empty()) return refuse(file + ": cannot be read");
    if (!token || fmu_token(bytes) != token)
      return refuse(fmt::format("the token {} is not that of {}: {}", token ? token : "(null)",
                                file, fmu_token(bytes)));
    auto data = read_fmu_data(bytes);
    if (!data) return refuse(file + ": " + data.error());
    auto out = std::make_unique<Component>(std::move(data).value(), token);
    out->name = name;
    out->logger = std::move(logger);
    return out;
  } catch (const Failure& f) {
    return refuse(f.message);
  } catch (const std::exception& e) {
    return refuse(e.what());
  }
}

void* publish(std::unique_ptr<Component> component) {
  void* address = component.get();
  const std::scoped_lock lock(instances().mutex);
  instances().all[address] = std::move(component);
  return address;
}

Component* find(const void* address) {
  const std::scoped_lock lock(instances().mutex);
  const auto found = instances().all.find(address);
  return found == instances().all.end() ? nullptr : found->second.get();
}

void forget(const void* address) {
  std::unique_ptr<Component> last;  // goes without the lock
  const std::scoped_lock lock(instances().mutex);
  const auto found = instances().all.find(address);
  if (found == instances().all.end()) return;
  last = std::move(found->second);
  instances().all.erase(found);
}

}  // namespace kardan::fmu
