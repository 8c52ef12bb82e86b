// A service of `bellows run` or of a bellows.yaml, or one of its revisions: command, route and
// settings.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/ids.hpp"
#include "config/revision_settings.hpp"
#include "config/route.hpp"

namespace bellows::config {

/// The place of a text, for errors. All places are equal, because it is no part of the content.
struct ReadAt {
  std::string text;  ///< "bellows.yaml:4"; empty: the command line
  bool operator==(const ReadAt& /*other*/) const { return true; }
};

struct Service {
  RevisionId name;
  std::vector<std::string> command;    ///< program and arguments; $PORT and ${PORT} are replaced
  bool is_starter = false;             ///< the command starts the app and ends
  std::vector<std::string> stop = {};  ///< ends the app; empty: SIGTERM does
  std::map<std::string, std::string> environment;
  std::string working_directory;      ///< empty: that of Bellows
  std::string environment_file = {};  ///< its variables, unless `environment` has them; empty: none
  std::string user = {};              ///< "USER:GROUP", each a name or number, or missing: as it is
  bool no_new_privileges = false;
  Route route;
  RevisionSettings settings;
  ReadAt command_at = {};
  /// The service of a revision, whose name is `name`. Empty: they are the same.
  RevisionId of = {};
  /// The weight of a revision in the service's requests. 0: it gets no new ones.
  std::int32_t share = 100;

  /// Returns the service that callers know.
  const RevisionId& service() const { return of.empty() ? name : of; }

  bool operator==(const Service&) const = default;
};

}  // namespace bellows::config
