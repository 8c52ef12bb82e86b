#include "injector/core/inject.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "injector/core/add.hpp"
#include "injector/core/changes.hpp"
#include "injector/core/names.hpp"
#include "injector/core/service.hpp"
#include "injector/core/shared.hpp"
#include "injector/core/strip.hpp"
#include "injector/core/surroundings.hpp"
#include "injector/core/traffic.hpp"

namespace bellows::injector {

namespace {

/// What was written out for an object, by its index.
using WrittenOut = std::map<std::size_t, std::vector<SharedValue>>;

/// What earlier changes and attempts have shown, by the index of the object.
struct Earlier {
  std::map<std::size_t, std::string> ports;  // of the apps of workloads that are injected already
  /// The objects that cannot be injected, or not any more, and so stay as they are.
  std::map<std::size_t, ReportLine> kept = {};
};

/// Injects one input whose earlier additions are taken out.
class Injector {
 public:
  Injector(std::vector<Manifest>& manifests, const InjectOptions& options, const ReadDocument& read,
           Earlier& earlier, const WrittenOut& written)
      : manifests_(manifests),
        options_(options),
        earlier_(earlier),
        written_(written),
        resources_(resources_of(manifests, options)),
        surroundings_(resources_),
        changes_(manifests, read),
        targets_(surroundings_.services().size()) {}

  /// Collects the changes of all objects.
  void collect(std::vector<ReportLine>& report) {
    for (const Resource& resource : resources_) {
      const auto reason = reason_not_to(resource);
      if (const auto kept = earlier_.kept.find(resource.index); kept != earlier_.kept.end()) {
        report.push_back(kept->second);
      } else if (!reason) {
        report.push_back(inject_workload(resource));
      } else if (!reason->empty()) {
        report.push_back(report_line(manifests_, resource, Outcome::kSkipped, *reason));
      }
    }
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (targets_[i].empty() || earlier_.kept.contains(service(i).resource.index)) continue;
      report.push_back(inject_service(i));
    }
  }

  /// The objects that are not injected, by index: their documents, and the shared value that a
  /// change would have needed, if it was that.
  const std::map<std::size_t, std::pair<Place, const Node*>>& failures() const { return failures_; }

  /// Writes the changes into the documents. Returns those as they were.
  Documents apply(LeftAlone& left_alone) { return changes_.apply(left_alone); }

 private:
  static std::vector<Resource> resources_of(const std::vector<Manifest>& manifests,
                                            const InjectOptions& options) {
    std::vector<Resource> resources = find_resources(manifests);
    for (Resource& resource : resources) {
      if (options.is_admission() && resource.kind == "Pod") resource.name = options.workload;
    }
    return resources;
  }

  ReportLine refusal(const Resource& resource, const Error& error, const Node* blocked = nullptr) {
    failures_.emplace(resource.index, std::pair(place_of(resource), blocked));
    return report_line(manifests_, resource, Outcome::kRefused, to_string(error));
  }

  std::optional<std::string> reason_not_to(const Resource& resource) const {
    const auto reason = reason_to_skip(resource, options_.is_admission());
    if (reason || is_selected(resource, options_.selection)) return reason;
    return "--only and --selector do not mean it";
  }

  /// Returns the reason that a workload gets no queue-proxy. Without a port for HTTP it needs none,
  /// unless it has the label.
  ReportLine not_injected(const Resource& workload, const Error& error) {
    const bool is_left_out = error.kind() == ErrorKind::kNotFound && !is_asked_for(workload);
    ReportLine line = refusal(workload, error);
    if (is_left_out) line.outcome = Outcome::kSkipped;
    if (!earlier_.ports.contains(workload.index)) return line;
    line.outcome = Outcome::kRefused;
    line.what += "; it stays as an earlier inject made it: uninject takes that out";
    earlier_.kept.emplace(workload.index, line);
    return line;
  }

  bool is_asked_for(const Resource& workload) const {
    const Node* const labels = workload.root->at("metadata/labels");
    const Node* const scales = labels == nullptr ? nullptr : labels->find(kAutoscaleLabel);
    const std::string wish = annotation_of(workload, kInjectAnnotation);
    return !options_.selection.names.empty() || wish == "enabled" || wish == "true" ||
           (scales != nullptr && scales->is_text("true"));
  }

