// Snapshots, orders and errors as the JSON that crosses the cluster socket (version 1,
// docs/cluster-socket.md). Instants do not cross processes: they go as ages in milliseconds.
// Pure.
#pragma once

#include <string>
#include <string_view>

#include "base/result.hpp"
#include "base/time.hpp"
#include "cluster/api.hpp"

namespace bellows::cluster {

/// {"version":7,"revisions":[...]}, ages as of `now`.
std::string snapshot_json(const Snapshot& snapshot, TimePoint now);

/// Reads what snapshot_json wrote; unknown fields are ignored. kMalformed naming the field and what
/// it should have been.
/// `before`: the list that this one follows, of the same life of its writer. Ages tell instants
/// only as well as `now` tells when they were written, so a start that was listed before keeps its
/// instants, later steps are counted from them, and a revision that has not changed is shared.
Result<Snapshot> parse_snapshot(std::string_view json, TimePoint now, const Snapshot& before = {});

/// {"want":3,"drain_first":["web-2"],"reason":"..."}
std::string order_json(const ScaleOrder& order);

/// kMalformed as above; a negative want is one too.
Result<ScaleOrder> parse_order(std::string_view json);

/// {"kind":"gone","culprit":"revision web","message":"is retired"}; causes become part of the
/// message.
std::string error_json(const Error& error);

/// The Error that error_json wrote; kMalformed with the text's beginning if it is none.
Error parse_error(std::string_view json);

}  // namespace bellows::cluster
