// What `bellows` can do: one entry per command, in the order of the help.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "config/layer.hpp"

namespace bellows::cli {

/// A command line taken apart: `bellows NAME words... --flags... -- rest...`.
struct Arguments {
  std::vector<std::string> words;  ///< before the first flag: a service, a file (words_among)
  std::vector<std::string> flags;  ///< from the first "-..." on
  std::vector<std::string> rest;   ///< behind "--"
};
Arguments split_arguments(std::span<const std::string> behind_name);

/// Takes the words that belong to no flag out of the flags that were read. They may stand among and
/// behind the flags too: which of two words is a flag's value, only its declaration tells.
std::vector<std::string> words_among(std::vector<config::Layer>& layers);

struct Command {
  std::string_view name;
  std::string_view synopsis;  ///< "run [flags] -- COMMAND [ARGS...]"
  std::string_view about;     ///< one line for the overview
  std::string_view details;   ///< further lines of its own help, with examples
  const std::vector<config::Declaration>& (*settings)();
  int (*run)(const Command& command, const Arguments& arguments);  ///< the exit code
  std::string (*more)() = nullptr;  ///< details that are made when somebody asks
};

/// All of them. Thread: any.
std::span<const Command> commands();

/// The commands behind `bellows replay`; their names begin with "replay ".
std::span<const Command> replay_commands();

/// The last word of a command's name: "windows" of "replay windows".
std::string_view last_word(const Command& command);

/// Exit codes, as everywhere: 0 good, 1 it failed, 2 it was asked wrongly.
inline constexpr int kSuccess = 0;
inline constexpr int kFailure = 1;
inline constexpr int kUsage = 2;

int run_service(const Command& command, const Arguments& arguments);   ///< bellows run
int run_file(const Command& command, const Arguments& arguments);      ///< bellows up
int show_demo(const Command& command, const Arguments& arguments);     ///< bellows demo
int show_status(const Command& command, const Arguments& arguments);   ///< bellows status
int show_top(const Command& command, const Arguments& arguments);      ///< bellows top
int explain_size(const Command& command, const Arguments& arguments);  ///< bellows recommend
int show_explanation(const Command& command,
                     const Arguments& arguments);                       ///< bellows explain
int print_journal(const Command& command, const Arguments& arguments);  ///< bellows journal
int retire(const Command& command, const Arguments& arguments);         ///< bellows retire
int run_replay(const Command& command, const Arguments& arguments);     ///< bellows replay
int replay_windows(const Command& command, const Arguments& arguments);
int replay_decisions(const Command& command, const Arguments& arguments);
int simulate(const Command& command, const Arguments& arguments);  ///< bellows simulate
int print_completion(const Command& command, const Arguments& arguments);
int print_version(const Command& command, const Arguments& arguments);

}  // namespace bellows::cli
