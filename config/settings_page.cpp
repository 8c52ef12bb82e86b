#include "config/settings_page.hpp"

#include <string_view>

#include "config/activator_settings.hpp"
#include "config/autoscaler_settings.hpp"
#include "config/help.hpp"
#include "config/queue_proxy_settings.hpp"
#include "config/run_settings.hpp"

namespace bellows::config {

namespace {

std::string program_section(const std::string& title, const std::string& about,
                            const std::vector<Declaration>& declarations) {
  return "## " + title + "\n\n" + about + "\n\n" + markdown_tables(declarations);
}

/// Those of `declarations` that `others` do not have.
std::vector<Declaration> without(const std::vector<Declaration>& declarations,
                                 const std::vector<Declaration>& others) {
  std::vector<Declaration> rest;
  for (const Declaration& declaration : declarations) {
    if (find(others, declaration.name) == nullptr) rest.push_back(declaration);
  }
  return rest;
}

/// Those of `bellows run`, then those that only `bellows up` has.
std::vector<Declaration> one_machine_declarations() {
  std::vector<Declaration> all = run_schema().declarations();
  const auto only_up = without(up_schema().declarations(), all);
  all.insert(all.end(), only_up.begin(), only_up.end());
  return all;
}

constexpr std::string_view kIntroduction =
    R"(# Settings

<!-- Made from the declarations in config/. Renew it with:
     cmake --build --preset dev --target settings_page && build/dev/bin/settings_page docs/settings.md -->

Every setting has a name. In a file the name is the key, on the command line it is the flag
(`--min-scale 1`), in the environment it is a variable. A flag wins over the environment, the
environment over the file, the file over the default. An empty variable counts as not set.

* A span carries its unit: `90s`, `1m30s`, `250ms`. Only where the name itself ends in the unit
  (`REVISION_TIMEOUT_SECONDS`, `revision-timeout-seconds`) it is a bare number.
* Whole numbers have no leading zero. A percentage is `70` or `70%`. Memory is `64Mi`, `1Gi` or plain
  bytes. An address is `HOST:PORT` (`:8080` is all addresses) or `unix:/PATH`.
* An unknown key, a value of the wrong kind or out of bounds, and two settings that contradict each
  other are mistakes. All of them are reported together, with where they stand, before any port is
  opened, and the program ends with code 2. Nothing is ever cut to fit.
* The other spellings of a name, Knative's, are good as keys and as flags.

)";

constexpr std::string_view kRunAbout =
    "`bellows run` and `bellows up` take these and every setting of the next section as flags; "
    "only `run` has `name`, only `up` has `autoscaler` and `socket`. In a "
    "[bellows.yaml](bellows-yaml.md) they stand at the top.";
constexpr std::string_view kRevisionAbout =
    "What one service (a revision, in Knative's words) asks for. Names and defaults are Knative's, "
    "except max-scale-up-rate (there 1000) and what Knative does not have. On one machine, under "
    "`bellows run` and `bellows up`, three defaults differ: ";
constexpr std::string_view kQueueProxyAbout =
    "The `queue-proxy` in front of each replica. Under `bellows run` and `bellows up` Bellows sets "
    "all of it.";
constexpr std::string_view kActivatorAbout =
    "The `activator` as a program of its own, beside `bellows up --autoscaler`.";
constexpr std::string_view kAutoscalerAbout =
    "The `autoscaler` as a program of its own, beside `bellows up --autoscaler`. It decides every "
    "2 seconds; that is no setting.";

/// "`max-scale` `8`, `target` `10`".
std::string one_machine_words() {
  std::string words;
  for (const auto& [name, text] : revision_schema().texts(one_machine_settings())) {
    if (!words.empty()) words += ", ";
    words += "`" + name;
    words += "` `" + text + "`";
  }
  return words + ".";
}

}  // namespace

std::string settings_page() {
  const std::vector<Declaration>& revision = revision_schema().declarations();
  std::string page(kIntroduction);
  page += program_section("bellows run, bellows up", std::string(kRunAbout),
                          without(one_machine_declarations(), revision));
  page +=
      program_section("Per service", std::string(kRevisionAbout) + one_machine_words(), revision);
  page += program_section("queue-proxy", std::string(kQueueProxyAbout),
                          queue_proxy_schema().declarations());
  page +=
      program_section("activator", std::string(kActivatorAbout), activator_schema().declarations());
  page += program_section("autoscaler", std::string(kAutoscalerAbout),
                          autoscaler_schema().declarations());
  page.pop_back();  // the last empty line
  return page;
}

}  // namespace bellows::config
