#include "config/settings_page.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>
#include <vector>

#include "config/activator_settings.hpp"
#include "config/autoscaler_settings.hpp"
#include "config/profiles.hpp"
#include "config/queue_proxy_settings.hpp"
#include "config/recommender_program_settings.hpp"
#include "config/recommender_settings.hpp"
#include "config/run_settings.hpp"
#include "config/table.hpp"

namespace bellows::config {

namespace {

constexpr std::string_view kIntroduction =
    R"(# Settings

<!-- Made from the table in config/table/. Renew it with:
     cmake --build --preset dev --target settings_page && build/dev/bin/settings_page docs/settings.md -->

Every setting has a name. In a file the name is the key, on the command line it is the flag
(`--min-scale 1`), in the environment it is the variable `BELLOWS_MIN_SCALE`: `BELLOWS_` and the name in
capitals, unless the last column has another one. A flag wins over the environment, the environment
over the file, the file over the default. An empty variable counts as not set.

* A duration has a unit: `90s`, `1m30s`, `250ms`. It is a bare number only if the name ends in the
  unit (`REVISION_TIMEOUT_SECONDS`, `revision-timeout-seconds`).
* Whole numbers have no leading zero. A percentage is `70` or `70%`. Memory is `64Mi`, `1Gi` or plain
  bytes. An address is `HOST:PORT` (`:8080` is all addresses) or `unix:/PATH`, a file of mode 0660 for
  request traffic and 0600 otherwise.
* An unknown key, a value of the wrong kind or out of range, and two settings that contradict each
  other are errors. All errors are reported together, with their places, before any port is opened,
  and the program exits with code 2. No value is ever adjusted.
* The last column has other keys and flags with the same meaning: Knative's, and those of the spike rule.

Programs: `service` is a service of a [bellows.yaml](bellows-yaml.md) or a Revision of
[Kubernetes](kubernetes.md); `bellows run` and `bellows up` accept these settings too, for every service.
`run` and `up` are settings of the whole machine, `queue-proxy`, `activator` and `autoscaler` of these
programs. Settings of the [`recommender`](recommender.md) are flags of `replay`, `explain` and `score`,
which read no environment; `serve` has them all, and `run` and `up` have them with the prefix
`recommender-` (`recommender-policy`). The decision interval of the autoscaler, 2 seconds, is not
configurable.

`--help` lists the main settings of a program, `--help-all` all of them.

)";

struct Tiered {
  Tier tier;
  std::string_view heading;
  std::string_view about;
};
constexpr std::array<Tiered, 3> kTiers = {
    {{Tier::kMain, "Main settings", "What a person sets."},
     {Tier::kTuning, "Tuning", "For the few whose load, app or machine needs it."},
     {Tier::kCompatibility, "Compatibility",
      "Settings of Knative and of the Vertical Pod Autoscaler, under their names."}}};

/// A program in the order of the page. `run` and `up` have the settings of services with other
/// defaults, and those of the recommender with a prefix.
struct Column {
  Program program;
  std::string_view name;
  const std::vector<Declaration>& (*declarations)();
};

template <auto schema>
const std::vector<Declaration>& declarations_of() {
  return schema().declarations();
}

constexpr std::array<Column, 8> kColumns = {{
    {Program::kService, "service", declarations_of<revision_schema>},
    {Program::kRun, "run", declarations_of<run_schema>},
    {Program::kUp, "up", declarations_of<up_schema>},
    {Program::kQueueProxy, "queue-proxy", declarations_of<queue_proxy_schema>},
    {Program::kActivator, "activator", declarations_of<activator_schema>},
    {Program::kAutoscaler, "autoscaler", declarations_of<autoscaler_schema>},
    {Program::kRecommender, "recommender", declarations_of<recommender_schema>},
    {Program::kRecommenderServe, "serve", declarations_of<recommender_program_schema>},
}};

/// Returns true if the page names the program, or another one that implies it.
bool is_named(Programs programs, Program program) {
  const bool is_machine = program == Program::kRun || program == Program::kUp;
  if (is_machine && programs.contain(Program::kService)) return false;
  const bool has_policies = programs.contain(Program::kRecommender);
  if (has_policies && (is_machine || program == Program::kRecommenderServe)) return false;
  return programs.contain(program);
}

std::string code(std::string_view text) {
  return "`" + std::string(text) + "`";
}

/// The texts of a cell, each with the programs that have it.
class Cell {
 public:
  void add(std::string_view program, std::string text) {
    for (auto& [known, programs] : texts_) {
      if (known != text) continue;
      programs += ", " + std::string(program);
      return;
    }
    texts_.emplace_back(std::move(text), std::string(program));
  }

