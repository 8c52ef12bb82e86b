// bellows retire, pause and resume: what is asked of a service.
#include <iostream>
#include <string>
#include <string_view>

#include "cli/client_settings.hpp"
#include "cli/commands.hpp"
#include "command/admin/admin_client.hpp"

namespace bellows::cli {
namespace {

/// `action` is the last part of the page; `done` and `effect` are printed around the name.
struct StateOrder {
  std::string_view action;
  std::string_view done;
  std::string_view effect;
};

int set_state(const Invocation& invocation, const StateOrder& order) {
  const auto settings = set_state_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const auto& names = invocation.arguments.positional;
  if (names.size() != 1) return usage_error(invocation, "want the NAME of one service");

  const auto name = revision_name(names.front());
  if (!name) return usage_error(invocation, name.error());
  const auto response = command::request_admin(
      settings->admin, "POST", "/v1/revisions/" + *name + "/" + std::string(order.action));
  if (!response) return report_failure(invocation, response.error());
  std::cout << order.done << " " << *name << ": " << order.effect << "\n";
  return kSuccess;
}

}  // namespace

int retire(const Invocation& invocation) {
  return set_state(invocation,
                   {"retire", "retired", "its replicas drain, new requests get 410 Gone"});
}

int pause(const Invocation& invocation) {
  return set_state(invocation, {"pause", "paused", "the number of its replicas stays as it is"});
}

int resume(const Invocation& invocation) {
  return set_state(invocation, {"resume", "resumed", "it is scaled by its load again"});
}

}  // namespace bellows::cli
