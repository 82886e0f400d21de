/// The `kardan` program: parses the command line for the verbs and runs one.

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cerrno>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <exception>
#include <new>
#include <system_error>

#include "apps/cli/commit.h"
#include "apps/cli/verb.h"
#include "apps/console/console.h"
#include "kardan/base/text.h"

namespace kardan::cli {

using console::bad_input, console::failed, console::finished;

namespace {

/// What was printed has arrived, or this throws.
void flush_output() {
  if (std::fflush(stdout) != 0 || std::ferror(stdout) != 0)
    throw std::system_error(errno ? errno : EIO, std::generic_category(), "standard output");
}

std::string version() {
  const std::string_view made_of = commit;
  return "kardan " KARDAN_VERSION + (made_of.empty() ? "" : fmt::format(" (commit {})", made_of));
}

/// CLI11's own lets NaN pass.
CLI::Validator positive_number() {
  return {[](const std::string& text) {
            double x = 0;
            const bool good = CLI::detail::lexical_cast(text, x) && x > 0 && std::isfinite(x);
            return good ? std::string() : "got " + text + "; wanted a finite number > 0";
          },
          "NUMBER", "positive number"};
}

void complain(std::string_view what) {
  std::fprintf(stderr, "kardan: %s\n", kardan::printable(what).c_str());
}

/// Declares an argument to the parser.
class Declare {
 public:
  Declare(CLI::App& command, const Argument& argument) : command_(command), argument_(argument) {
    CLI::Option* const option = std::visit([&](auto* to) { return add(to); }, argument.to);
    option->required(argument.required);
    if (argument.range == Argument::Range::positive) option->check(positive_number());
    if (argument.range == Argument::Range::non_negative) option->check(CLI::NonNegativeNumber);
    if (argument.show_default) option->capture_default_str();
    if (!argument.excludes.empty()) option->excludes(command.get_option(argument.excludes));
  }

 private:
  CLI::Option* add(bool* to) { return command_.add_flag(argument_.name, *to, argument_.doc); }
  CLI::Option* add(std::vector<std::string>* to) {
    return command_.add_option(argument_.name, *to, argument_.doc)->take_all();
  }
  template <class T>
  CLI::Option* add(T* to) {
    return command_.add_option(argument_.name, *to, argument_.doc);
  }

  CLI::App& command_;
  const Argument& argument_;
};

class Program {
 public:
  Program() : verbs_(verbs()) {
    app_.set_version_flag("--version", version());
    app_.require_subcommand(1);
    app_.failure_message(CLI::FailureMessage::help);
    for (const Verb& verb : verbs_) {
      CLI::App* const command = app_.add_subcommand(verb.name, verb.doc);
      for (const Argument& argument : verb.arguments) Declare(*command, argument);
      command->callback([this, &verb] { result_ = verb.run(); });
    }
  }

  int run(int argc, char** argv) {
    try {
      app_.parse(argc, argv);
      flush_output();
    } catch (const CLI::ParseError& e) {
      const int code = app_.exit(e);
      return code == 0 ? finished : bad_input;
    }
    return result_;
  }

 private:
  CLI::App app_{"Kardan: multibody dynamics with a guarantee"};
  std::vector<Verb> verbs_;
  int result_ = finished;
};

}  // namespace
}  // namespace kardan::cli

int main(int argc, char** argv) {
  using namespace kardan::cli;
  // A closed pipe is a write that fails, not the end of everything.
  std::signal(SIGPIPE, SIG_IGN);
  try {
    return Program().run(argc, argv);
  } catch (const std::system_error& e) {
    // Whoever closed the pipe knows.
    if (e.code() != std::errc::broken_pipe) complain(e.what());
  } catch (const std::bad_alloc&) {
    complain("the memory is used up: see `ulimit -v`, or take a smaller model or a coarser grid");
  } catch (const std::exception& e) {
    complain(e.what());
  }
  return failed;
}
