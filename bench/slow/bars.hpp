// What the slow brain promises about one case, and whether it holds. Pure.
#pragma once

#include <string>
#include <vector>

#include "bench/slow/run.hpp"

namespace bellows::slow_table {

/// One row of the table.
struct Row {
  std::string name;  ///< "model, load"
  Best oracle{};     ///< at the goal: at most 1 % of the seconds miss it
  Best equal{};      ///< the cheapest fixed target that misses the goal no more often than ours
  Result ours{};
  Result without_goal{};
  Result fixed_1{}, fixed_10{}, fixed_100{};
  Result knative{}, hpa{}, envoy{}, gradient2{};
  /// Replica-seconds of our target after half an hour, if it were fixed, / those of the oracle.
  double settled = 0;
  double followed = 0;  ///< the same 10 min after a change of the app; 0: none

  bool can_keep_goal() const { return oracle.result.missed <= 0.01 && oracle.result.kills == 0; }
  /// Replica-seconds beside those of a fixed target that is as good.
  double cost() const { return ours.replica_seconds / equal.result.replica_seconds; }
};

/// The bars that a row misses, each with its number: "missed 1.3 %". Empty: none.
std::vector<std::string> broken_bars(const Row& row);

/// Markdown: a line for each row, then the bars over all of them.
std::string table_of(const std::vector<Row>& rows);
std::string summary_of(const std::vector<Row>& rows);

}  // namespace bellows::slow_table
