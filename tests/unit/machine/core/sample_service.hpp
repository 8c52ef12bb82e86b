// A service of tests: "web" that runs ./web.
#pragma once

#include <string>

#include "config/revision_schema.hpp"
#include "config/service.hpp"

namespace bellows::machine {

inline config::Service sample_service(const std::string& name = "web",
                                      const std::string& program = "./web") {
  config::Service service;
  service.name = RevisionId(name);
  service.command = {program, "$PORT"};
  service.route.host = name + ".localhost";
  service.settings = config::one_machine_settings();
  return service;
}

}  // namespace bellows::machine
