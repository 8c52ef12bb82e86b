// bellows recommend: why a service's replicas should have the size that is recommended.
#include <iostream>

#include "cli/admin_client.hpp"
#include "cli/client_settings.hpp"
#include "cli/command.hpp"
#include "cli/usage.hpp"

namespace bellows::cli {

namespace {

/// The service of "web-1": a replica's name is longer than its service's may be.
std::string service_of(const std::string& replica) {
  const std::size_t dash = replica.find_last_not_of("0123456789");
  const bool has_number = dash != std::string::npos && replica[dash] == '-' && dash > 0;
  return has_number ? replica.substr(0, dash) : replica;
}

/// "web" or "web-1/app": on one machine the container of a replica is called app.
Result<std::string> explain_path(const std::string& word, const std::string& policy) {
  const std::size_t slash = word.find('/');
  const bool has_container = slash != std::string::npos;
  const std::string name = word.substr(0, slash);
  BELLOWS_CHECKED(service_name(has_container ? service_of(name) : name));
  BELLOWS_TRY(const std::string container,
              service_name(has_container ? word.substr(slash + 1) : "app"));
  std::string path = "/v1/recommendations/" + name + "/" + container + "/explain";
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
  const auto path = explain_path(asked->words.front(), settings->policy);
  if (!path) return complain(command, {path.error()});
  const auto answer = ask_admin(settings->admin, "GET", *path);
  if (!answer) return give_up(command, answer.error());
  std::cout << answer->body;
  return kSuccess;
}

}  // namespace bellows::cli
