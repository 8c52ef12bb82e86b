// The content of a service, shared by all its owners. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "config/service.hpp"
#include "config/shared_settings.hpp"

namespace bellows::config {

/// A service in a settings file or a command, with its shared settings. It lacks `of` and `share`
/// of a revision.
struct ServiceContent {
  ServiceContent(Service service);  // NOLINT(google-explicit-constructor): it is one

  RevisionId name;
  std::vector<std::string> command;
  bool is_starter = false;
  std::vector<std::string> stop;
  std::map<std::string, std::string> environment;
  std::string working_directory;
  std::string environment_file;
  std::string user;
  bool no_new_privileges = false;
  Route route;
  SettingsPtr settings;
  ReadAt command_at;

  Service whole() const;
  bool operator==(const ServiceContent& other) const;
};

/// One copy of a service for the running and the declared one, so that equal ones compare in
/// constant time. Never changes. Owners: the records and the files that were read, and the cluster
/// that runs it.
class SharedService {
 public:
  SharedService() : SharedService(Service()) {}
  SharedService(Service service)  // NOLINT(google-explicit-constructor): it is one
      : content_(std::make_shared<const ServiceContent>(std::move(service))) {}

  const ServiceContent& operator*() const { return *content_; }
  const ServiceContent* operator->() const { return content_.get(); }
  Service whole() const { return content_->whole(); }
  bool operator==(const SharedService& other) const {
    return content_ == other.content_ || *content_ == *other.content_;
  }

 private:
  std::shared_ptr<const ServiceContent> content_;
};

/// One revision of a service, as one machine runs it: its own parts, and the shared ones.
struct ServiceRevision {
  ServiceRevision(RevisionId id, SharedService shared)
      : name(std::move(id)),
        content(std::move(shared)),
        settings(content->settings),
        route(content->route) {}
  ServiceRevision(Service service);  // NOLINT(google-explicit-constructor): it is one

  RevisionId name;
  RevisionId of = {};     ///< as in Service
  SharedService content;  ///< its name, route and settings are not used
  SettingsPtr settings;
  Route route;
  std::int32_t share = 100;

  /// Returns the service that callers know.
  const RevisionId& service() const { return of.empty() ? name : of; }
  Service whole() const;
};

}  // namespace bellows::config
