#include "config/route_reader.hpp"

#include <algorithm>
#include <utility>

#include "config/suggestion.hpp"
#include "config/text_formats.hpp"

namespace bellows::config {
namespace {

const std::vector<std::string>& rule_keys() {
  static const std::vector<std::string> keys = {"host", "path-prefix", "headers"};
  return keys;
}

bool is_rule_key(std::string_view key) {
  return std::ranges::find(rule_keys(), key) != rule_keys().end();
}

/// Reads one map with host, path-prefix and headers; the rules are each host with each prefix.
class RulesReader {
 public:
  RulesReader(const ReportProblem& problem, bool& is_valid)
      : problem_(problem), is_valid_(is_valid) {}

  void read(const DocumentMember& member) {
    if (member.key == "host") {
      hosts_ = texts(member, host_pattern_format());
    } else if (member.key == "path-prefix") {
      prefixes_ = texts(member, path_prefix_format());
    } else {
      read_headers(member);
    }
  }

  std::vector<RouteRule> rules() const {
    std::vector<RouteRule> rules;
    for (const std::string& host : hosts_) {
      for (const std::string& prefix : prefixes_) {
        rules.push_back({.host = host, .path_prefix = prefix, .headers = headers_});
      }
    }
    return rules;
  }

 private:
  void report(int line, const std::string& key, std::string message) {
    is_valid_ = false;
    problem_(line, key, std::move(message));
  }

  std::vector<std::string> texts(const DocumentMember& member, const TextFormat& format) {
    const DocumentNode& value = member.value;
    const bool is_list = value.kind == DocumentNode::Kind::kList;
    std::vector<std::string> read;
    if (is_list && value.items.empty()) {
      report(member.line, member.key, "want at least one in the list");
    }
    const auto add = [&](const DocumentNode& node, int line) {
      auto text = node.kind == DocumentNode::Kind::kText ? format.read(node.text) : std::nullopt;
      if (text && is_list && text->empty()) text.reset();
      if (text) {
        read.push_back(*std::move(text));
      } else {
        report(line, member.key, "\"" + node.text + "\": want " + format.want);
      }
    };
    if (is_list) {
      for (const DocumentNode& item : value.items) add(item, item.line);
    } else {
      add(value, member.line);
    }
    if (read.empty()) read.emplace_back();
    return read;
  }

  void read_headers(const DocumentMember& member) {
    const DocumentNode& value = member.value;
    if (value.kind == DocumentNode::Kind::kList && !value.items.empty()) {
      for (const DocumentNode& item : value.items) {
        if (item.kind == DocumentNode::Kind::kMap) {
          add_map(item);
        } else {
          add_match(item.line, item.text);
        }
      }
    } else if (value.kind == DocumentNode::Kind::kMap && !value.members.empty()) {
      add_map(value);
    } else if (value.kind == DocumentNode::Kind::kText && !value.text.empty()) {
      add_match(member.line, value.text);
    } else {
      report(member.line, member.key, "want a list: [X-Debug, \"X-Version: 2\"]");
    }
    if (headers_.size() > kMaxHeaderMatches) {
      report(member.line, member.key,
             std::to_string(headers_.size()) + " conditions: want at most " +
                 std::to_string(kMaxHeaderMatches));
    }
    put_in_order(headers_);
  }

  void add_map(const DocumentNode& map) {
    for (const DocumentMember& pair : map.members) {
      add_match(pair.line, pair.key + ": " + pair.value.text);
    }
  }

  void add_match(int line, const std::string& text) {
    if (auto match = read_header_match(text)) {
      headers_.push_back(*std::move(match));
    } else {
      report(line, "headers", match.error().message());
    }
  }

  const ReportProblem& problem_;
  bool& is_valid_;
  std::vector<std::string> hosts_ = {""};
  std::vector<std::string> prefixes_ = {""};
  std::vector<HeaderMatch> headers_;
};

void add(const RulesReader& reader, int line, std::vector<RouteRule>& rules,
         std::vector<int>& lines) {
  for (RouteRule& rule : reader.rules()) {
    rules.push_back(std::move(rule));
    lines.push_back(line);
  }
}

/// Reads the list of `routes`, each element with a reader of its own.
template <class Report>
void read_list(const DocumentMember& routes, const ReportProblem& problem, const Report& report,
               ReadRoute& read, std::vector<RouteRule>& rules) {
  for (const DocumentNode& item : routes.value.items) {
    RulesReader reader(problem, read.is_valid);
    if (item.kind != DocumentNode::Kind::kMap) {
      report(item.line, "routes", "want a map: {host: a.example, path-prefix: /b}");
      continue;
    }
    for (const DocumentMember& member : item.members) {
      if (is_rule_key(member.key)) {
        reader.read(member);
        continue;
      }
      const std::string meant = suggestion(member.key, rule_keys());
      report(member.line, member.key,
             "unknown in a route" + (meant.empty() ? "" : "; did you mean " + meant + "?"));
    }
    add(reader, item.line, rules, read.lines);
  }
}

}  // namespace

bool is_route_key(std::string_view key) {
  return key == "routes" || is_rule_key(key);
}

ReadRoute read_route(const DocumentNode& service, const ReportProblem& problem) {
  ReadRoute read;
  const auto report = [&](int line, const std::string& key, std::string message) {
    read.is_valid = false;
    problem(line, key, std::move(message));
  };
  std::vector<RouteRule> rules;
  RulesReader own(problem, read.is_valid);
  const DocumentMember* routes = nullptr;
  const DocumentMember* own_key = nullptr;
  for (const DocumentMember& member : service.members) {
    if (member.key == "routes") routes = &member;
    if (!is_rule_key(member.key)) continue;
    own_key = &member;
    own.read(member);
  }
  if (routes == nullptr) {
    add(own, service.line, rules, read.lines);
  } else if (own_key != nullptr) {
    report(own_key->line, own_key->key, "the service has routes too; want it within them");
  } else if (routes->value.kind != DocumentNode::Kind::kList || routes->value.items.empty()) {
    report(routes->line, "routes", "want a list of maps: [{host: a.example}, {path-prefix: /b}]");
  } else {
    read_list(*routes, problem, report, read, rules);
  }
  if (rules.size() > kMaxRouteRules) {
    report(service.line, "routes",
           std::to_string(rules.size()) + " rules, each host with each path-prefix: want at most " +
               std::to_string(kMaxRouteRules));
  }
  read.route = route_of(rules);
  return read;
}

}  // namespace bellows::config
