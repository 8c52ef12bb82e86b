#include "activator/core/meanwhile.hpp"

#include <algorithm>
#include <chrono>
#include <string>
#include <utility>

namespace bellows::activator {
namespace {

/// Returns true for "text/html;q=0.9", false for "text/html;q=0".
bool names_html(std::string_view range) {
  const std::size_t end = range.find(';');
  if (!http::equals_lower(http::trim_ows(range.substr(0, end)), "text/html")) return false;
  if (end == std::string_view::npos) return true;
  const std::string_view parameter = http::trim_ows(range.substr(end + 1));
  const bool is_weight = parameter.starts_with("q=") || parameter.starts_with("Q=");
  return !is_weight || parameter.find_first_of("123456789", 2) != std::string_view::npos;
}

}  // namespace

/// A restart has a new process; the order is that of the first one.
void LastStart::note(const ReplicaView& replica) {
  if (!replica.ready || *replica.ready < ready_) return;
  ready_ = *replica.ready;
  time_ = ready_ - replica.process_started.value_or(replica.ordered);
}

bool takes_a_page(const http::RequestHead& head) {
  if (head.method != "GET") return false;
  bool takes = false;
  for (std::size_t i = 0; i < head.fields.size() && !takes; ++i) {
    if (!http::equals_lower(head.fields.name(i), "accept")) continue;
    http::for_each_token(head.fields.value(i),
                         [&takes](std::string_view range) { takes = takes || names_html(range); });
  }
  return takes;
}

std::string built_in_page(const RevisionId& service, bool is_failing,
                          std::optional<Duration> last_start) {
  const std::string& name = service.text();  // letters, digits, hyphens, dots and a slash
  const std::string state =
      is_failing ? name + " does not start at present" : name + " is starting";
  std::string more = is_failing ? "Bellows keeps trying." : "The first request has started it.";
  const auto seconds =
      std::chrono::round<std::chrono::seconds>(last_start.value_or(Duration::zero())).count();
  if (seconds > 0 && !is_failing) more += " It usually takes " + std::to_string(seconds) + " s.";
  return "<!doctype html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">"
         "<meta name=\"viewport\" content=\"width=device-width\"><title>" +
         state +
         "</title><style>body{font:1.1em/1.5 system-ui,sans-serif;max-width:32em;margin:20vh auto;"
         "padding:0 1em;color:#333}@media(prefers-color-scheme:dark){body{background:#1b1b1b;"
         "color:#ddd}}</style></head>\n<body><h1>" +
         state + "</h1><p>" + more + " This page reloads itself every " +
         std::to_string(kPageReloadSeconds) + " seconds until it is ready.</p></body></html>\n";
}

proxy::LocalReply waiting_page_reply(std::string page) {
  proxy::LocalReply reply;
  reply.status = 503;
  reply.body = std::move(page);
  reply.content_type = "text/html; charset=utf-8";
  reply.extra_lines =
      "Refresh: " + std::to_string(kPageReloadSeconds) + "\r\nCache-Control: no-store\r\n";
  reply.retry_after_seconds = kPageReloadSeconds;
  reply.reason = "waiting-page";
  return reply;
}

const config::StaticAnswer* find_answer(const std::vector<config::StaticAnswer>& answers,
                                        const http::RequestHead& head) {
  const std::string_view path = head.path.substr(0, head.path.find('?'));
  const auto found = std::ranges::find(answers, path, &config::StaticAnswer::path);
  return found == answers.end() ? nullptr : &*found;
}

proxy::LocalReply static_reply(const config::StaticAnswer& answer) {
  proxy::LocalReply reply;
  reply.status = answer.status;
  reply.body = answer.body;
  reply.content_type = answer.content_type;
  reply.extra_lines = answer.header_lines;
  reply.reason = "static";
  return reply;
}

}  // namespace bellows::activator
