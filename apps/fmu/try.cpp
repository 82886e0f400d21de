/// What `kardan export` asks the library before it writes an FMU with it: whether the model begins.

#include <algorithm>
#include <cstring>
#include <exception>
#include <string>
#include <string_view>

#include "kardan/fmi/instance.h"

/// True: it does. False: `message` tells why not.
extern "C" __attribute__((visibility("default"))) bool kardan_try_fmu(const char* bytes,
                                                                      std::size_t size,
                                                                      char* message,
                                                                      std::size_t room) {
  std::string why;
  try {
    const std::string_view given(bytes, size);
    auto data = kardan::read_fmu_data(given);
    if (data) {
      const double start = 0;
      kardan::FmuInstance instance(std::move(data).value(), kardan::fmu_token(given));
      why = instance.set_up({}, start, {});
      if (why.empty()) why = instance.begin();
    } else {
      why = data.error();
    }
  } catch (const std::exception& e) {
    why = e.what();
  }
  if (why.empty()) return true;
  const std::size_t length = std::min(why.size(), room - 1);
  std::memcpy(message, why.data(), length);
  message[length] = '\0';
  return false;
}
