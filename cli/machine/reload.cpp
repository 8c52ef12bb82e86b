#include "cli/machine/reload.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

namespace bellows::cli {
namespace {

/// The flags of a queue-proxy, fixed at its start: cluster/local/queue_proxy_contract.cpp.
constexpr std::array<std::string_view, 10> kQueueProxyFlags = {"container-concurrency",
                                                               "revision-timeout",
                                                               "revision-response-start-timeout",
                                                               "revision-idle-timeout",
                                                               "max-tunnel-life",
                                                               "queue-bytes",
                                                               "queue-age",
                                                               "progress-deadline",
                                                               "drain-timeout",
                                                               "readiness-path"};

void add_service_changes(const config::Service& before, const config::Service& after,
                         Reload& reload) {
  const auto needs_restart = [&](bool is_changed, const char* what) {
    if (is_changed) reload.after_restart.push_back("service " + before.name.text() + ": " + what);
  };
  needs_restart(before.command != after.command, "command");
  needs_restart(before.environment != after.environment, "environment");
  needs_restart(before.working_directory != after.working_directory, "working-directory");
  needs_restart(before.environment_file != after.environment_file, "environment-file");
  needs_restart(before.user != after.user, "run-as-user");
  needs_restart(before.group != after.group, "run-as-group");
  needs_restart(before.no_new_privileges != after.no_new_privileges, "no-new-privileges");
  needs_restart(before.route.host != after.route.host, "host");
  needs_restart(before.route.path_prefix != after.route.path_prefix, "path-prefix");
  config::RevisionSettings settings = after.settings;
  const config::ResourcesMode mode = before.settings.resources.mode;
  const bool was_measured = mode != config::ResourcesMode::kOff;
  const bool is_measured = settings.resources.mode != config::ResourcesMode::kOff;
  needs_restart(was_measured != is_measured, "resources-mode");
  if (was_measured != is_measured) settings.resources.mode = mode;
  auto changes = config::revision_schema().changes(before.settings, settings);
  if (!changes.empty()) {
    reload.services.push_back({before.name, std::move(settings), std::move(changes)});
  }
}

const config::Service* find(const std::vector<config::Service>& services, const RevisionId& name) {
  const auto found = std::ranges::find(services, name, &config::Service::name);
  return found == services.end() ? nullptr : &*found;
}

}  // namespace

Reload plan_reload(const config::UpSettings& running, const config::UpSettings& requested) {
  Reload reload;
  for (const config::Change& change : config::up_schema().changes(running.run, requested.run)) {
    reload.after_restart.push_back(change.name);
  }
  for (const config::Service& before : running.services) {
    if (const config::Service* after = find(requested.services, before.name)) {
      add_service_changes(before, *after, reload);
    } else {
      reload.after_restart.push_back("service " + before.name.text() + " (removed)");
    }
  }
  for (const config::Service& service : requested.services) {
    const bool is_new = find(running.services, service.name) == nullptr;
    if (is_new) reload.after_restart.push_back("service " + service.name.text() + " (new)");
  }
  std::ranges::sort(reload.services, {}, &Reload::Service::name);
  return reload;
}

std::string only_for_new_replicas(const std::vector<config::Change>& changes) {
  std::string names;
  for (const config::Change& change : changes) {
    if (std::ranges::find(kQueueProxyFlags, change.name) == kQueueProxyFlags.end()) continue;
    names += (names.empty() ? "" : ", ") + change.name;
  }
  return names;
}

}  // namespace bellows::cli
