// bellows status: prints the state of the services, once.
#include <algorithm>
#include <iostream>
#include <string>
#include <vector>

#include "cli/client_settings.hpp"
#include "cli/commands.hpp"
#include "cli/status/status_model.hpp"
#include "cli/status/status_view.hpp"
#include "cli/target.hpp"

namespace bellows::cli {

int show_status(const Invocation& invocation) {
  const auto settings = status_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const auto& names = invocation.arguments.positional;
  if (names.size() > 1) return usage_error(invocation, "want at most one NAME");

  http::net::io_context io(1);
  auto target = Target::open(io, *settings);
  if (!target) return report_target_error(invocation, target.error());
  const auto response = target->request("GET", "/v1/status");
  if (!response) return report_target_error(invocation, response.error());
  auto status = parse_status(response->body);
  if (!status) return report_failure(invocation, status.error());
  target->narrow(*status);
  if (!names.empty()) {
    const auto named = target->named(names.front(), *status);
    if (!named) return report_failure(invocation, named.error());
    status->services = {*named};
    std::erase_if(status->changes,
                  [&named](const ChangeStatus& change) { return change.service != named->name; });
  }
  if (settings->output == Output::kJson) {
    const auto page = status_page_of(response->body, *status);
    if (!page) return report_failure(invocation, page.error());
    std::cout << *page << "\n";
    return kSuccess;
  }
  const auto lines =
      settings->output == Output::kWide ? wide_lines(*status) : table_with_sizes(*status);
  for (const std::string& line : lines) std::cout << line << "\n";
  return kSuccess;
}

}  // namespace bellows::cli
