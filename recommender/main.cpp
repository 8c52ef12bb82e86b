// recommender: parse, feed, print.
#include <fstream>
#include <iostream>
#include <optional>
#include <sstream>

#include "base/version.hpp"
#include "json/object.hpp"
#include "recommender/help.hpp"
#include "recommender/replay/recommender_filter.hpp"
#include "recommender/score_command.hpp"
#include "recommender/serve.hpp"
#include "replay/io/run_filter.hpp"

namespace {

using namespace bellows;

constexpr int kSuccess = 0;
constexpr int kFailure = 1;
constexpr int kUsage = 2;

constexpr std::string_view kCommands = "replay, explain, score or serve; see --help";

struct Arguments {
  std::vector<std::string> words;
  config::Layer flags;
  bool wants_help = false;
  std::string admin;  ///< of a running recommender; empty: none is asked
};

Arguments read_arguments(const std::vector<std::string>& words,
                         const std::vector<config::Declaration>& declarations) {
  Arguments arguments;
  for (std::size_t at = 0; at < words.size(); ++at) {
    const std::string& word = words[at];
    if (word == "--help" || word == "-h") {
      arguments.wants_help = true;
    } else if (word == "--admin" && at + 1 < words.size()) {
      arguments.admin = words[++at];
    } else if (!word.starts_with("--")) {
      arguments.words.push_back(word);
    } else if (const std::size_t equals = word.find('='); equals != std::string::npos) {
      arguments.flags.push_back(config::flag(word.substr(2, equals - 2), word.substr(equals + 1)));
    } else {
      const config::Declaration* flag = config::find(declarations, word.substr(2));
      const bool is_alone = flag != nullptr && flag->kind == config::Kind::kFlag;
      config::Entry entry = config::flag(word.substr(2), is_alone ? "true" : "");
      if (!is_alone && at + 1 < words.size()) {
        entry.value = words[++at];
      } else if (!is_alone) {
        entry.problem = "its value is missing";
      }
      arguments.flags.push_back(std::move(entry));
    }
  }
  return arguments;
}

int complain(std::string_view message) {
  std::cerr << "recommender: " << message << "\n";
  return kUsage;
}

void note(const std::string& warning) {
  std::cerr << "recommender: warning: " << warning << "\n";
}

int exit_code(const Error& error) {
  std::cerr << "recommender: " << to_string(error) << "\n";
  const bool is_input = error.kind() == ErrorKind::kMalformed ||
                        error.kind() == ErrorKind::kInvalidSetting ||
                        error.kind() == ErrorKind::kUnsupported;
  return is_input ? kUsage : kFailure;
}

/// The problems of the flags, printed; nothing: they are good.
std::optional<int> refuse_flags(const std::string& command, const config::Layer& flags) {
  const auto settings = config::recommender_schema().apply({flags});
  if (settings) return std::nullopt;
  std::cerr << config::problems_text(settings.error(), "recommender " + command);
  return kUsage;
}

int replay_lines(const Arguments& arguments) {
  if (arguments.words.size() > 2) return complain("replay takes one FILE; see --help");
  recommender::RecommenderFilter filter(arguments.flags, note);
  std::optional<std::string> file;
  if (arguments.words.size() == 2 && arguments.words[1] != "-") file = arguments.words[1];
  return replay::run_filter("recommender replay", filter, file);
}

Result<std::string> read_all(const std::string& file) {
  std::ostringstream text;
  if (file == "-") {
    text << std::cin.rdbuf();
    return text.str();
  }
  std::ifstream in(file, std::ios::binary);
  if (!in) return fail(ErrorKind::kNotFound, file, "cannot be read");
  text << in.rdbuf();
  return text.str();
}

/// A saved state is one line that names its format and policy; everything else is a replay.
Result<std::vector<std::string>> explain_text(const std::string& text, const Arguments& arguments,
                                              const recommender::ContainerName& container) {
  if (const auto saved = json::parse_line(text, 1); saved && saved->has("format")) {
    config::Layer flags = arguments.flags;
    BELLOWS_TRY(const std::string policy, saved->text("policy"));
    flags.push_back(config::flag("policy", policy));
    recommender::RecommenderFilter of_policy(flags);
    BELLOWS_CHECKED(of_policy.policy().restore(text));
    BELLOWS_TRY(const std::int64_t at, saved->integer("saved", 0, INT64_MAX));
    BELLOWS_TRY(auto explanation, of_policy.policy().explain(container, WallTime(Duration(at))));
    return std::move(explanation.lines);
  }
  recommender::RecommenderFilter filter(arguments.flags, note);
  filter.prepare_to_explain(container);
  std::istringstream in(text);
  std::ostringstream ignored;
  BELLOWS_CHECKED(replay::feed(filter, in, ignored));
  return filter.explain();
}

int explain(const Arguments& arguments) {
  const auto& words = arguments.words;
  if (!arguments.admin.empty() && words.size() == 2) {
    std::string policy;
    for (const config::Entry& flag : arguments.flags) {
      if (flag.key == "policy") policy = flag.value;
    }
    return recommender::explain_live(words[1], arguments.admin, policy);
  }
  if (words.size() < 2 || words.size() > 3) {
    return complain("explain wants [FILE] CONTAINER; see --help");
  }
  std::string container = words.back();
  if (const std::size_t slash = container.find('/'); slash != std::string::npos) {
    container = container.substr(slash + 1);
  }
  const auto text = read_all(words.size() == 3 ? words[1] : "-");
  if (!text) return exit_code(text.error());
  const auto lines = explain_text(*text, arguments, recommender::ContainerName(container));
  if (!lines) return exit_code(lines.error());
  for (const std::string& line : *lines) std::cout << line << "\n";
  return kSuccess;
}

int score(const Arguments& arguments) {
  if (arguments.words.size() > 1) {
    return complain("score takes no \"" + arguments.words[1] + "\"; want --trace FILE; see --help");
  }
  return recommender::run_score(arguments.flags);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (!words.empty() && words[0] == "serve") {
    return recommender::serve(argc - 1, argv + 1);
  }
  if (words == std::vector<std::string>{"--settings"}) {
    std::cout << recommender::settings_help();
    return kSuccess;
  }
  if (words == std::vector<std::string>{"--version"}) {
    std::cout << "recommender " << kVersion << "\n";
    return kSuccess;
  }
  const bool is_score = !words.empty() && words[0] == "score";
  const Arguments arguments =
      read_arguments(words, is_score ? recommender::score_declarations()
                                     : config::recommender_schema().declarations());
  if (arguments.words.empty()) {
    if (!arguments.wants_help) return complain("want a command: " + std::string(kCommands));
    std::cout << recommender::overview();
    return kSuccess;
  }
  const std::string& command = arguments.words[0];
  if (command != "replay" && command != "explain" && command != "score") {
    return complain("\"" + command + "\": want " + std::string(kCommands));
  }
  if (arguments.wants_help) {
    std::cout << recommender::help_of(command);
    return kSuccess;
  }
  if (command == "score") return score(arguments);
  if (const auto refused = refuse_flags(command, arguments.flags)) return *refused;
  return command == "replay" ? replay_lines(arguments) : explain(arguments);
}
