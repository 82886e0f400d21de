#include "kardan/io/checkpoint.h"

#include <string>

#include "fuzz/targets.h"
#include "kardan/io/checksum.h"
#include "kardan/io/model_reader.h"
#include "kardan/run/prepare.h"

namespace kardan::fuzz {
namespace {

/// The model of the stored checkpoint.
constexpr const char* pendulum = R"(kardan: 1
dimension: 2
gravity: [0, -13.75]
bodies: {bob: {kind: point, mass: 1, position: [1, 0]}}
joints: {rod: {type: distance, between: [ground, bob], length: 1}}
)";

/// A run goes on from whatever belongs to its model, and comes to an end.
void go_on(const RunMemory& memory) {
  constexpr double t_end = 0.3;
  Diagnostics diagnostics;
  const auto model = read_model_text(pendulum, "m.yaml", {}, diagnostics);
  Prepared prepared = prepare(*model, {}, diagnostics);
  require(prepared.system != nullptr, "the model of the target is one");
  if (!fits(*prepared.system, memory) || memory.state.t > t_end) return;
  SimulateOptions options;
  options.method = "rn4";
  options.t_end = t_end;
  options.every = 0.002;
  options.checkpoint_every = 0.05;
  options.driver.tolerance = 1e-4;
  options.driver.max_steps = 50;
  options.error_estimate = 1;
  (void)simulate(prepared, options, {}, diagnostics, &memory);
}

void read_back(std::string_view bytes) {
  const auto result = read_checkpoint(bytes);
  if (!result) return require(!result.error().message.empty(), "a refusal says why");
  require(read_checkpoint(to_bytes(*result)).has_value(),
          "what was read can be written and read again");
  go_on(result->memory);
}

/// The head that makes any body a checkpoint as far as length and checksum tell.
std::string sealed(std::string_view head, std::string_view body) {
  char sum[9];
  std::snprintf(sum, sizeof sum, "%08x", checksum(body));
  return std::string(head.substr(0, head.find('\n'))) + "\nbytes " + std::to_string(body.size()) +
         "\nchecksum " + sum + "\n\n" + std::string(body);
}

}  // namespace

/// As it is, which the checksum mostly refuses, and with a checksum that fits.
void feed_checkpoint(std::string_view bytes) {
  read_back(bytes);
  if (const auto end = bytes.find("\n\n"); end != std::string_view::npos)
    read_back(sealed(bytes.substr(0, end), bytes.substr(end + 2)));
}

}  // namespace kardan::fuzz
