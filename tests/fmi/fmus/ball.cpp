/// An FMU for model exchange with both versions of the interface, as far as it is called: a ball
/// that falls on the ground and bounces, and a clock that counts seconds.
///
///   h' = v, v' = -g; at h = 0: v := -e v, and g := 0 where v < 0.1
///   1 h   2 v   3 der(h)   4 der(v)   5 g   6 e   7 seconds

#include <cfloat>
#include <cstring>
#include <new>

#include "kardan/fmi/fmi2.h"
#include "kardan/fmi/fmi3.h"

namespace {

struct Ball {
  double t = 0, h = 1, v = 0, g = 9.81, e = 0.7;
  int seconds = 0;

  double* at(unsigned reference) {
    double* const all[] = {&t, &h, &v, &v, nullptr, &g, &e};
    return reference < 7 ? all[reference] : nullptr;
  }
  void happen() {
    if (h <= 0 && v < 0) {
      h = DBL_MIN;
      v = -e * v;
      if (v < 0.1) v = g = 0;
    }
    while (t >= seconds + 1 - 1e-9) ++seconds;
  }
};

bool read(void* c, const unsigned* reference, std::size_t n, double* value) {
  for (std::size_t i = 0; i < n; ++i) {
    const double* from = static_cast<Ball*>(c)->at(reference[i]);
    if (!from) return false;
    value[i] = *from;
  }
  return true;
}

bool write(void* c, const unsigned* reference, std::size_t n, const double* value) {
  for (std::size_t i = 0; i < n; ++i) {
    double* to = static_cast<Ball*>(c)->at(reference[i]);
    if (!to) return false;
    *to = value[i];
  }
  return true;
}

void derive(void* c, double* rate) {
  rate[0] = static_cast<Ball*>(c)->v;
  rate[1] = -static_cast<Ball*>(c)->g;
}

}  // namespace

#define EXPORT extern "C" __attribute__((visibility("default")))

EXPORT void* fmi2Instantiate(const char*, fmi2Type type, const char* guid, const char*,
                             const fmi2CallbackFunctions*, int, int) {
  return type == fmi2ModelExchange && std::strcmp(guid, "{ball}") == 0 ? new (std::nothrow) Ball
                                                                       : nullptr;
}
EXPORT void fmi2FreeInstance(void* c) {
  delete static_cast<Ball*>(c);
}
EXPORT int fmi2SetupExperiment(void*, int, double, double, int, double) {
  return fmi2OK;
}
EXPORT int fmi2EnterInitializationMode(void*) {
  return fmi2OK;
}
EXPORT int fmi2ExitInitializationMode(void*) {
  return fmi2OK;
}
EXPORT int fmi2Terminate(void*) {
  return fmi2OK;
}
EXPORT int fmi2SetReal(void* c, const unsigned* r, std::size_t n, const double* value) {
  return write(c, r, n, value) ? fmi2OK : fmi2Error;
}
EXPORT int fmi2GetReal(void* c, const unsigned* r, std::size_t n, double* value) {
  return read(c, r, n, value) ? fmi2OK : fmi2Error;
}
EXPORT int fmi2GetInteger(void* c, const unsigned* r, std::size_t, int* value) {
  *value = static_cast<Ball*>(c)->seconds;
  return *r == 7 ? fmi2OK : fmi2Error;
}
EXPORT int fmi2EnterEventMode(void*) {
  return fmi2OK;
}
EXPORT int fmi2NewDiscreteStates(void* c, fmi2EventInfo* info) {
  Ball& ball = *static_cast<Ball*>(c);
  ball.happen();
  *info = {0, ball.seconds >= 5, 0, 1, 1, ball.seconds + 1.0};
  return fmi2OK;
}
EXPORT int fmi2EnterContinuousTimeMode(void*) {
  return fmi2OK;
}
EXPORT int fmi2SetTime(void* c, double t) {
  static_cast<Ball*>(c)->t = t;
  return fmi2OK;
}
EXPORT int fmi2SetContinuousStates(void* c, const double* x, std::size_t) {
  static_cast<Ball*>(c)->h = x[0];
  static_cast<Ball*>(c)->v = x[1];
  return fmi2OK;
}
EXPORT int fmi2GetContinuousStates(void* c, double* x, std::size_t) {
  x[0] = static_cast<Ball*>(c)->h;
  x[1] = static_cast<Ball*>(c)->v;
  return fmi2OK;
}
EXPORT int fmi2GetDerivatives(void* c, double* rate, std::size_t) {
  derive(c, rate);
  return fmi2OK;
}
EXPORT int fmi2GetEventIndicators(void* c, double* z, std::size_t) {
  z[0] = static_cast<Ball*>(c)->h;
  return fmi2OK;
}

EXPORT void* fmi3InstantiateModelExchange(const char*, const char* token, const char*, bool, bool,
                                          void*, fmi3LogMessageCallback) {
  return std::strcmp(token, "{ball}") == 0 ? new (std::nothrow) Ball : nullptr;
}
EXPORT void fmi3FreeInstance(void* c) {
  delete static_cast<Ball*>(c);
}
EXPORT int fmi3EnterInitializationMode(void*, bool, double, double, bool, double) {
  return fmi3OK;
}
EXPORT int fmi3ExitInitializationMode(void*) {
  return fmi3OK;
}
EXPORT int fmi3Terminate(void*) {
  return fmi3OK;
}
EXPORT int fmi3SetFloat64(void* c, const unsigned* r, std::size_t n, const double* value,
                          std::size_t) {
  return write(c, r, n, value) ? fmi3OK : fmi3Error;
}
EXPORT int fmi3GetFloat64(void* c, const unsigned* r, std::size_t n, double* value, std::size_t) {
  return read(c, r, n, value) ? fmi3OK : fmi3Error;
}
EXPORT int fmi3GetInt32(void* c, const unsigned* r, std::size_t, std::int32_t* value, std::size_t) {
  *value = static_cast<Ball*>(c)->seconds;
  return *r == 7 ? fmi3OK : fmi3Error;
}
EXPORT int fmi3EnterEventMode(void*) {
  return fmi3OK;
}
EXPORT int fmi3UpdateDiscreteStates(void* c, bool* more, bool* ends, bool* nominals, bool* values,
                                    bool* defined, double* next) {
  Ball& ball = *static_cast<Ball*>(c);
  ball.happen();
  *more = *nominals = false;
  *values = *defined = true;
  *ends = ball.seconds >= 5;
  *next = ball.seconds + 1.0;
  return fmi3OK;
}
EXPORT int fmi3EnterContinuousTimeMode(void*) {
  return fmi3OK;
}
EXPORT int fmi3CompletedIntegratorStep(void*, bool, bool* event, bool* ends) {
  *event = *ends = false;
  return fmi3OK;
}
EXPORT int fmi3SetTime(void* c, double t) {
  return fmi2SetTime(c, t);
}
EXPORT int fmi3SetContinuousStates(void* c, const double* x, std::size_t n) {
  return fmi2SetContinuousStates(c, x, n);
}
EXPORT int fmi3GetContinuousStates(void* c, double* x, std::size_t n) {
  return fmi2GetContinuousStates(c, x, n);
}
EXPORT int fmi3GetContinuousStateDerivatives(void* c, double* rate, std::size_t n) {
  return fmi2GetDerivatives(c, rate, n);
}
EXPORT int fmi3GetEventIndicators(void* c, double* z, std::size_t n) {
  return fmi2GetEventIndicators(c, z, n);
}
