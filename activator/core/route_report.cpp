#include "activator/core/route_report.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "activator/core/meanwhile.hpp"
#include "activator/core/probe_request.hpp"
#include "activator/core/route_table.hpp"
#include "http/core/head.hpp"
#include "http/core/status.hpp"
#include "proxy/core/max_forwards.hpp"
#include "proxy/core/probe_rules.hpp"

namespace bellows::activator {
namespace {

/// Maximum number of other routes in a report.
constexpr std::size_t kMaxLines = 20;

/// One rule of a service or of a tag.
struct Candidate {
  const RoutedService* service = nullptr;
  const RoutedRevision* tagged = nullptr;  // nullptr: a rule of the service
  std::string tag;
  config::RouteRule rule;
};

std::vector<Candidate> candidates_of(const std::vector<RoutedService>& services) {
  std::vector<Candidate> candidates;
  for (const RoutedService& service : services) {
    for (config::RouteRule& rule : rules_of(service.route)) {
      candidates.push_back({.service = &service, .tag = {}, .rule = std::move(rule)});
    }
    for (const RoutedRevision& revision : service.revisions) {
      for (const std::string& tag : revision.tags) {
        config::Route route = service.route;
        route.tags = {tag};
        for (config::RouteRule& rule : tag_rules(route)) {
          candidates.push_back(
              {.service = &service, .tagged = &revision, .tag = tag, .rule = std::move(rule)});
        }
      }
    }
  }
  return candidates;
}

/// Matches some parts of a rule, alone in a table, so that the code that routes decides what
/// matches.
bool takes(const config::RouteRule& rule, const http::RequestHead& head) {
  const RouteTable table({{RevisionId("one"), rule}});
  return table.find(head.host, head.path, &head.fields).has_value();
}

enum class Mismatch : std::uint8_t { kNone, kHost, kPath, kHeaders };

Mismatch mismatch(const config::RouteRule& rule, const http::RequestHead& head) {
  if (!takes({.host = rule.host, .path_prefix = {}}, head)) return Mismatch::kHost;
  if (!takes({.host = {}, .path_prefix = rule.path_prefix}, head)) return Mismatch::kPath;
  return takes({.host = {}, .path_prefix = {}, .headers = rule.headers}, head) ? Mismatch::kNone
                                                                               : Mismatch::kHeaders;
}

std::string header_reason(const config::RouteRule& rule, const http::RequestHead& head) {
  for (const config::HeaderMatch& match : rule.headers) {
    if (takes({.host = {}, .path_prefix = {}, .headers = {match}}, head)) continue;
    const auto value = head.fields.find(match.name);
    if (!value) return "the request has no header " + match.name;
    return "its header " + match.name + " is \"" + std::string(*value) + "\", not \"" +
           *match.value + "\"";
  }
  return {};
}

std::string title(const Candidate& candidate) {
  return candidate.service->name.text() + ": " + to_string(candidate.rule) +
         (candidate.tagged == nullptr ? "" : " (tag " + candidate.tag + ")");
}

void add_winner(const Candidate& winner, bool is_answered, std::vector<std::string>& lines) {
  const std::string verb = is_answered ? " does not get it; it has its route, " : " gets it, by ";
  lines.push_back(winner.service->name.text() + verb + to_string(winner.rule));
  if (is_answered) return;
  if (winner.tagged != nullptr) {
    lines.push_back("  revision " + winner.tagged->id.text() + ", by its tag " + winner.tag);
    return;
  }
  std::string shares;
  for (const RoutedRevision& revision : winner.service->revisions) {
    if (revision.share == 0) continue;
    shares += (shares.empty() ? "" : ", ") + revision.id.text() + " " +
              std::to_string(revision.share) + "%";
  }
  lines.push_back("  " +
                  std::string(shares.find(',') == std::string::npos ? "revision " : "revisions ") +
                  (shares.empty() ? "none" : shares));
}

void add_part(const std::string& heading, std::vector<std::string> part,
              std::vector<std::string>& lines) {
  if (part.empty()) return;
  lines.push_back(heading);
  const std::size_t shown = std::min(part.size(), kMaxLines);
  for (std::size_t i = 0; i < shown; ++i) lines.push_back("  " + std::move(part[i]));
  if (shown < part.size())
    lines.push_back("  and " + std::to_string(part.size() - shown) + " more");
}

/// Adds the routes that did not get it, and why.
void add_others(const std::vector<Candidate>& candidates, std::optional<std::size_t> winner,
                const http::RequestHead& head, std::vector<std::string>& lines) {
  std::vector<std::string> less_specific;
  std::vector<std::string> not_matching;
  std::size_t other_hosts = 0;
  for (std::size_t i = 0; i < candidates.size(); ++i) {
    if (i == winner) continue;
    const Candidate& candidate = candidates[i];
    switch (mismatch(candidate.rule, head)) {
      case Mismatch::kHost:
        ++other_hosts;
        break;
      case Mismatch::kPath:
        not_matching.push_back(title(candidate) + ": the path is not below its path-prefix");
        break;
      case Mismatch::kHeaders:
        not_matching.push_back(title(candidate) + ": " + header_reason(candidate.rule, head));
        break;
      case Mismatch::kNone:
        less_specific.push_back(title(candidate) + ": " +
                                std::string(why_before(candidates[*winner].rule, candidate.rule)));
        break;
    }
  }
  add_part("matches too, but is less specific:", std::move(less_specific), lines);
  add_part("does not match:", std::move(not_matching), lines);
  if (other_hosts > 0) {
    lines.push_back(std::to_string(other_hosts) + (other_hosts == 1 ? " rule is" : " rules are") +
                    " for other hosts");
  }
}

std::string answers_itself(int status, const std::string& why) {
  return "Bellows itself responds with " + std::to_string(status) + ": " + why;
}

/// Returns the answer before the lookup of a service; empty if the lookup follows.
std::string answer_without_service(const http::RequestHead& head) {
  if (proxy::counts_hops(head)) {
    if (const auto last = proxy::local_reply_at_last_hop(head)) {
      return answers_itself(last->status, "its Max-Forwards ends here");
    }
  }
  if (const auto probe = reply_to_probe(head, true)) {
    return answers_itself(probe->status,
                          "it is a probe of the activator, by its User-Agent or K- fields");
  }
  return {};
}

/// Returns the answer by the settings of the service whose route matches; empty if the service gets
/// the request.
std::string answer_of_service(const RoutedService& service, const http::RequestHead& head) {
  if (proxy::ProbeRules(service.own.probe_user_agents, service.own.probe_paths).matches(head)) {
    return answers_itself(200, "it is a probe, by probe-paths or probe-user-agents of " +
                                   service.name.text() + "; 503 if its replicas fail to start");
  }
  if (const auto* answer = find_answer(service.own.static_answers, head)) {
    return answers_itself(answer->status, "by static-answers of " + service.name.text());
  }
  return {};
}

}  // namespace

Result<RouteReport> route_report(const std::vector<RoutedService>& services,
                                 const TestRequest& request) {
  std::string text = request.method + " " + request.path + " HTTP/1.1\r\nHost: " + request.host;
  for (const std::string& line : request.header_lines) text += "\r\n" + line;
  text += "\r\n\r\n";
  http::HeadParser parser;
  http::RequestHead head;
  const http::HeadResult read = parser.read(text, head);
  if (!read.is_complete() || head.size != text.size()) {
    return fail(ErrorKind::kMalformed, "request",
                read.is_fault() ? std::string(http::fault_text(*read.fault()))
                                : "a part of it has a line break");
  }
  if (std::string own = answer_without_service(head); !own.empty()) {
    return RouteReport{.is_taken = false, .lines = {std::move(own), "no service gets it"}};
  }
  const std::vector<Candidate> candidates = candidates_of(services);
  std::vector<RouteEntry> entries;
  entries.reserve(candidates.size());
  for (const Candidate& each : candidates) entries.push_back({each.service->name, each.rule});
  const RouteTable table(entries);
  RouteReport report;
  std::optional<std::size_t> winner;
  if (const auto found = table.find(head.host, head.path, &head.fields)) winner = *found;
  report.is_taken = winner.has_value();
  if (winner) {
    std::string own = answer_of_service(*candidates[*winner].service, head);
    if (!own.empty()) report.lines.push_back(std::move(own));
    add_winner(candidates[*winner], !report.lines.empty(), report.lines);
  } else {
    report.lines.emplace_back("no service gets it: the response is 404");
  }
  add_others(candidates, winner, head, report.lines);
  return report;
}

}  // namespace bellows::activator
