// bellows explain and bellows journal: why there are that many replicas, and the decisions as
// lines.
#include <ctime>
#include <fstream>
#include <iostream>
#include <sstream>

#include "base/duration_text.hpp"
#include "base/sys/clock.hpp"
#include "cli/admin_client.hpp"
#include "cli/client_settings.hpp"
#include "cli/command.hpp"
#include "cli/explain/explain.hpp"
#include "cli/usage.hpp"

namespace bellows::cli {

namespace {

using autoscaler::journal::Told;

Result<std::string> fetch_journal(const Endpoint& admin, const std::string& word) {
  BELLOWS_TRY(const std::string name, service_name(word));
  BELLOWS_TRY(http::Response answer, ask_admin(admin, "GET", "/v1/revisions/" + name + "/journal"));
  return std::move(answer.body);
}

Result<Told> read_journal_file(const std::string& path) {
  std::ifstream file(path);
  if (!file) return fail(system_error(path, "open", errno));
  auto told = autoscaler::journal::read_journal(file);
  if (told) return told;
  return fail(told.error().kind(), path + ": " + told.error().culprit(), told.error().message());
}

Result<Told> fetch_told(const Endpoint& admin, const std::string& name) {
  BELLOWS_TRY(const std::string text, fetch_journal(admin, name));
  std::istringstream lines(text);
  BELLOWS_TRY(Told told, autoscaler::journal::read_journal(lines));
  if (told.service.empty()) told.service = name;
  return told;
}

Asker asker_now() {
  const WallTime now = sys::system_clock().wall_now();
  const std::time_t seconds =
      std::chrono::duration_cast<std::chrono::seconds>(now.time_since_epoch()).count();
  std::tm local{};
  localtime_r(&seconds, &local);
  return {.now = now, .ahead = std::chrono::seconds(local.tm_gmtoff)};
}

/// The exit code: it was asked wrongly, or it failed.
int end_by(const Command& command, const Error& error) {
  if (error.kind() == ErrorKind::kInvalidSetting) return complain(command, {error});
  return give_up(command, error);
}

}  // namespace

int show_explanation(const Command& command, const Arguments& arguments) {
  const auto asked = read_asked(command, arguments);
  if (!asked) return kSuccess;
  const auto settings = explain_schema().apply(asked->layers);
  if (!settings) return complain(command, settings.error());
  const bool is_offline = !settings->journal.empty();
  if (asked->words.size() != (is_offline ? 0 : 1)) {
    return complain(command, "want the NAME of one service, or --journal FILE");
  }
  const auto told = is_offline ? read_journal_file(settings->journal)
                               : fetch_told(settings->admin, asked->words.front());
  if (!told && is_offline && told.error().kind() == ErrorKind::kMalformed) {
    return complain(command, {told.error()});
  }
  if (!told) return end_by(command, told.error());
  if (!is_offline && parse_duration(settings->at)) {
    return complain(command,
                    {Error(ErrorKind::kInvalidSetting, "--at \"" + settings->at + "\"",
                           "want -" + settings->at +
                               " for so long ago, or a time; "
                               "seconds alone are those of a journal's lines (--journal)")});
  }
  const auto text = explain(*told, settings->at, asker_now());
  if (!text) return end_by(command, text.error());
  std::cout << *text << "\n";
  return kSuccess;
}

int print_journal(const Command& command, const Arguments& arguments) {
  const auto asked = read_asked(command, arguments);
  if (!asked) return kSuccess;
  const auto settings = journal_schema().apply(asked->layers);
  if (!settings) return complain(command, settings.error());
  if (asked->words.size() != 1) return complain(command, "want the NAME of one service");
  const auto journal = fetch_journal(settings->admin, asked->words.front());
  if (!journal) return end_by(command, journal.error());
  std::cout << *journal;
  return kSuccess;
}

}  // namespace bellows::cli
