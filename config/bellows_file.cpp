#include "config/bellows_file.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <utility>

#include "config/autoscaling_text.hpp"
#include "config/command_reader.hpp"
#include "config/fixed_ports.hpp"
#include "config/route_reader.hpp"
#include "config/static_answers.hpp"
#include "config/suggestion.hpp"
#include "config/text_formats.hpp"

namespace bellows::config {

namespace {

constexpr std::array<std::string_view, 15> kServiceKeys = {"name",
                                                           "command",
                                                           "start",
                                                           "stop",
                                                           "environment",
                                                           "environment-file",
                                                           "working-directory",
                                                           "run-as-user",
                                                           "no-new-privileges",
                                                           "host",
                                                           "path-prefix",
                                                           "headers",
                                                           "routes",
                                                           "requests",
                                                           "settings"};

/// A service of the file, with settings that are still text.
struct Draft {
  Service service;
  Layer settings;
  int line = 0;
  std::vector<int> rule_lines;                // of the rules of its route
  bool is_route_known = true;                 // false: a part of it is invalid and reported
  const DocumentNode* autoscaling = nullptr;  // its map in the file, of the service or of defaults
};

class FileReader {
 public:
  explicit FileReader(const Document& document) : document_(document) {}

  /// Fills the members below from the valid parts of the file.
  void read();

  Layer run;
  Layer defaults;
  const DocumentNode* default_autoscaling = nullptr;
  std::vector<Draft> drafts;

  /// Adds the problem of a service's policies, with its line.
  void add_policy_problem(const Draft& draft, const Error& error);
  /// Call it after the settings of the service are known.
  void check_fallback(const Draft& draft);
  /// Adds a problem for each port that two services have, or a service and Bellows.
  void check_ports(const UpSettings& settings);
  std::vector<Error> problems;

 private:
  std::string place(int line) const { return document_.file + ":" + std::to_string(line); }
  void problem(int line, const std::string& key, std::string message) {
    problems.emplace_back(ErrorKind::kInvalidSetting, place(line) + ": " + key, std::move(message));
  }
  void unknown(const DocumentMember& member, const std::string& where,
               std::vector<std::string> also_known, const std::vector<Declaration>& declared);

  bool report_misplaced(const DocumentMember& member);
  void read_top_level(const DocumentMember& member);
  void read_service(const DocumentNode& node);
  void read_service_member(const DocumentMember& member, Draft& draft);
  void read_environment(const DocumentMember& member, Draft& draft);
  void read_settings(const DocumentMember& member, Layer& layer);
  void add_setting(const DocumentMember& member, Layer& layer);
  /// Reads Maestro's requests: {cpu: 1000m, memory: 1Gi}, the settings cpu and memory.
  void read_requests(const DocumentMember& member, Layer& layer);
  /// Reports a problem and returns false if the value does not have this format.
  bool read_text(const DocumentMember& member, const TextFormat& format, std::string& text);
  void check_services();
  /// The owner of a rule.
  struct Place {
    const Draft* draft;
    int line;
  };
  void check_name(const Draft& draft);
  void check_route(const Draft& draft, std::map<RouteRule, Place>& places);

