#include "cli/status/status_items.hpp"

#include <algorithm>

namespace bellows::cli {

namespace {

constexpr int kManyRestarts = 3;
constexpr std::string_view kUnlistedHint =
    "their pods belong to no revision; on Kubernetes: label the Deployment "
    "bellows.dev/autoscale=true, or write a Revision for it";

bool has(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

/// Returns the trouble of the service, otherwise that of a replica that is not ready.
std::string trouble_of(const ServiceStatus& service) {
  if (std::string trouble = service_trouble(service); !trouble.empty()) return trouble;
  for (const ReplicaStatus& replica : service.replicas) {
    if (replica.phase != "ready" && replica.phase != "draining" && !replica.trouble.empty()) {
      return replica.trouble;
    }
  }
  return {};
}

std::string replicas_text(const ServiceStatus& service) {
  std::string text = std::to_string(service.ready) + " of " + std::to_string(service.desired) +
                     (service.desired == 1 ? " replica is ready" : " replicas are ready");
  if (service.desired == 0) text = "no replicas, none is needed";
  if (service.state == "Retired")
    text = "it is retired: requests get 410 Gone, `bellows resume " + service.name +
           "` brings it back";
  return service.is_paused ? text + "; it is paused" : text;
}

/// `noun`: "service", or "revision" of a service that has several.
CheckItem service_item(const std::string& noun, const ServiceStatus& service) {
  const std::string name = noun + " " + service.name;
  const std::string trouble = trouble_of(service);
  if (!trouble.empty()) return failed(name, trouble, hint_for(service.name, trouble));
  if (!service.path_problem.empty()) return failed(name, service.path_problem, "");
  if (service.is_paused && service.desired == 0) {
    return noted(name, "it is paused without replicas: requests wait",
                 "bellows resume " + service.name);
  }
  const auto restarts = std::ranges::max_element(service.replicas, {}, &ReplicaStatus::restarts);
  if (restarts != service.replicas.end() && restarts->restarts >= kManyRestarts) {
    return noted(name,
                 replicas_text(service) + "; " + restarts->name + " was restarted " +
                     std::to_string(restarts->restarts) + " times" +
                     (restarts->restarted_because.empty()
                          ? ""
                          : ", the last time because " + restarts->restarted_because),
                 "bellows logs " + service.name);
  }
  return passed(name, replicas_text(service));
}

/// Returns the port of "... (it listens on 127.0.0.1:8000); ..."; empty: there is none, or several.
std::string listened_port(const std::string& trouble) {
  constexpr std::string_view kBegin = "(it listens on ";
  const std::size_t begin = trouble.find(kBegin);
  if (begin == std::string::npos) return {};
  const std::size_t end = std::min(trouble.find(')', begin), trouble.size());
  const std::string addresses = trouble.substr(begin, end - begin);
  if (has(addresses, ",")) return {};
  return addresses.substr(addresses.rfind(':') + 1);
}

}  // namespace

std::string hint_for(const std::string& service, const std::string& trouble) {
  const std::string logs = "`bellows logs " + service + "` shows its output";
  if (has(trouble, "its start command still runs")) {
    return "`start` has to end once the app runs; a program that stays in the foreground belongs "
           "in "
           "`command`, and a slow one needs a longer progress-deadline; " +
           logs;
  }
  if (has(trouble, "`port` has to be")) {
    const std::string port = listened_port(trouble);
    return port.empty() ? "set port to the one at which the app listens; " + logs
                        : "set port: " + port + ", or let the app listen on the port that is set";
  }
  if (has(trouble, "(it listens on")) {
    return "let the app listen on 127.0.0.1 and on the port in $PORT";
  }
  if (has(trouble, "nothing listens on") || has(trouble, "connect")) {
    return "let the app listen on the port in $PORT; a slow start needs a longer "
           "progress-deadline; " +
           logs;
  }
  if (has(trouble, "no good answer") || has(trouble, "responded") || has(trouble, "answered")) {
    return "readiness-path must respond with 200 to 399 once the app can serve; " + logs;
  }
  if (has(trouble, "exited with code 0")) {
    return "the app has to stay in the foreground; a program that goes into the background has an "
           "option against it (nginx -g 'daemon off;'); " +
           logs;
  }
  if (has(trouble, "may not enter the folder")) {
    return "chmod o+x on that folder, or a program in one that its user may enter, as /srv";
  }
  if (has(trouble, "; it needs more")) {
    return "a higher memory-limit; `bellows status` shows what its replicas use";
  }
  if (has(trouble, "the app")) return logs;
  if (has(trouble, "open files")) return "ulimit -Hn, LimitNOFILE, or a smaller max-scale";
  return "`bellows explain " + service + "`";
}

std::string service_trouble(const ServiceStatus& service) {
  if (!service.trouble.empty()) return service.trouble;
  if (service.ready > 0) return {};
  const bool is_failed_start =
      service.not_ready.empty() || service.not_ready == service.start_failure;
  if (!is_failed_start) return service.not_ready;
  if (service.failed_starts == 0) return {};
  const std::string which = service.failed_starts == 1
                                ? "the last start"
                                : "the last " + std::to_string(service.failed_starts) + " starts";
  return which + " failed: " + service.start_failure;
}

std::string trouble_sentence(const ServiceStatus& service) {
  const std::string trouble = trouble_of(service);
  if (trouble.empty()) return {};
  const std::string who = service.ready > 0     ? "A replica does not become ready: "
                          : service.desired > 0 ? "No replica becomes ready: "
                                                : "The next request may not be served: ";
  return who + trouble + " (" + hint_for(service.name, trouble) + ").";
}

std::vector<CheckItem> status_items(const Status& status) {
  std::vector<CheckItem> items;
  for (const ServiceStatus& service : status.services) {
    items.push_back(service_item("service", service));
    for (const ServiceStatus& revision : service.revisions) {
      items.push_back(service_item("revision", revision));
    }
  }
  if (status.machine) {
    for (const std::string& unmet : status.machine->unmet) {
      items.push_back(noted("room", unmet, "a smaller memory or max-scale, or machine-memory"));
    }
  }
  if (status.refused) {
    const bool is_unlisted = status.refused->reason == "unlisted";
    items.push_back(noted(
        "stats",
        std::to_string(status.refused->total) + " were rejected (" + status.refused->reason +
            "), the last from " + status.refused->peer,
        is_unlisted ? std::string(kUnlistedHint) : "docs/formats/wire.md, \"Accepted senders\""));
  }
  return items;
}

}  // namespace bellows::cli
