// The content of a service, shared by all who keep it. Pure.
#pragma once

#include <memory>
#include <utility>
#include <vector>

#include "config/service.hpp"

namespace bellows::services {

/// A service as a settings file or a command has it: 1.4 KB that never change, so that what runs
/// and what was declared are one copy, and two that are one copy are compared at once. Owners: the
/// records and the files that were read.
class SharedService {
 public:
  SharedService() : SharedService(config::Service()) {}
  SharedService(config::Service service)  // NOLINT(google-explicit-constructor): it is one
      : service_(std::make_shared<const config::Service>(std::move(service))) {}

  const config::Service& operator*() const { return *service_; }
  const config::Service* operator->() const { return service_.get(); }
  bool operator==(const SharedService& other) const {
    return service_ == other.service_ || *service_ == *other.service_;
  }

 private:
  std::shared_ptr<const config::Service> service_;
};

/// The services of a settings file, by name.
using FileServices = std::vector<SharedService>;

/// Those that equal one of `known` share it.
FileServices file_services(std::vector<config::Service> services, const FileServices& known = {});

}  // namespace bellows::services
