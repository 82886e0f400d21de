/// models/chain.yaml in MuJoCo: relative coordinates, fixed steps (it has no error control). Its
/// reader of models stops at chains of about a hundred links: "element nesting is too deep".
///
///   peer_mujoco N INTEGRATOR STEP T_END
///
/// INTEGRATOR: RK4, Euler, implicit. Prints one JSON object: CPU time of the integration, steps,
/// the tip at the end, energy lost or won.

#include <mujoco/mujoco.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <string>

namespace {

/// Contacts, friction and everything else that the chain does not have is off.
std::string description(int N, const std::string& integrator, double step) {
  std::string text =
      "<mujoco><compiler inertiafromgeom='false'/><option gravity='0 0 -9.81' timestep='" +
      std::to_string(step) + "' integrator='" + integrator +
      "'><flag contact='disable' energy='enable'/></option><size njmax='10' nconmax='10'/>"
      "<worldbody>";
  char timestep[40];
  std::snprintf(timestep, sizeof timestep, "%.17g", step);
  text.replace(text.find(std::to_string(step)), std::to_string(step).size(), timestep);
  for (int i = 0; i < N; ++i)
    text += std::string("<body pos='") + (i == 0 ? "0" : "0.1") +
            " 0 0'><joint type='ball' pos='0 0 0'/><inertial pos='0.05 0 0' mass='0.1' "
            "diaginertia='1e-5 8.5e-5 8.5e-5'/>" +
            (i == N - 1 ? "<site name='tip' pos='0.1 0 0'/>" : "");
  for (int i = 0; i < N; ++i) text += "</body>";
  return text + "</worldbody></mujoco>";
}

mjModel* compiled(const std::string& text, std::string& fault) {
  const std::string name = "chain.xml";
  // Files of a virtual file system: nothing is written to disk.
  auto files = std::make_unique<mjVFS>();
  mj_defaultVFS(files.get());
  if (mj_makeEmptyFileVFS(files.get(), name.c_str(), static_cast<int>(text.size())) != 0) {
    fault = "the model is too long";
    return nullptr;
  }
  const int place = mj_findFileVFS(files.get(), name.c_str());
  text.copy(static_cast<char*>(files->filedata[place]), text.size());
  char error[1000] = "";
  mjModel* model = mj_loadXML(name.c_str(), files.get(), error, sizeof error);
  mj_deleteVFS(files.get());
  fault = error;
  return model;
}

int run(int N, const std::string& integrator, double step, double t_end) {
  std::string fault;
  mjModel* model = compiled(description(N, integrator, step), fault);
  if (!model) return std::fprintf(stderr, "%s\n", fault.c_str()), 1;
  mjData* data = mj_makeData(model);
  data->qvel[2] = 1 / (N * 0.1);  // the first link spins about the vertical, the rest with it
  mj_forward(model, data);
  const double before = data->energy[0] + data->energy[1];
  const long steps = std::lround(t_end / step);
  const std::clock_t begin = std::clock();
  for (long k = 0; k < steps; ++k) mj_step(model, data);
  const double cpu = static_cast<double>(std::clock() - begin) / CLOCKS_PER_SEC;
  mj_forward(model, data);
  const double after = data->energy[0] + data->energy[1];
  std::printf(
      "{\"cpu\": %.6g, \"steps\": %ld, \"energy\": %.6g, \"values\": [%.17g, %.17g, %.17g]}\n", cpu,
      steps, after - before, data->site_xpos[0], data->site_xpos[1], data->site_xpos[2]);
  mj_deleteData(data);
  mj_deleteModel(model);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 5) return std::fprintf(stderr, "peer_mujoco N INTEGRATOR STEP T_END\n"), 2;
  return run(std::atoi(argv[1]), argv[2], std::atof(argv[3]), std::atof(argv[4]));
}
