// Findings about Bellows in the responses of the API server. Pure: text in, items out.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/document.hpp"
#include "base/result.hpp"
#include "base/time.hpp"
#include "cli/check/item.hpp"
#include "kubernetes/core/server_features.hpp"

namespace bellows::cli {

/// Compares the server with the oldest one that Bellows works with: 1.20.
CheckItem version_item(const kubernetes::ServerVersion& version, std::string_view url);

/// `installed`: the CustomResourceDefinition as JSON. `ours`: the one of this version of Bellows.
/// It is current if it has everything that ours has in spec; it may have more.
CheckItem custom_resource_item(std::string_view installed, const Document& ours);

/// Returns the path of the first difference between `installed` (a JSON value) and `ours`; empty:
/// `installed` has everything of `ours`. Descriptions and CEL rules do not count.
std::string first_difference(const DocumentNode& ours, std::string_view installed);

/// Returns the value of a flag ("--lease") in the arguments of a Deployment's containers; empty: it
/// is in none.
Result<std::string> flag_of(std::string_view deployment, std::string_view flag);

/// `lease` as the API server has it. `now`: on the clock of this machine, which may differ from the
/// holder's.
CheckItem lease_item(std::string_view lease, WallTime now);

/// A page of a list of Revisions.
struct RevisionPage {
  /// For each that is not ready, not Routed, or has settings without effect.
  std::vector<CheckItem> troubled;
  std::size_t ready = 0;  ///< without any of these
  std::size_t all = 0;
  std::string continue_token;  ///< empty: the last page
};
Result<RevisionPage> read_revisions(std::string_view body);

/// A page of a list of Deployments that have the label bellows.dev/autoscale.
struct LabelPage {
  std::vector<CheckItem> wrong;  ///< for each whose value is neither true nor false
  std::string continue_token;    ///< empty: the last page
};
Result<LabelPage> read_labels(std::string_view body);

}  // namespace bellows::cli
