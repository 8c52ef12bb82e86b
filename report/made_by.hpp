// The origin of a report, shown at the top of its page. Pure.
#pragma once

#include <string>

namespace bellows::report {

struct MadeBy {
  std::string command;  ///< the command line, as a user would type it again
  std::string version;  ///< of Bellows
  std::string date;     ///< "2026-11-23"
};

/// Returns a paragraph of class "made"; empty if nothing is known.
std::string made_by_html(const MadeBy& made);

}  // namespace bellows::report
