// bellows retire, pause and resume: change the state of a service.
#include <iostream>
#include <string>
#include <string_view>

#include "cli/commands.hpp"
#include "cli/target.hpp"

namespace bellows::cli {
namespace {

/// `action` is the last part of the page of one machine, `state` is spec.state on a cluster; `done`
/// and `effect` are printed around the name.
struct StateOrder {
  std::string_view action;
  std::string_view state;
  std::string_view done;
  std::string_view effect;
};

int set_state(const Invocation& invocation, const StateOrder& order) {
  const auto settings = set_state_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const auto& names = invocation.arguments.positional;
  if (names.size() != 1) return usage_error(invocation, "want the NAME of one service");

  http::net::io_context io(1);
  auto target = Target::open(io, *settings);
  if (!target) return report_target_error(invocation, target.error());
  const auto name = target->page_name(names.front());
  if (!name) return usage_error(invocation, name.error());
  const auto set = target->set_state(*name, std::string(order.action), std::string(order.state));
  if (!set) return report_failure(invocation, set.error());
  const bool is_undone = order.action != "resume";
  std::cout << order.done << " " << *name << ": " << order.effect
            << (is_undone ? "; `bellows resume " + names.front() + "` undoes it" : "") << "\n";
  return kSuccess;
}

}  // namespace

int retire(const Invocation& invocation) {
  return set_state(invocation, {"retire", "Retired", "retired",
                                "its replicas drain, new requests get 410 Gone"});
}

int pause(const Invocation& invocation) {
  return set_state(invocation,
                   {"pause", "Paused", "paused", "the number of its replicas stays unchanged"});
}

int resume(const Invocation& invocation) {
  return set_state(invocation,
                   {"resume", "Active", "resumed", "it is scaled according to its load again"});
}

}  // namespace bellows::cli
