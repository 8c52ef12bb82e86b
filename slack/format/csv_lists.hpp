// Nodes, pods and types of nodes as CSV (docs/slack.md has the columns).
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "slack/format/snapshot.hpp"

namespace bellows::slack {

/// One file: its name in messages, and its text.
struct CsvText {
  std::string file;
  std::string text;
};

/// Reads the rows. Errors are kMalformed: "FILE:LINE: COLUMN: "value": want ...".
Result<std::vector<NodeSpec>> read_nodes(const CsvText& csv);
Result<std::vector<PodEntry>> read_pods(const CsvText& csv);
Result<std::vector<NodeType>> read_types(const CsvText& csv);

}  // namespace bellows::slack
