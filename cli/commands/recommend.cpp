// bellows recommend: why a service's replicas should have the size that is recommended.
#include <iostream>

#include "cli/admin_client.hpp"
#include "cli/client_settings.hpp"
#include "cli/command.hpp"
#include "cli/usage.hpp"

namespace bellows::cli {

namespace {

/// "web" or "web-1/app": on one machine the container of a replica is called app.
std::string explain_path(const std::string& name, const std::string& policy) {
  const bool has_container = name.find('/') != std::string::npos;
  std::string path = "/v1/recommendations/" + name + (has_container ? "" : "/app") + "/explain";
  if (!policy.empty()) path += "?policy=" + policy;
  return path;
}

}  // namespace

int explain_size(const Command& command, const Arguments& arguments) {
  const auto asked = read_asked(command, arguments);
  if (!asked) return kSuccess;
  const auto settings = recommend_schema().apply(asked->layers);
  if (!settings) return complain(command, settings.error());
  if (asked->words.size() != 1) {
    return complain(command, "want the NAME of one service, or REPLICA/CONTAINER");
  }
  const auto answer =
      ask_admin(settings->admin, "GET", explain_path(asked->words.front(), settings->policy));
  if (!answer) return give_up(command, answer.error());
  std::cout << answer->body;
  return kSuccess;
}

}  // namespace bellows::cli