  /// Returns the one text, or "run, up: a<br>serve: b".
  std::string text() const {
    if (texts_.size() == 1) return texts_.front().first;
    std::string all;
    for (const auto& [text, programs] : texts_) {
      if (text.empty()) continue;
      all += (all.empty() ? "" : "<br>") + programs + ": " + text;
    }
    return all;
  }

 private:
  std::vector<std::pair<std::string, std::string>> texts_;
};

std::string default_text(const Declaration& declaration) {
  if (declaration.required) return "*required*";
  if (!declaration.default_text.empty()) return code(declaration.default_text);
  return declaration.unset.empty() ? "nothing" : declaration.unset;
}

std::string other_names(const Declaration& declaration) {
  std::string names;
  const auto add = [&](std::string_view name) {
    names += (names.empty() ? "" : ", ") + code(name);
  };
  if (declaration.variable != variable_name(declaration.name)) add(declaration.variable);
  for (const std::string& alias : declaration.aliases) add(alias);
  return names;
}

/// Returns the row of a name, with the texts of every program that has it.
std::string row_of(const std::string& name) {
  Cell programs, help, defaults, valid, others;
  std::string listed;
  each_row([&](const Group& group, const Setting& row) {
    if (row.name != name) return;
    for (const Column& column : kColumns) {
      if (!is_named(programs_of(group, row), column.program)) continue;
      const Declaration* const declared = find(column.declarations(), name);
      listed += (listed.empty() ? "" : ", ") + std::string(column.name);
      help.add(column.name, declared->help);
      defaults.add(column.name, default_text(*declared));
      valid.add(column.name, valid_values_text(*declared));
      others.add(column.name, other_names(*declared));
    }
  });
  return "| " + code(name) + " | " + listed + " | " + help.text() + " | " + defaults.text() +
         " | " + valid.text() + " | " + others.text() + " |\n";
}

std::string tier_section(const Tiered& tier) {
  std::string section =
      "## " + std::string(tier.heading) + "\n\n" + std::string(tier.about) +
      "\n\n| name | programs | what it does | default | valid values | other names |\n"
      "|---|---|---|---|---|---|\n";
  std::vector<std::string> done;
  each_row([&](const Group&, const Setting& row) {
    const std::string name(row.name);
    if (tier_of(row.name) != tier.tier || std::ranges::find(done, name) != done.end()) return;
    section += row_of(name);
    done.push_back(name);
  });
  return section + "\n";
}

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
default. What else a profile changes has no setting: rounding, decisions without data and after a restart, the target utilization of
`seed` (100 %). [Why bellows differs](decisions/0012-how-the-default-decides.md).

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
  std::string page(kIntroduction);
  page +=
      "Defaults of services are Knative's, except for progress-deadline (10m in Knative) and "
      "settings that Knative does not\nhave. `bellows run` and `bellows up` have these other "
      "defaults: " +
      one_machine_defaults() + "\n\n";
  for (const Tiered& tier : kTiers) page += tier_section(tier);
  page += profiles_section();
  page.pop_back();  // the last empty line
  return page;
}

}  // namespace bellows::config
