// The output of `bellows simulate`.
#pragma once

#include <fstream>
#include <string>

#include "base/result.hpp"
#include "cli/simulate/simulate_settings.hpp"
#include "config/revision_settings.hpp"
#include "report/made_by.hpp"
#include "simulator/access_log/access_log.hpp"
#include "simulator/comparison.hpp"
#include "simulator/scaler.hpp"
#include "simulator/suggestion.hpp"
#include "simulator/what_if.hpp"

namespace bellows::cli {

void print_comparison(const simulator::Comparison& comparison);
/// Prints what scaling would have saved on a log: the log, the answer, what is assumed, a table.
void print_what_if(const SimulateSettings& settings, const simulator::Workload& workload,
                   const simulator::LogTraffic& log, const simulator::WhatIf& tried);
void print_suggestion(const simulator::Suggestion& suggestion);

/// Checks a file before the simulation, so that a mistyped folder is reported immediately. An empty
/// name is no file.
Result<void> check_writable(const std::string& file, const std::string& what);

Result<void> write_report(const std::string& file, const simulator::Comparison& comparison,
                          const report::MadeBy& made);

/// The decisions of one policy as a journal (docs/formats/replay.md), written as they are made.
/// Owner: one call of simulate(). One thread at a time.
class JournalFile {
 public:
  explicit JournalFile(const std::string& file);

  /// Writes every decision of a simulation with `settings`, which outlive it.
  simulator::DecisionSink sink(const config::RevisionSettings& settings);

  /// Fails if not all of it was written.
  Result<void> close();

 private:
  std::string file_;
  std::ofstream out_;
};

}  // namespace bellows::cli
