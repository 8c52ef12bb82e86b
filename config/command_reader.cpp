#include "config/command_reader.hpp"

namespace bellows::config {

namespace {

constexpr std::string_view kListFormat = "[python3, -m, http.server, --bind, 127.0.0.1, \"$PORT\"]";

/// Returns "a b" as "[a, b]".
std::string as_list(const std::string& text) {
  std::string list = "[";
  for (const char letter : text) {
    if (letter == ' ') {
      list += ", ";
    } else {
      list += letter;
    }
  }
  return list + "]";
}

std::vector<std::string> read_words(const DocumentMember& member, const ReportProblem& problem) {
  const DocumentNode& value = member.value;
  std::vector<std::string> words;
  if (value.kind == DocumentNode::Kind::kText && !value.text.empty()) {
    problem(member.line, member.key, "\"" + value.text + "\": want a list: " + as_list(value.text));
    return words;
  }
  if (value.kind != DocumentNode::Kind::kList || value.items.empty()) {
    problem(member.line, member.key, "want a list: " + std::string(kListFormat));
    return words;
  }
  for (const DocumentNode& item : value.items) {
    if (item.kind == DocumentNode::Kind::kText) {
      words.push_back(item.text);
    } else {
      problem(item.line, member.key, "want a text for each argument (\"\" for an empty one)");
    }
  }
  if (value.items.front().kind == DocumentNode::Kind::kText && value.items.front().text.empty()) {
    problem(member.line, member.key, "\"\": want a program as the first item");
  }
  return words;
}

}  // namespace

bool is_command_key(std::string_view key) {
  return key == "command" || key == "start" || key == "stop";
}

ReadCommands read_commands(const DocumentNode& service, const ReportProblem& problem) {
  ReadCommands read;
  const DocumentMember* start = nullptr;
  bool has_command = false;
  bool has_stop = false;
  for (const DocumentMember& member : service.members) {
    if (!is_command_key(member.key)) continue;
    std::vector<std::string> words = read_words(member, problem);
    if (member.key == "stop") {
      has_stop = true;
      read.stop = std::move(words);
      continue;
    }
    (member.key == "start" ? read.is_starter : has_command) = true;
    if (read.is_starter) start = &member;
    read.line = member.line;
    read.command = std::move(words);
  }
  if (!has_command && !read.is_starter) {
    problem(service.line, "command", "it is missing; want a list: " + std::string(kListFormat));
  } else if (has_command && read.is_starter) {
    problem(start->line, "start", "the service has a command too; want one of them");
  } else if (read.is_starter && !has_stop) {
    // What was started may be no child of Bellows.
    problem(start->line, "start", "want stop too, a list: the command that ends what it started");
  }
  return read;
}

}  // namespace bellows::config
