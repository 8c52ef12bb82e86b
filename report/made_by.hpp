// How a report came about: what stands on top of its page. Pure.
#pragma once

#include <string>

namespace bellows::report {

struct MadeBy {
  std::string command;  ///< the command line, as a user would type it again
  std::string version;  ///< of Bellows
  std::string date;     ///< "2026-11-23"
};

/// A paragraph of class "made"; empty if nothing is known.
std::string made_by_html(const MadeBy& made);

}  // namespace bellows::report
