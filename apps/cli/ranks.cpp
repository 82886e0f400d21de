#include "apps/cli/ranks.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstdlib>
#include <exception>
#include <filesystem>
#include <string>
#include <vector>

#include "apps/mpi/ranks_plugin.h"
#include "kardan/base/parse_number.h"

namespace kardan::cli {
namespace {

/// How many processes a launcher says it has started; 1: there is none.
int started_together() {
  // Open MPI; the process managers of MPICH and of Slurm. In a script of Slurm that is no step of a
  // job its variables tell of steps to come.
  std::vector<const char*> names{"OMPI_COMM_WORLD_SIZE", "PMI_SIZE"};
  if (std::getenv("SLURM_STEP_ID")) names.push_back("SLURM_STEP_NUM_TASKS");
  for (const char* name : names)
    if (const char* text = std::getenv(name))
      if (const auto number = parse_number(text); number && *number >= 1 && *number < 1e9)
        return static_cast<int>(*number);
  return 1;
}

std::vector<std::string> places() {
  std::error_code none;
  const auto program = std::filesystem::read_symlink("/proc/self/exe", none).parent_path();
  if (none) return {};
  std::vector<std::string> out{(program / "kardan_mpi.so").string()};
  for (const char* folder : {"lib", "lib64", "lib/x86_64-linux-gnu", "lib/aarch64-linux-gnu"})
    out.push_back((program.parent_path() / folder / "kardan" / "kardan_mpi.so").string());
  return out;
}

}  // namespace

std::optional<Ranks> Ranks::of_launcher(Diagnostics& faults) {
  const int size = started_together();
  if (size < 2) return {};
  std::string why = "kardan_mpi.so is not beside the program";
  for (const std::string& path : places()) {
    if (!std::filesystem::exists(path)) continue;
    void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_GLOBAL);
    if (!library) {
      why = dlerror();
      break;
    }
    const auto make = reinterpret_cast<KardanRanksFunction>(dlsym(library, "kardan_ranks"));
    const KardanRanks* table = make ? make() : nullptr;
    if (table && table->version == kardan_ranks_version && table->size == size) return Ranks(table);
    why = table && table->version == kardan_ranks_version
              ? fmt::format("MPI knows {} of them", table->size)
              : "kardan_mpi.so is of another version";
    break;
  }
  faults.error("study.ranks",
               fmt::format("a launcher has started {} processes, which cannot reach each other: {}",
                           size, why),
               {}, "build Kardan where mpi.h is, of the launcher's MPI; or do parts with --chunk");
  return {};
}

Ranks::~Ranks() {
  if (!table_) return;
  // The others would wait for ever.
  if (std::uncaught_exceptions() > 0) table_->give_up();
  table_->finish();
}

int Ranks::rank() const {
  return table_->rank;
}
int Ranks::size() const {
  return table_->size;
}
std::uint64_t Ranks::next() {
  return table_->next();
}
bool Ranks::all(bool yes) {
  return table_->all(yes ? 1 : 0) != 0;
}

}  // namespace kardan::cli
