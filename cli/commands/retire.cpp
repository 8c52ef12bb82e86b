// bellows retire: a service answers 410 Gone from here on.
#include <iostream>

#include "cli/admin_client.hpp"
#include "cli/client_settings.hpp"
#include "cli/command.hpp"
#include "cli/usage.hpp"

namespace bellows::cli {

int retire(const Command& command, const Arguments& arguments) {
  const auto asked = read_asked(command, arguments);
  if (!asked) return kSuccess;
  const auto settings = retire_schema().apply(asked->layers);
  if (!settings) return complain(command, settings.error());
  if (asked->words.size() != 1) return complain(command, "want the NAME of one service");

  const auto name = service_name(asked->words.front());
  if (!name) return complain(command, {name.error()});
  const auto answer = ask_admin(settings->admin, "POST", "/v1/revisions/" + *name + "/retire");
  if (!answer) return give_up(command, answer.error());
  std::cout << "retired " << *name << ": its replicas drain, callers get 410 Gone\n";
  return kSuccess;
}

}  // namespace bellows::cli