  ReportLine inject_workload(const Resource& workload) {
    const std::vector<std::size_t> selecting = surroundings_.services_of(workload);
    std::vector<Service> services;
    for (const std::size_t i : selecting) services.push_back(service(i));
    const auto earlier = earlier_.ports.find(workload.index);
    auto plan = plan_for(workload, services, options_,
                         earlier == earlier_.ports.end() ? "" : earlier->second);
    if (!plan) return not_injected(workload, plan.error());
    if (const auto conflict = check_names(selecting, *plan); !conflict) {
      return not_injected(workload, conflict.error());
    }
    Trial trial(changes_.editor(workload));
    const auto added =
        add_to_workload(workload, *plan, options_, written_for(workload), trial.editor());
    if (const Node* const shared = trial.editor().blocked()) {
      return refusal(workload, {ErrorKind::kUnsupported, "the pod template", kIsShared}, shared);
    }
    if (!added) return not_injected(workload, added.error());
    trial.keep();
    note_traffic(services, surroundings_.policies_of(workload), options_, *plan);
    if (!options_.is_admission()) {
      note_label(workload, surroundings_.has_revision(workload), *plan);
    }
    const std::vector<const Resource*>& quotas = surroundings_.quotas_of(workload);
    for (std::string& warning : resource_warnings(workload, plan->resources, quotas)) {
      plan->warnings.push_back(std::move(warning));
    }
    for (const std::size_t i : selecting) plan_targets(i, *plan);
    ReportLine line =
        report_line(manifests_, workload, Outcome::kInjected,
                    "container " + plan->container + ", port " + std::to_string(plan->app.number) +
                        ": requests go to port " + plan->port_name + " of the queue-proxy");
    line.notes = std::move(plan->notes);
    line.warnings = std::move(plan->warnings);
    return line;
  }

  /// A Service has one target port for all pods that it selects.
  Result<void> check_names(const std::vector<std::size_t>& selecting, const Plan& plan) const {
    for (const std::size_t i : selecting) {
      for (const TargetChange& change : targets_[i]) {
        if (!leads_to(change.port, plan.app) || change.name == plan.port_name) continue;
        return fail(ErrorKind::kConflict, label_of(service(i).resource),
                    "also selects pods whose port is named " + change.name + ", not " +
                        plan.port_name + ": give both the same name");
      }
    }
    return {};
  }

  void plan_targets(std::size_t index, const Plan& plan) {
    if (!options_.changes_services || service(index).is_headless) return;
    std::vector<TargetChange>& targets = targets_[index];
    for (const ServicePort& port : service(index).ports) {
      if (!port.target_name.empty() || !leads_to(port, plan.app)) continue;
      const auto is_same = [&port](const TargetChange& known) {
        return known.port.index == port.index;
      };
      if (std::ranges::none_of(targets, is_same)) targets.push_back({port, plan.port_name});
    }
  }

  ReportLine inject_service(std::size_t index) {
    const Resource& resource = service(index).resource;
    Trial trial(changes_.editor(resource));
    const auto added =
        add_to_service(service(index), targets_[index], written_for(resource), trial.editor());
    if (const Node* const shared = trial.editor().blocked()) {
      return refusal(resource, {ErrorKind::kUnsupported, "the Service", kIsShared}, shared);
    }
    if (!added) return refusal(resource, added.error());
    trial.keep();
    std::string what;
    for (const TargetChange& change : targets_[index]) {
      what += (what.empty() ? "" : ", ") + std::string("target port ") +
              std::to_string(change.port.number) + " is " + change.name + " now";
    }
    return report_line(manifests_, resource, Outcome::kInjected, what);
  }

  std::vector<SharedValue> written_for(const Resource& resource) const {
    const auto written = written_.find(resource.index);
    return written == written_.end() ? std::vector<SharedValue>() : written->second;
  }

  const Service& service(std::size_t index) const { return surroundings_.services()[index]; }

