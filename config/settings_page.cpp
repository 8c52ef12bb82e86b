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

/// Returns the `declarations` whose names `others` do not have.
std::vector<Declaration> without(const std::vector<Declaration>& declarations,
                                 const std::vector<Declaration>& others) {
  std::vector<Declaration> rest;
  for (const Declaration& declaration : declarations) {
    if (find(others, declaration.name) == nullptr) rest.push_back(declaration);
  }
  return rest;
}

/// Returns the settings of `bellows run`, then those that only `bellows up` has.
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

* A duration has a unit: `90s`, `1m30s`, `250ms`. It is a bare number only if the name ends in the
  unit (`REVISION_TIMEOUT_SECONDS`, `revision-timeout-seconds`).
* Whole numbers have no leading zero. A percentage is `70` or `70%`. Memory is `64Mi`, `1Gi` or plain
  bytes. An address is `HOST:PORT` (`:8080` is all addresses) or `unix:/PATH`, a file of mode 0660 for
  request traffic and 0600 otherwise.
* An unknown key, a value of the wrong kind or out of range, and two settings that contradict each
  other are errors. All errors are reported together, with their places, before any port is opened,
  and the program exits with code 2. No value is ever adjusted.
* Aliases are accepted as keys and as flags. They are Knative's names, and earlier names of Bellows;
  the latter, and their environment variables, cause a warning.

)";

constexpr std::string_view kRunAbout =
    "`bellows run` and `bellows up` accept as flags: these settings, every setting of the next "
    "section, and those of the recommender with the prefix `recommender-` (`recommender-policy`). "
    "Only `run` has `name`, only `up` has `state-file`. In a "
    "[bellows.yaml](bellows-yaml.md) they are top-level keys.";
constexpr std::string_view kRevisionAbout =
    "Settings of one service (a revision in Knative). Names and defaults are Knative's, except for "
    "progress-deadline (10m in Knative) and settings that Knative does not have. `bellows run` and "
    "`bellows up` have these other defaults: ";
constexpr std::string_view kQueueProxyAbout =
    "The `queue-proxy`, one per replica. `bellows run` and `bellows up` set all of this "
    "themselves.";
constexpr std::string_view kActivatorAbout =
    "The program `activator`, for a [Kubernetes cluster](kubernetes.md).";
constexpr std::string_view kAutoscalerAbout =
    "The program `autoscaler`, for a [Kubernetes cluster](kubernetes.md). It decides every 2 "
    "seconds; this is not configurable.";

constexpr std::string_view kRecommenderAbout =
    "Settings of [the recommender](recommender.md), which decides the CPU and memory of "
    "containers. "
    "Names and defaults of its history are those of the Vertical Pod Autoscaler's flags. `replay`, "
    "`explain` and `score` accept them as flags and as keys of `config` lines, but not from the "
    "environment, so that their output does not depend on it; `recommender serve` reads the "
    "variables.";

constexpr std::string_view kServeAbout =
    "The `recommender` as a service that reads usage from Prometheus or from files. It has every "
    "setting of the previous section too.";

/// Returns "`max-scale` `8`, `target` `10`".
std::string one_machine_defaults() {
  std::string list;
  for (const auto& [name, text] : revision_schema().texts(one_machine_settings())) {
    if (!list.empty()) list += ", ";
    list += "`" + name;
    list += "` `" + text + "`";
  }
  return list + ".";
}

constexpr std::string_view kProfilesAbout =
    R"(## Profiles

`profile` sets the defaults of other settings; file, environment and flags override them one by one. `bellows`: the defaults
above; `knative`: decides exactly as Knative HEAD does; `seed`: as its first autoscaler of June 2018 did. An empty cell means the
default. [Why bellows differs](decisions/0012-how-the-default-decides.md).

| setting | bellows | knative | seed |
|---|---|---|---|
)";

/// Returns the value of `key` as Markdown code, or empty.
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
  page += program_section("Per service", std::string(kRevisionAbout) + one_machine_defaults(),
                          revision);
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
