// A program with one plain command and one that has subcommands.
#pragma once

#include <array>
#include <span>
#include <string>
#include <vector>

#include "command/command.hpp"
#include "config/schema.hpp"

namespace bellows::command {

struct SampleSettings {
  std::string output = "table";
  bool once = false;
  std::string at;
  std::string format = "table";
};

inline const config::Schema<SampleSettings>& sample_schema() {
  static const config::Schema<SampleSettings> schema = [] {
    config::Schema<SampleSettings> made;
    made.add(&SampleSettings::output, {.name = "output", .aliases = {"o"}, .help = "The format."});
    made.add(&SampleSettings::once, {.name = "once", .help = "Print once."});
    made.add(&SampleSettings::at, {.name = "at", .help = "A time.", .unset = "now"});
    made.add(&SampleSettings::format,
             {.name = "format", .choices = {"table", "wide", "json"}, .help = "The form."});
    return made;
  }();
  return schema;
}

inline const Declarations& sample_settings() {
  return sample_schema().declarations();
}

/// The arguments of the last call of a command, for the tests to look at.
inline Arguments last_arguments;
inline std::string last_command;

inline int record_call(const Invocation& invocation) {
  last_arguments = invocation.arguments;
  last_command = invocation.command.name;
  return kSuccess;
}

inline constexpr std::array<Command, 1> kSampleSubcommands = {{
    {.name = "replay lines",
     .synopsis = "replay lines [FILE]",
     .summary = "Replay lines",
     .settings = sample_settings,
     .run = record_call,
     .reads_environment = false},
}};

inline std::span<const Command> sample_subcommands() {
  return kSampleSubcommands;
}

inline constexpr std::array<Command, 3> kSampleCommands = {{
    {.name = "show",
     .synopsis = "show [NAME] [flags]",
     .summary = "Show something",
     .details = "  sample show web\n",
     .settings = sample_settings,
     .run = record_call},
    {.name = "replay",
     .synopsis = "replay COMMAND",
     .summary = "Replay something",
     .subcommands = sample_subcommands},
    kVersionCommand,
}};

inline constexpr Program kSample{
    .name = "sample", .about = "Does what samples do.\n", .commands = kSampleCommands};

}  // namespace bellows::command
