// Lists, orders and errors as the JSON of the cluster socket (version 1,
// docs/formats/cluster-socket.md). Time points are sent as ages in milliseconds. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.hpp"
#include "base/time.hpp"
#include "cluster/core/orders.hpp"
#include "cluster/core/report.hpp"
#include "cluster/core/revision_list.hpp"

namespace bellows::cluster {

/// {"version":7,"activator_secret":"...","revisions":[...]}, ages as of `now`.
std::string list_json(const RevisionList& list, TimePoint now,
                      const std::string& activator_secret = {});

/// A list as it was sent.
struct ReceivedList {
  std::uint64_t version = 0;           ///< of the sender
  std::vector<RevisionPtr> revisions;  ///< by id
  std::string activator_secret = {};   ///< Cluster::activator_secret()
};

/// Parses what list_json wrote; unknown fields are ignored. kMalformed with the field and what
/// is valid.
/// `before`: the previous list of the same server process. Ages are converted with `now`, which is
/// later than the time of writing by the delay on the way. So a start that was listed before keeps
/// its time points, later steps are relative to them, and unchanged replicas and revisions are
/// shared.
Result<ReceivedList> parse_list(std::string_view json, TimePoint now,
                                const RevisionList& before = {});

/// {"want":3,"drain_first":["web-2"],"reason":"...","keep":["web-1"]}; no keep: none
std::string order_json(const ScaleOrder& order);

/// kMalformed as above, or if `want` is negative.
Result<ScaleOrder> parse_order(std::string_view json);

/// {"learned_target":12.5}: the part of a report that others than its users need.
std::string report_json(const Report& report);

/// kMalformed as above.
Result<Report> parse_report(std::string_view json);

/// {"kind":"gone","culprit":"revision web","message":"is retired"}; causes become part of the
/// message.
std::string error_json(const Error& error);

/// The Error that error_json wrote; kMalformed with the beginning of the text if it is something
/// else.
Error parse_error(std::string_view json);

}  // namespace bellows::cluster
