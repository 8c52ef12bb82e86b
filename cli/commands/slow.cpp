// bellows slow: prints what the slow brain of a service learned.
#include <iostream>

#include "base/sys/file.hpp"
#include "cli/client_settings.hpp"
#include "cli/commands.hpp"
#include "cli/slow/curve.hpp"
#include "cli/target.hpp"

namespace bellows::cli {
namespace {

Result<std::string> fetch(const ClientSettings& settings, const std::string& service) {
  http::net::io_context io(1);
  BELLOWS_TRY(Target target, Target::open(io, settings));
  BELLOWS_TRY(const std::string name, target.page_name(service));
  const std::string page = settings.slow_journal ? "/slow-journal" : "/slow";
  BELLOWS_TRY(http::Response response, target.request("GET", "/v1/revisions/" + name + page));
  return std::move(response.body);
}

Result<void> show(const ClientSettings& settings, const std::string& answer) {
  if (settings.slow_journal) {
    std::cout << answer;
    return {};
  }
  BELLOWS_TRY(const LearnedPage page, read_learned_page(answer));
  std::cout << learned_text(page);
  if (settings.svg.empty()) return {};
  return sys::replace_file(settings.svg, learned_svg(page), "the picture");
}

}  // namespace

int show_learned(const Invocation& invocation) {
  const auto settings = slow_schema().apply(invocation.arguments.layers);
  if (!settings) return usage_error(invocation, settings.error());
  const auto& names = invocation.arguments.positional;
  if (names.size() != 1) return usage_error(invocation, "want the NAME of one service");
  const auto answer = fetch(*settings, names.front());
  if (!answer) return report_target_error(invocation, answer.error());
  const auto shown = show(*settings, *answer);
  return shown ? kSuccess : report_failure(invocation, shown.error());
}

}  // namespace bellows::cli
