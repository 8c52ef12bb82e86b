#include "slack/input.hpp"

#include <algorithm>

#include "base/sys/file.hpp"
#include "command/input.hpp"
#include "slack/format/csv_lists.hpp"
#include "slack/format/kube_list.hpp"
#include "slack/format/revisions.hpp"
#include "slack/format/state_json.hpp"

namespace bellows::slack {

namespace {

Result<CsvText> read_csv(const std::string& file, std::string_view what) {
  BELLOWS_TRY(std::string text, command::read_input(file, what));
  return CsvText{command::input_name(file), std::move(text)};
}

Result<Snapshot> read_lists(const PlanSettings& settings, const std::vector<std::string>& files) {
  if (files.size() > 1)
    return fail(ErrorKind::kInvalidSetting, "arguments", "\"" + files[1] + "\": want one FILE");
  if (settings.nodes.empty() != settings.pods.empty()) {
    return fail(ErrorKind::kInvalidSetting, settings.nodes.empty() ? "--nodes" : "--pods",
                "missing: want both --nodes and --pods, or a list of kubectl");
  }
  if (settings.nodes.empty()) {
    const std::string file = files.empty() ? std::string(command::kStandardInput) : files.front();
    KubeListReader reader({command::input_name(file), settings.group_label});
    BELLOWS_CHECKED(command::read_input_in_chunks(
        file, "the list", [&reader](std::string_view part) { return reader.feed(part); }));
    return reader.finish();
  }
  if (!files.empty()) {
    return fail(ErrorKind::kInvalidSetting, "arguments",
                "\"" + files.front() + "\": want either FILE or --nodes and --pods");
  }
  Snapshot snapshot;
  BELLOWS_TRY(const CsvText nodes, read_csv(settings.nodes, "the nodes"));
  BELLOWS_TRY(snapshot.nodes, read_nodes(nodes));
  BELLOWS_TRY(const CsvText pods, read_csv(settings.pods, "the pods"));
  BELLOWS_TRY(snapshot.pods, read_pods(pods));
  return snapshot;
}

/// Restores the state. A missing file is the first call.
Result<void> restore(const PlanSettings& settings, Planner& planner) {
  if (settings.state.empty()) return {};
  const auto text = sys::read_whole_file(settings.state, "the state");
  if (!text) {
    if (text.error().kind() == ErrorKind::kNotFound) return {};
    return fail(text.error());
  }
  BELLOWS_TRY(const SavedState state, read_state(*text, settings.state));
  planner.restore(state);
  return {};
}

Result<void> add_revisions(const PlanSettings& settings, Loaded& loaded) {
  if (settings.shapes == ShapeSource::kAverages) return {};
  if (settings.revisions.empty()) {
    return fail(ErrorKind::kInvalidSetting, "--revisions",
                "missing: want a file with the output of `bellows status -o json`");
  }
  BELLOWS_TRY(const std::string text, command::read_input(settings.revisions, "the revisions"));
  BELLOWS_TRY(const auto demands,
              read_revisions(text, command::input_name(settings.revisions), loaded.problems));
  std::vector<Want> wants = loaded.planner->wanted();
  for (Want& want : wants_of(demands, loaded.planner->cluster())) wants.push_back(std::move(want));
  loaded.planner->set_wanted(std::move(wants));
  return {};
}

}  // namespace

Plan Loaded::plan() {
  Plan plan = planner->loop();
  plan.unmet.insert(plan.unmet.begin(), problems.begin(), problems.end());
  return plan;
}

Result<Loaded> load_input(const PlanSettings& settings, const std::vector<std::string>& files) {
  BELLOWS_TRY(Snapshot snapshot, read_lists(settings, files));
  std::vector<NodeType> types;
  if (!settings.types.empty()) {
    BELLOWS_TRY(const CsvText csv, read_csv(settings.types, "the types"));
    BELLOWS_TRY(types, read_types(csv));
  }
  Loaded loaded{std::make_unique<Planner>(settings.planner()), {}};
  BELLOWS_CHECKED(load(snapshot, std::move(types), *loaded.planner));
  loaded.problems = std::move(snapshot.problems);
  BELLOWS_CHECKED(add_revisions(settings, loaded));
  BELLOWS_CHECKED(restore(settings, *loaded.planner));
  return loaded;
}

}  // namespace bellows::slack