  std::vector<Manifest>& manifests_;
  const InjectOptions& options_;
  Earlier& earlier_;
  const WrittenOut& written_;
  std::map<std::size_t, std::pair<Place, const Node*>> failures_;
  std::vector<Resource> resources_;
  Surroundings surroundings_;
  Changes changes_;
  std::vector<std::vector<TargetChange>> targets_;  // of each Service
};

/// The port that the queue-proxy of `workload` forwards to.
std::string user_port_of(const Resource& workload) {
  constexpr std::string_view kFlag = "--user-port=";
  for (const char* list : {"spec/containers", "spec/initContainers"}) {
    const Node* const containers = pod_of(workload)->at(list);
    if (containers == nullptr) continue;
    for (const Node& container : containers->items) {
      const Node* const flags = container.find("args");
      if (container.text_at("name") != kContainerName || flags == nullptr) continue;
      for (const Node& flag : flags->items) {
        if (flag.text.starts_with(kFlag)) return flag.text.substr(kFlag.size());
      }
    }
  }
  return std::to_string(config::QueueProxySettings().user_port);
}

Earlier earlier_of(const std::vector<Resource>& resources) {
  Earlier earlier;
  for (const Resource& resource : resources) {
    const auto record =
        pod_of(resource) == nullptr ? std::nullopt : record_of(resource).value_or(std::nullopt);
    if (record) earlier.ports.emplace(resource.index, user_port_of(resource));
  }
  return earlier;
}

/// The workloads that are meant and can be injected, and the Services that select one of them:
/// another Service was changed beside pods that are not here.
Filter is_injected_here(const std::vector<Resource>& resources, const InjectOptions& options,
                        const Earlier& earlier) {
  const auto is_meant = [&options, &earlier](const Resource& resource) {
    return pod_of(resource) != nullptr && !earlier.kept.contains(resource.index) &&
           is_selected(resource, options.selection);
  };
  const Surroundings surroundings(resources);
  std::set<std::size_t> meant;
  for (const Resource& resource : resources) {
    if (!is_meant(resource)) continue;
    meant.insert(resource.index);
    for (const std::size_t i : surroundings.services_of(resource)) {
      meant.insert(surroundings.services()[i].resource.index);
    }
  }
  return [meant](const Resource& resource) { return meant.contains(resource.index); };
}

/// Writes out the shared values that changes need, and reads the documents again.
class Sharing {
 public:
  Sharing(std::vector<Manifest>& manifests, const ReadDocument& read)
      : manifests_(manifests), read_(read) {}

  const WrittenOut& written() const { return written_; }
  /// The documents in which something was written out, as they were.
  Documents take_originals() { return std::move(originals_); }

  /// One step for each document that needs one. False: there is nothing more to do.
  bool advance(const Injector& injector) {
    std::set<Place> changed;
    for (const auto& [index, failure] : injector.failures()) {
      const auto& [place, blocked] = failure;
      if (hopeless_.contains(index) || changed.contains(place)) continue;
      if (blocked == nullptr ? undo(index, place) : step(index, place, *blocked)) {
        changed.insert(place);
      }
    }
    return !changed.empty();
  }

 private:
  bool step(std::size_t index, const Place& place, const Node& blocked) {
    Document& document = manifests_[place.first].documents[place.second];
    Document original = document;
    const std::vector<SharedValue> values = write_out(document, blocked, read_);
    if (values.empty()) return undo(index, place);
    originals_.emplace(place, std::move(original));
    std::ranges::copy(values, std::back_inserter(written_[index]));
    places_.emplace(index, place);
    return true;
  }

  /// Restores the original document of an object that cannot be injected after all. False: nothing
  /// has changed.
  bool undo(std::size_t index, const Place& place) {
    hopeless_.insert(index);
    const auto original = originals_.find(place);
    if (original == originals_.end()) return false;
    manifests_[place.first].documents[place.second] = std::move(original->second);
    originals_.erase(original);
    for (const auto& [other, where] : places_) {
      if (where == place) written_.erase(other);
    }
    return true;
  }

