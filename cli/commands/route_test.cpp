// bellows route-test: shows which service gets a request, and why.
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.hpp"
#include "cli/services/service_control.hpp"
#include "cli/services/service_flags.hpp"
#include "machine/core/difference.hpp"
#include "machine/service/route_test.hpp"
#include "machine/service/settings_file.hpp"

namespace bellows::cli {
namespace {

int print(const activator::RouteReport& report) {
  for (const std::string& line : report.lines) std::cout << line << "\n";
  return report.is_taken ? kSuccess : kFailure;
}

/// Asks the services of a running Bellows.
Result<activator::RouteReport> ask(http::net::io_context& io, const ServiceFlags& flags,
                                   const activator::TestRequest& request) {
  BELLOWS_TRY(
      const std::string answer,
      ServiceControl(io, flags.admin).post("/v1/route-test", machine::request_text(request)));
  return machine::read_route_report(answer);
}

/// Routes as `bellows up` would at its start with this file and no state.
int test_file(const Invocation& invocation, const std::string& file,
              const activator::TestRequest& request) {
  const auto settings = machine::SettingsFile(file, {}).read();
  if (!settings) return usage_error(invocation, settings.error());
  const auto report =
      machine::route_report(machine::at_start({}, settings->services).records, request);
  if (!report) return usage_error(invocation, report.error());
  return print(*report);
}

}  // namespace

int test_route(const Invocation& invocation) {
  const auto flags = read_flags(route_test_schema(), invocation.arguments);
  if (!flags) return usage_error(invocation, flags.error());
  const auto& words = invocation.arguments.positional;
  if (words.empty() || words.size() > 2) return usage_error(invocation, "want [METHOD] URL");
  const std::string method = words.size() == 2 ? words.front() : "GET";
  const auto request =
      machine::test_request(method, words.back(), all_of(invocation.arguments, {"header", "H"}));
  if (!request) return usage_error(invocation, request.error());
  if (!flags->tested_file.empty()) return test_file(invocation, flags->tested_file, *request);
  http::net::io_context io(1);
  const auto report = ask(io, *flags, *request);
  if (!report) {
    const int code = report_failure(invocation, report.error());
    return report.error().kind() == ErrorKind::kMalformed ? kUsageError : code;
  }
  return print(*report);
}

}  // namespace bellows::cli
