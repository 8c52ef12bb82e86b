#include "config/settings_page.hpp"

#include <string_view>

#include "config/activator_settings.hpp"
#include "config/autoscaler_settings.hpp"
#include "config/help.hpp"
#include "config/profiles.hpp"
#include "config/queue_proxy_settings.hpp"
#include "config/recommender_program_settings.hpp"
#include "config/recommender_settings.hpp"
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
  std::vector<Declaration> recommender;
  for (const Declaration& declaration : recommender_schema().declarations()) {
    recommender.push_back(prefixed(declaration, kRecommenderPrefix));
  }
  std::vector<Declaration> all = without(run_schema().declarations(), recommender);
  const auto only_up = without(without(up_schema().declarations(), recommender), all);
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
  bytes. An address is `HOST:PORT` (`:8080` is all addresses) or `unix:/PATH`:
  a file of mode 0660 where callers come in, else 0600.
* An unknown key, a value of the wrong kind or out of bounds, and two settings that contradict each
  other are mistakes. All of them are reported together, with where they stand, before any port is
  opened, and the program ends with code 2. Nothing is ever cut to fit.
* The other spellings of a name, Knative's, are good as keys and as flags.

)";

constexpr std::string_view kRunAbout =
    "`bellows run` and `bellows up` take these, every setting of the next section, and those of "
    "the recommender behind `recommender-` (`recommender-policy`), as flags; only `run` has "
    "`name`, only `up` has `autoscaler` and `socket`. In a "
    "[bellows.yaml](bellows-yaml.md) they stand at the top.";
constexpr std::string_view kRevisionAbout =
    "What one service (a revision, in Knative's words) asks for. Names and defaults are Knative's, "
    "except max-scale-up-rate (there 1000), progress-deadline (there 10m) and what Knative does "
    "not "
    "have. On one machine, under `bellows run` and `bellows up`, these defaults differ: ";
constexpr std::string_view kQueueProxyAbout =
    "The `queue-proxy` in front of each replica. Under `bellows run` and `bellows up` Bellows sets "
    "all of it.";
constexpr std::string_view kActivatorAbout =
    "The `activator` as a program of its own, beside `bellows up --autoscaler`.";
constexpr std::string_view kAutoscalerAbout =
    "The `autoscaler` as a program of its own, beside `bellows up --autoscaler`. It decides every "
    "2 seconds; that is no setting.";

constexpr std::string_view kRecommenderAbout =
    "What decides the CPU and memory of containers: [the recommender](recommender.md). Names and "
    "defaults of its history are those of the Vertical Pod Autoscaler's flags. `replay`, `explain` "
    "and "
    "`score` take them as flags (and as keys of `config` lines), never from the environment, so "
    "that "
    "they say the same everywhere; the variables are those of `recommender serve`.";

constexpr std::string_view kServeAbout =
    "The `recommender` as a service of its own, fed by a Prometheus or by files. It takes every "
    "setting of the section before, too.";

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

constexpr std::string_view kProfilesAbout =
    R"(## Profiles

`profile` brings values for what nobody sets; whatever file, environment or flag say wins over them, so that any one of them
can be changed. `bellows` are the defaults above, `knative` is Knative HEAD to the last digit, `seed` its first autoscaler of
June 2018. Where nothing stands a profile keeps the default. [Why bellows differs](decisions/0012-profile-bellows.md).

| setting | bellows | knative | seed |
|---|---|---|---|
)";

/// `value` as code, or nothing.
std::string value_in(const Layer& layer, const std::string& key) {
  for (const Entry& entry : layer) {
    if (entry.key == key) return "`" + entry.value + "`";
  }
  return {};
}

std::string profiles_section() {
  const Layer knative = profile_layer("knative");
  const Layer seed = profile_layer("seed");
  std::string section(kProfilesAbout);
  for (const Declaration& declaration : revision_schema().declarations()) {
    const std::string in_knative = value_in(knative, declaration.name);
    const std::string in_seed = value_in(seed, declaration.name);
    if (in_knative.empty() && in_seed.empty()) continue;
    section += "| `" + declaration.name + "` | `" + declaration.default_text + "` | ";
    section += in_knative + " | " + in_seed + " |\n";
  }
  return section + "\n";
}

}  // namespace

std::string settings_page() {
  const std::vector<Declaration>& revision = revision_schema().declarations();
  std::string page(kIntroduction);
  page += program_section("bellows run, bellows up", std::string(kRunAbout),
                          without(one_machine_declarations(), revision));
  page +=
      program_section("Per service", std::string(kRevisionAbout) + one_machine_words(), revision);
  page += profiles_section();
  page += program_section("queue-proxy", std::string(kQueueProxyAbout),
                          queue_proxy_schema().declarations());
  page +=
      program_section("activator", std::string(kActivatorAbout), activator_schema().declarations());
  page += program_section("autoscaler", std::string(kAutoscalerAbout),
                          autoscaler_schema().declarations());
  page += program_section("recommender", std::string(kRecommenderAbout),
                          recommender_schema().declarations());
  page += program_section(
      "recommender serve", std::string(kServeAbout),
      without(recommender_program_schema().declarations(), recommender_schema().declarations()));
  page.pop_back();  // the last empty line
  return page;
}

}  // namespace bellows::config