  std::vector<Manifest>& manifests_;
  const ReadDocument& read_;
  WrittenOut written_;
  std::map<std::size_t, Place> places_;  // of those that are written out
  Documents originals_;
  std::set<std::size_t> hopeless_;
};

/// Injects what nothing hinders. Returns the changed documents as they were.
Documents add_all(Injection& injection, const InjectOptions& options, const ReadDocument& read,
                  Earlier& earlier, LeftAlone& left_alone) {
  Sharing sharing(injection.manifests, read);
  for (;;) {
    std::vector<ReportLine> report;
    Injector injector(injection.manifests, options, read, earlier, sharing.written());
    injector.collect(report);
    if (sharing.advance(injector)) continue;
    std::ranges::move(report, std::back_inserter(injection.report));
    const Documents before = injector.apply(left_alone);
    Documents originals = sharing.take_originals();
    originals.insert(before.begin(), before.end());
    return originals;
  }
}

/// Refuses what was injected into the documents that are left alone, so that the next attempt
/// neither changes it nor makes a Service lead to it.
void keep_all(const std::vector<Manifest>& manifests, const std::vector<Resource>& resources,
              const std::vector<ReportLine>& report, const LeftAlone& left_alone,
              Earlier& earlier) {
  for (const Resource& resource : resources) {
    const auto found = left_alone.find(place_of(resource));
    if (found == left_alone.end()) continue;
    ReportLine refused =
        report_line(manifests, resource, Outcome::kRefused,
                    "uninject could not restore its document exactly (" + found->second +
                        "): write out its anchors and aliases, and please report it");
    const bool was_injected = std::ranges::any_of(report, [&refused](const ReportLine& line) {
      return line.outcome == Outcome::kInjected && line.file == refused.file &&
             line.line == refused.line && line.object == refused.object;
    });
    if (was_injected) earlier.kept.emplace(resource.index, std::move(refused));
  }
}

/// Injects what `earlier` does not keep. Adds to that what could not be injected, and to
/// `left_alone` the documents that must be left alone next time.
Result<Injection> inject_once(std::vector<Manifest> manifests, const InjectOptions& options,
                              const ReadDocument& read, Earlier& earlier, LeftAlone& left_alone) {
  Injection injection{.manifests = std::move(manifests), .report = {}};
  std::vector<ReportLine> stripped;
  const std::vector<Resource> resources = find_resources(injection.manifests);
  BELLOWS_TRY(Documents originals,
              strip_all(injection.manifests, is_injected_here(resources, options, earlier), read,
                        stripped));
  for (ReportLine& line : stripped) {
    const bool is_news = line.outcome == Outcome::kRefused || !line.warnings.empty();
    if (is_news) injection.report.push_back(std::move(line));
  }
  const Documents before = add_all(injection, options, read, earlier, left_alone);
  if (!options.is_admission()) verify(before, injection.manifests, read, left_alone);
  keep_up_to_date(std::move(originals), injection.manifests);
  return injection;
}

}  // namespace

Result<Injection> inject(std::vector<Manifest> manifests, const InjectOptions& options,
                         const ReadDocument& read) {
  const std::vector<Resource> resources = find_resources(manifests);
  BELLOWS_CHECKED(check_selection(resources, options.selection));
  Earlier earlier = earlier_of(resources);
  for (;;) {
    const std::size_t kept = earlier.kept.size();
    LeftAlone left_alone;
    auto injection = inject_once(manifests, options, read, earlier, left_alone);
    if (!injection) return injection;
    keep_all(manifests, resources, injection->report, left_alone, earlier);
    if (earlier.kept.size() > kept) continue;
    if (left_alone.empty()) return injection;
    const auto& [place, why] = *left_alone.begin();
    return fail(ErrorKind::kUnsupported, manifests[place.first].file,
                "uninject could not restore document " + std::to_string(place.second + 1) +
                    " exactly (" + why + "): leave it out, and please report it");
  }
}

Result<Injection> uninject(std::vector<Manifest> manifests, const ReadDocument& read) {
  Injection injection{.manifests = std::move(manifests), .report = {}};
  const auto any = [](const Resource&) { return true; };
  BELLOWS_CHECKED(strip_all(injection.manifests, any, read, injection.report));
  return injection;
}

}  // namespace bellows::injector
