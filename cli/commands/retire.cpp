// bellows retire: a service responds 410 Gone from now on.
#include <iostream>

#include "cli/client_settings.hpp"
#include "cli/commands.hpp"
#include "command/admin/admin_client.hpp"

namespace bellows::cli {

int retire(const Invocation& invocation) {
  const auto settings = retire_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const auto& names = invocation.arguments.positional;
  if (names.size() != 1) return usage_error(invocation, "want the NAME of one service");

  const auto name = service_name(names.front());
  if (!name) return usage_error(invocation, name.error());
  const auto response =
      command::request_admin(settings->admin, "POST", "/v1/revisions/" + *name + "/retire");
  if (!response) return report_failure(invocation, response.error());
  std::cout << "retired " << *name << ": its replicas drain, new requests get 410 Gone\n";
  return kSuccess;
}

}  // namespace bellows::cli
