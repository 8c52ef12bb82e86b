// recommender explain: shows how each number of a recommendation is derived.
#include <iostream>
#include <sstream>
#include <string>
#include <vector>

#include "command/admin/admin_client.hpp"
#include "command/input.hpp"
#include "config/recommender_settings.hpp"
#include "json/object.hpp"
#include "recommender/commands.hpp"
#include "recommender/explain_settings.hpp"
#include "recommender/replay/recommender_filter.hpp"
#include "replay/filter.hpp"

namespace bellows::recommender {

namespace {

using Lines = std::vector<std::string>;

/// Returns the explanation of `container` from a saved state, which is one line.
Result<Lines> explain_state(const std::string& text, const json::Object& state, config::Layer flags,
                            const ContainerName& container) {
  BELLOWS_TRY(const std::string policy, state.text("policy"));
  flags.push_back(config::flag("policy", policy));
  RecommenderFilter filter(flags);
  BELLOWS_CHECKED(filter.policy().restore(text));
  BELLOWS_TRY(const std::int64_t saved_at, state.integer("saved", 0, INT64_MAX));
  BELLOWS_TRY(auto explanation, filter.policy().explain(container, WallTime(Duration(saved_at))));
  return std::move(explanation.lines);
}

/// Returns the explanation of `container` from `text`: a saved state, which names its format, or
/// lines of `recommender replay`.
Result<Lines> explain_text(const std::string& text, const config::Layer& flags,
                           const ContainerName& container, const std::string& name) {
  if (const auto state = json::parse_line(text, 1); state && state->has("format")) {
    return explain_state(text, *state, flags, container);
  }
  RecommenderFilter filter(flags, [&name](const std::string& warning) {
    std::cerr << name << ": warning: " << warning << "\n";
  });
  filter.prepare_to_explain(container);
  std::istringstream in(text);
  std::ostringstream ignored;
  BELLOWS_CHECKED(replay::feed(filter, in, ignored));
  return filter.explain();
}

int explain_live(const Invocation& invocation, const Endpoint& admin, const config::Layer& flags) {
  const auto& targets = invocation.arguments.positional;
  if (targets.size() != 1) return usage_error(invocation, "want only POD/CONTAINER with --admin");
  std::string path = "/v1/recommendations/" + targets.front() + "/explain";
  for (const config::Entry& flag : flags) {
    if (flag.key == "policy") path += "?policy=" + flag.value;
  }
  http::net::io_context io(1);
  const auto response = command::request_admin(io, command::admin_server_at(admin), "GET", path);
  if (!response) return report_failure(invocation, response.error());
  std::cout << response->body;
  return kSuccess;
}

}  // namespace

int run_explain(const Invocation& invocation) {
  config::Layer flags = invocation.arguments.flags();
  const auto own = command::take_declared(flags, explain_schema().declarations());
  const auto settings = explain_schema().apply({own});
  if (!settings) return usage_error(invocation, settings.error());
  const auto policy = config::recommender_schema().apply({flags});
  if (!policy) return usage_error(invocation, policy.error());
  if (settings->admin) return explain_live(invocation, *settings->admin, flags);

  const auto& names = invocation.arguments.positional;
  if (names.empty() || names.size() > 2) return usage_error(invocation, "want [FILE] CONTAINER");
  const std::string& target = names.back();
  const ContainerName container(target.substr(target.find('/') + 1));
  const std::string file = names.size() == 2 ? names.front() : std::string(command::kStandardInput);
  const auto text = command::read_input(file, "the usage");
  if (!text) return report_error(invocation, text.error());
  const auto lines = explain_text(*text, flags, container, command::full_name(invocation));
  if (!lines) return report_error(invocation, lines.error());
  for (const std::string& line : *lines) std::cout << line << "\n";
  return kSuccess;
}

}  // namespace bellows::recommender
