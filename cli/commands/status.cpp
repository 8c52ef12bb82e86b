// bellows status: one look.
#include <algorithm>
#include <iostream>

#include "cli/admin_client.hpp"
#include "cli/client_settings.hpp"
#include "cli/command.hpp"
#include "cli/status/status_model.hpp"
#include "cli/status/status_view.hpp"
#include "cli/usage.hpp"

namespace bellows::cli {

int show_status(const Command& command, const Arguments& arguments) {
  const auto asked = read_asked(command, arguments);
  if (!asked) return kSuccess;
  const auto settings = status_schema().apply(asked->layers);
  if (!settings) return complain(command, settings.error());
  if (asked->words.size() > 1) return complain(command, "want at most one NAME");

  const auto answer = ask_admin(settings->admin, "GET", "/v1/status");
  if (!answer) return give_up(command, answer.error());
  if (settings->output == Output::kJson) {
    std::cout << answer->body << (answer->body.ends_with('\n') ? "" : "\n");
    return kSuccess;
  }
  auto status = parse_status(answer->body);
  if (!status) return give_up(command, status.error());
  if (!asked->words.empty()) {
    const std::string& name = asked->words.front();
    std::erase_if(status->revisions,
                  [&](const RevisionStatus& revision) { return revision.name != name; });
    if (status->revisions.empty()) {
      return give_up(command, Error(ErrorKind::kNotFound, "service \"" + name + "\"",
                                    "not one of those that run"));
    }
  }
  auto lines = settings->output == Output::kWide ? wide_lines(*status) : summary_lines(*status);
  if (settings->output == Output::kTable) {
    const auto sizes = size_lines(*status);
    if (!sizes.empty()) lines.emplace_back();
    lines.insert(lines.end(), sizes.begin(), sizes.end());
  }
  for (const std::string& line : lines) std::cout << line << "\n";
  return kSuccess;
}

}  // namespace bellows::cli