  const Document& document_;
  std::map<RevisionId, int> names_;  // of the services, with their lines
};

/// Returns the member of a map; nullptr if there is none, or `node` is no map.
const DocumentNode* autoscaling_in(const DocumentNode& map) {
  for (const DocumentMember& member : map.members) {
    if (member.key == "autoscaling") return &member.value;
  }
  return nullptr;
}

bool is_revision_setting(const std::string& key) {
  return find(revision_schema().declarations(), key) != nullptr;
}

void FileReader::read() {
  const DocumentNode& root = document_.root;
  if (root.kind != DocumentNode::Kind::kMap) {
    problem(std::max(root.line, 1), "services", "want a map with the key services at the top");
    return;
  }
  for (const DocumentMember& member : root.members) read_top_level(member);
  const bool has_services =
      std::any_of(root.members.begin(), root.members.end(),
                  [](const DocumentMember& m) { return m.key == "services"; });
  if (!has_services) problem(root.line, "services", "it is missing; want a list of services");
  check_services();
}

void FileReader::unknown(const DocumentMember& member, const std::string& where,
                         std::vector<std::string> also_known,
                         const std::vector<Declaration>& declared) {
  for (const Declaration& declaration : declared) also_known.push_back(declaration.name);
  const std::string name = member.key.substr(member.key.rfind('/') + 1);
  std::string suggested = suggestion(name, also_known);
  if (suggested.empty()) suggested = continuation(name, also_known);
  std::string hint(instead_of(name));
  if (hint.empty() && !suggested.empty()) hint = "did you mean " + suggested + "?";
  problem(member.line, member.key, "unknown in " + where + (hint.empty() ? "" : "; " + hint));
}

void FileReader::read_top_level(const DocumentMember& member) {
  if (member.key == "services") {
    if (member.value.kind != DocumentNode::Kind::kList || member.value.items.empty()) {
      problem(member.line, member.key, "want a list with at least one service (- name: web)");
      return;
    }
    for (const DocumentNode& node : member.value.items) read_service(node);
  } else if (member.key == "defaults") {
    default_autoscaling = autoscaling_in(member.value);
    read_settings(member, defaults);
  } else if (is_revision_setting(member.key)) {
    problem(member.line, member.key,
            "it is a setting of a service; want it there or under defaults");
  } else if (find(up_schema().declarations(), member.key) != nullptr) {
    add_setting(member, run);
  } else if (!report_misplaced(member)) {
    unknown(member, "a settings file", {"services", "defaults"}, up_schema().declarations());
  }
}

void FileReader::read_service(const DocumentNode& node) {
  if (node.kind != DocumentNode::Kind::kMap) {
    problem(node.line, "services", "want a map with name and command for each service");
    return;
  }
  Draft draft;
  draft.line = node.line;
  draft.autoscaling = autoscaling_in(node);
  for (const DocumentMember& member : node.members) read_service_member(member, draft);
  const ReportProblem report = [this](int line, const std::string& key, std::string message) {
    problem(line, key, std::move(message));
  };
  ReadRoute read = read_route(node, report);
  draft.service.route = std::move(read.route);
  draft.rule_lines = std::move(read.lines);
  draft.is_route_known = read.is_valid;
  const bool has_name =
      std::any_of(node.members.begin(), node.members.end(),
                  [&](const DocumentMember& member) { return member.key == "name"; });
  if (!has_name) problem(node.line, "name", "it is missing; want " + name_format().want);
  ReadCommands commands = read_commands(node, report);
  draft.service.command = std::move(commands.command);
  draft.service.is_starter = commands.is_starter;
  draft.service.stop = std::move(commands.stop);
  if (commands.line != 0) draft.service.command_at.text = place(commands.line);
  drafts.push_back(std::move(draft));
}

TextFormat some_text(std::string want) {
  return {.want = std::move(want), .read = [](std::string_view text) {
            return text.empty() ? std::nullopt : std::optional<std::string>(text);
          }};
}

TextFormat flag_format() {
  return {.want = "true or false", .read = [](std::string_view text) {
            return text == "true" || text == "false" ? std::optional<std::string>(text)
                                                     : std::nullopt;
          }};
}

void FileReader::read_service_member(const DocumentMember& member, Draft& draft) {
  std::string name;
  if (member.key == "name") {
    read_text(member, name_format(), name);
    draft.service.name = RevisionId(name);
  } else if (member.key == "environment") {
    read_environment(member, draft);
  } else if (member.key == "working-directory") {
    read_text(member, some_text("a directory"), draft.service.working_directory);
  } else if (member.key == "environment-file") {
    read_text(member, some_text("a file with NAME=VALUE lines"), draft.service.environment_file);
  } else if (member.key == "run-as-user") {
    read_text(member, some_text("USER, USER:GROUP or :GROUP, by name or number"),
              draft.service.user);
  } else if (member.key == "no-new-privileges") {
    std::string flag;
    read_text(member, flag_format(), flag);
    draft.service.no_new_privileges = flag == "true";
  } else if (is_route_key(member.key) || is_command_key(member.key)) {
    return;  // read_route() and read_commands() read them together
  } else if (member.key == "requests") {
    read_requests(member, draft.settings);
  } else if (member.key == "settings") {
    if (draft.autoscaling == nullptr) draft.autoscaling = autoscaling_in(member.value);
    read_settings(member, draft.settings);
  } else if (is_revision_setting(member.key)) {
    add_setting(member, draft.settings);
  } else if (!report_misplaced(member)) {
    unknown(member, "a service", {kServiceKeys.begin(), kServiceKeys.end()},
            revision_schema().declarations());
  }
}

/// Reports a key that belongs to another level of the file. Returns false if it belongs to none.
bool FileReader::report_misplaced(const DocumentMember& member) {
  const bool is_of_service = std::ranges::find(kServiceKeys, member.key) != kServiceKeys.end();
  if (!is_of_service && find(up_schema().declarations(), member.key) == nullptr) return false;
  problem(member.line, member.key,
          is_of_service ? "it belongs to one service; want it in its entry of services"
                        : "it is a setting of all services; want it at the top of the file");
  return true;
}

void FileReader::read_environment(const DocumentMember& member, Draft& draft) {
  if (member.value.kind != DocumentNode::Kind::kMap) {
    problem(member.line, member.key, "want a map: {KEY: value}");
    return;
  }
  for (const DocumentMember& variable : member.value.members) {
    if (variable.key == "PORT") {
      problem(variable.line, "environment PORT",
              "it is set by Bellows, a different port for every replica; want it left out");
    } else if (variable.key.empty() || variable.key.find('=') != std::string::npos) {
      problem(variable.line, "environment " + variable.key, "want a name without =");
    } else if (variable.value.kind != DocumentNode::Kind::kText) {
      problem(variable.line, "environment " + variable.key, "want a text (\"\" for an empty one)");
    } else {
      draft.service.environment.emplace(variable.key, variable.value.text);
    }
  }
}

void FileReader::read_settings(const DocumentMember& member, Layer& layer) {
  if (member.value.kind != DocumentNode::Kind::kMap) {
    problem(member.line, member.key, "want a map: {target: 10, max-scale: 8}");
    return;
  }
  for (const DocumentMember& setting : member.value.members) {
    if (is_revision_setting(setting.key)) {
      add_setting(setting, layer);
    } else if (!report_misplaced(setting)) {
      unknown(setting, member.key, {}, revision_schema().declarations());
    }
  }
}

void FileReader::add_policy_problem(const Draft& draft, const Error& error) {
  constexpr std::string_view kPrefix = "autoscaling.";
  const DocumentNode* node = draft.autoscaling ? draft.autoscaling : default_autoscaling;
  const std::string& key = error.culprit();
  const bool has_line = node != nullptr && key.starts_with(kPrefix);
  problem(has_line ? line_of(*node, key.substr(kPrefix.size())) : draft.line, key, error.message());
}

void FileReader::read_requests(const DocumentMember& member, Layer& layer) {
  if (member.value.kind != DocumentNode::Kind::kMap) {
    problem(member.line, member.key, "want a map: {cpu: 1000m, memory: 1Gi}");
    return;
  }
  for (const DocumentMember& request : member.value.members) {
    if (request.key == "cpu" || request.key == "memory") {
      add_setting(request, layer);
    } else {
      problem(request.line, "requests." + request.key, "want cpu or memory");
    }
  }
}

/// Returns "[1].status" of "static-answers[1].status".
std::string_view list_path(std::string_view culprit) {
  const std::size_t bracket = culprit.find('[');
  return bracket == std::string_view::npos ? std::string_view() : culprit.substr(bracket);
}

void FileReader::add_setting(const DocumentMember& member, Layer& layer) {
  const bool is_list = member.key == "static-answers" &&
                       member.value.kind == DocumentNode::Kind::kList &&
                       !member.value.items.empty();
  if (is_list) {
    if (auto read = read_static_answers(json_text(member.value)); !read) {
      problem(line_of(member.value, list_path(read.error().culprit())), read.error().culprit(),
              read.error().message());
      return;
    }
  }
  if (is_list || (member.key == "autoscaling" && member.value.kind == DocumentNode::Kind::kMap)) {
    layer.push_back({.source = Source::kFile,
                     .key = member.key,
                     .value = json_text(member.value),
                     .place = place(member.line),
                     .problem = {}});
    return;
  }
  if (member.value.kind != DocumentNode::Kind::kText) {
    problem(member.line, member.key,
            "want one value: " + valid_values_text(*find(up_schema().declarations(), member.key)));
    return;
  }
  layer.push_back({.source = Source::kFile,
                   .key = member.key,
                   .value = member.value.text,
                   .place = place(member.line),
                   .problem = {}});
}

bool FileReader::read_text(const DocumentMember& member, const TextFormat& format,
                           std::string& text) {
  auto value = member.value.kind == DocumentNode::Kind::kText ? format.read(member.value.text)
                                                              : std::nullopt;
  if (!value) {
    problem(member.line, member.key, "\"" + member.value.text + "\": want " + format.want);
    return false;
  }
  text = *std::move(value);
  return true;
}

/// Compares each service with the first one of its name and of its route, so that the work grows
/// with the number of services.
void FileReader::check_services() {
  std::map<RouteRule, Place> places;
  for (const Draft& draft : drafts) {
    check_name(draft);
    check_route(draft, places);
  }
}

void FileReader::check_name(const Draft& draft) {
  const RevisionId& name = draft.service.name;
  const auto [earlier, is_new] = names_.emplace(name, draft.line);
  if (is_new || name.empty()) return;
  problem(draft.line, "name",
          "\"" + name.text() + "\": want another name than that of the service in line " +
              std::to_string(earlier->second));
}

/// Returns "service web", or "service" if its name is missing or invalid.
std::string title(const Draft& draft) {
  return draft.service.name.empty() ? "service" : "service " + draft.service.name.text();
}

void FileReader::check_route(const Draft& draft, std::map<RouteRule, Place>& places) {
  if (!draft.is_route_known) return;
  const std::vector<RouteRule> rules = rules_of(draft.service.route);
  for (std::size_t i = 0; i < rules.size(); ++i) {
    const int line = draft.rule_lines[i];
    const auto [earlier, is_new] = places.emplace(rules[i], Place{&draft, line});
    if (is_new) continue;
    if (earlier->second.draft == &draft) {
      problem(line, title(draft), "takes " + described(rules[i]) + " twice; want each once");
      continue;
    }
    problem(line, title(draft),
            "takes " + described(rules[i]) + ", as " + title(*earlier->second.draft) + " in line " +
                std::to_string(earlier->second.line) +
                " does; want another host, path-prefix or headers");
  }
}

void FileReader::check_fallback(const Draft& draft) {
  const std::string& fallback = draft.service.settings.callers.fallback_service;
  const bool is_itself = fallback == draft.service.name.text();
  if (fallback.empty() || (names_.contains(RevisionId(fallback)) && !is_itself)) return;
  problem(draft.line, title(draft),
          "fallback-service: \"" + fallback + "\": want the name of another service of this file");
}

void FileReader::check_ports(const UpSettings& settings) {
  FixedPorts ports(settings.run);
  for (std::size_t i = 0; i < settings.services.size(); ++i) {
    const Service& service = settings.services[i];
    const auto taken = ports.take(service.name, service.settings.port);
    if (!taken) problem(drafts[i].line, taken.error().culprit(), taken.error().message());
  }
}

void add_each_once(std::vector<Error> from, std::vector<Error>& to) {
  for (Error& error : from) {
    const std::string text = to_string(error);
    const bool is_known = std::any_of(to.begin(), to.end(),
                                      [&](const Error& known) { return to_string(known) == text; });
    if (!is_known) to.push_back(std::move(error));
  }
}

}  // namespace

Checked<UpSettings> read_bellows_file(const Document& document, std::span<const Layer> above,
                                      const PolicyCheck& check_policies) {
  FileReader file(document);
  file.read();
  // A file without services has an error already; the rest is still checked.
  if (file.drafts.empty()) file.drafts.emplace_back();
  UpSettings settings;
  // Thousands of services have few different settings.
  std::map<std::vector<std::pair<std::string, std::string>>, RevisionSettings> known;
  for (Draft& draft : file.drafts) {
    std::vector<std::pair<std::string, std::string>> texts;
    for (const Entry& entry : draft.settings) texts.emplace_back(entry.key, entry.value);
    if (const auto same = known.find(texts); same != known.end()) {
      draft.service.settings = same->second;
      file.check_fallback(draft);
      settings.services.push_back(std::move(draft.service));
      continue;
    }
    constexpr std::size_t kOwnLayer = 2;
    std::vector<Layer> layers = {file.run, file.defaults, draft.settings};
    layers.insert(layers.end(), above.begin(), above.end());
    yield_to_port(layers, kOwnLayer);
    auto applied = up_schema().apply(layers);
    if (!applied) {
      add_each_once(std::move(applied).error(), file.problems);
      continue;
    }
    draft.service.settings = applied->revision;
    file.check_fallback(draft);
    const auto checked = check_policies ? check_policies(applied->revision) : Result<void>();
    if (!checked) file.add_policy_problem(draft, checked.error());
    if (checked) known.emplace(std::move(texts), applied->revision);
    settings.run = *std::move(applied);
    settings.services.push_back(std::move(draft.service));
  }
  if (file.problems.empty()) file.check_ports(settings);
  if (!file.problems.empty()) return tl::unexpected(std::move(file.problems));
  settings.run.revision = one_machine_settings();  // each service has its own
  return settings;
}

Checked<Service> single_service(const RunSettings& settings, std::vector<std::string> command) {
  if (command.empty() || command.front().empty()) {
    return tl::unexpected(std::vector<Error>{{ErrorKind::kInvalidSetting, "COMMAND",
                                              "it is missing; want it after --, as in: bellows "
                                              "run -- ./app --port '$PORT'"}});
  }
  Service service{.name = settings.name,
                  .command = std::move(command),
                  .environment = {},
                  .working_directory = {},
                  .environment_file = settings.environment_file,
                  .user = settings.user,
                  .no_new_privileges = settings.no_new_privileges,
                  .route = {},
                  .settings = settings.revision};
  if (const auto taken = FixedPorts(settings).take(service.name, service.settings.port); !taken) {
    return tl::unexpected(std::vector<Error>{taken.error()});
  }
  ResourcesMode& mode = service.settings.resources.mode;
  if (settings.recommend && mode == ResourcesMode::kOff) mode = ResourcesMode::kAuto;
  return service;
}

}  // namespace bellows::config
