// The status of a Revision as it is written.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cluster/kubernetes/core/conditions.hpp"
#include "cluster/kubernetes/core/directory.hpp"
#include "cluster/kubernetes/core/status_schedule.hpp"
#include "kubernetes/core/condition.hpp"

namespace bellows::cluster {

/// `before`: the conditions that were last written; a condition keeps its time while its status
/// stays.
StatusObject status_of(const Record& record, const Standing& standing,
                       const std::vector<kubernetes::Condition>& before, WallTime now);

/// Returns how soon the step from `before` to `after` must be written; nullopt: they are the same.
/// Another message of a condition is as urgent as another status, unless only numbers differ that
/// no user wrote.
std::optional<StatusChange> change_of(const StatusObject& before, const StatusObject& after,
                                      bool is_moving);

/// Returns a JSON patch of /status that replaces it as a whole, provided that the Revision still
/// has `uid`.
std::string status_patch(const std::string& uid, const StatusObject& status);

}  // namespace bellows::cluster
