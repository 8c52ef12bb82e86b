#include "injector/core/inject.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>

#include "injector/core/add.hpp"
#include "injector/core/compare.hpp"
#include "injector/core/editor.hpp"
#include "injector/core/service.hpp"
#include "injector/core/strip.hpp"
#include "injector/core/traffic.hpp"

namespace bellows::injector {

namespace {

using Place = std::pair<std::size_t, std::size_t>;  // manifest, document
using Documents = std::map<Place, Document>;

Place place_of(const Resource& resource) {
  return {resource.manifest, resource.document};
}

/// The input while it is changed, document by document.
class Changes {
 public:
  Changes(std::vector<Manifest>& manifests, const ReadDocument& read)
      : manifests_(manifests), read_(read) {}

  Editor& editor(const Resource& resource) {
    const Document& document = manifests_[resource.manifest].documents[resource.document];
    return editors_.try_emplace(place_of(resource), document.text).first->second;
  }
  /// What `change` did to the document of `resource` is undone.
  void set_editor(const Resource& resource, Editor editor) {
    editors_.insert_or_assign(place_of(resource), std::move(editor));
  }

  /// Writes the changes into the documents. Returns those documents as they were.
  Result<Documents> apply() {
    Documents before;
    for (const auto& [place, editor] : editors_) {
      if (editor.is_unchanged()) continue;
      Document& document = manifests_[place.first].documents[place.second];
      Document changed{.text = editor.apply(), .first_line = document.first_line, .root = {}};
      auto root = read_(changed.text);
      if (!root) return fail(defect(place, to_string(root.error())));
      changed.root = std::move(*root);
      before.emplace(place, std::exchange(document, std::move(changed)));
    }
    editors_.clear();
    return before;
  }

  Error defect(const Place& place, const std::string& why) const {
    const Manifest& manifest = manifests_[place.first];
    const std::size_t line = manifest.documents[place.second].first_line;
    return {ErrorKind::kUnsupported, manifest.file + ":" + std::to_string(line),
            "this document cannot be changed so that it can be restored exactly (" + why +
                "); leave it out, and please report it"};
  }

 private:
  std::vector<Manifest>& manifests_;
  const ReadDocument& read_;
  std::map<Place, Editor> editors_;
};

using Filter = std::function<bool(const Resource&)>;

/// Takes out what an earlier inject added to the objects that `wants` names. Returns the changed
/// documents as they were.
Result<Documents> strip_all(std::vector<Manifest>& manifests, const Filter& wants,
                            const ReadDocument& read, std::vector<ReportLine>& report) {
  Changes changes(manifests, read);
  for (const Resource& resource : find_resources(manifests)) {
    const auto record = record_of(resource);
    if (!record) {
      report.push_back(
          report_line(manifests, resource, Outcome::kRefused, to_string(record.error())));
      continue;
    }
    if (!*record || !wants(resource)) continue;
    ReportLine line = report_line(manifests, resource, Outcome::kRestored,
                                  "as it was before inject " + (*record)->version);
    strip(resource, **record, read, changes.editor(resource), line.warnings);
    report.push_back(std::move(line));
  }
  return changes.apply();
}

/// Restores a copy of each document that was changed, and compares it with what it was.
Result<void> verify(const Documents& before, const std::vector<Manifest>& after,
                    const ReadDocument& read) {
  for (const auto& [place, original] : before) {
    const Manifest& manifest = after[place.first];
    std::vector<Manifest> copy(1);
    copy[0].documents = {manifest.documents[place.second]};
    std::vector<ReportLine> ignored;
    const auto any = [](const Resource&) { return true; };
    const auto restored = strip_all(copy, any, read, ignored);
    if (restored && copy[0].documents[0].text == original.text) continue;
    return fail(ErrorKind::kUnsupported, manifest.file + ":" + std::to_string(original.first_line),
                "this document could not be restored exactly if it were injected: leave it out, "
                "and please report it");
  }
  return {};
}

/// A document that was up to date, in whatever format, stays as it was.
void keep_up_to_date(Documents originals, std::vector<Manifest>& manifests) {
  for (auto& [place, original] : originals) {
    Document& document = manifests[place.first].documents[place.second];
    if (is_up_to_date(original.root, document.root)) document = std::move(original);
  }
}

/// Injects one input whose earlier additions are taken out.
class Injector {
 public:
  Injector(std::vector<Manifest>& manifests, const InjectOptions& options, const ReadDocument& read)
      : manifests_(manifests),
        options_(options),
        resources_(find_resources(manifests)),
        changes_(manifests, read) {
    for (const Resource& resource : resources_) {
      if (auto service = read_service(resource)) services_.push_back(std::move(*service));
    }
    targets_.resize(services_.size());
  }

  /// Returns the changed documents as they were.
  Result<Documents> run(std::vector<ReportLine>& report) {
    for (const Resource& resource : resources_) {
      const auto reason = reason_to_skip(resource);
      if (!reason) {
        report.push_back(inject_workload(resource));
      } else if (!reason->empty()) {
        report.push_back(report_line(manifests_, resource, Outcome::kSkipped, *reason));
      }
    }
    for (std::size_t i = 0; i < services_.size(); ++i) {
      if (!targets_[i].empty()) report.push_back(inject_service(i));
    }
    return changes_.apply();
  }

 private:
  ReportLine refusal(const Resource& resource, const Error& error) const {
    return report_line(manifests_, resource, Outcome::kRefused, to_string(error));
  }

  ReportLine inject_workload(const Resource& workload) {
    std::vector<std::size_t> selecting;
    std::vector<Service> services;
    for (std::size_t i = 0; i < services_.size(); ++i) {
      if (!selects_pods_of(services_[i], workload)) continue;
      selecting.push_back(i);
      services.push_back(services_[i]);
    }
    auto plan = plan_for(workload, services, options_);
    if (!plan) return refusal(workload, plan.error());
    if (const auto conflict = check_names(selecting, *plan); !conflict) {
      return refusal(workload, conflict.error());
    }
    Editor trial = changes_.editor(workload);
    const auto added = add_to_workload(workload, *plan, options_, trial);
    if (!added) return refusal(workload, added.error());
    changes_.set_editor(workload, std::move(trial));
    note_traffic(workload, services, resources_, options_, *plan);
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
        return fail(ErrorKind::kConflict, label_of(services_[i].resource),
                    "also selects pods whose port is named " + change.name + ", not " +
                        plan.port_name + ": give both the same name");
      }
    }
    return {};
  }

  void plan_targets(std::size_t index, const Plan& plan) {
    if (!options_.changes_services || services_[index].is_headless) return;
    std::vector<TargetChange>& targets = targets_[index];
    for (const ServicePort& port : services_[index].ports) {
      if (!port.target_name.empty() || !leads_to(port, plan.app)) continue;
      const auto is_same = [&port](const TargetChange& known) {
        return known.port.index == port.index;
      };
      if (std::ranges::none_of(targets, is_same)) targets.push_back({port, plan.port_name});
    }
  }

  ReportLine inject_service(std::size_t index) {
    const Service& service = services_[index];
    Editor trial = changes_.editor(service.resource);
    const auto added = add_to_service(service, targets_[index], trial);
    if (!added) return refusal(service.resource, added.error());
    changes_.set_editor(service.resource, std::move(trial));
    std::string what;
    for (const TargetChange& change : targets_[index]) {
      what += (what.empty() ? "" : ", ") + std::string("target port ") +
              std::to_string(change.port.number) + " is " + change.name + " now";
    }
    return report_line(manifests_, service.resource, Outcome::kInjected, what);
  }

  std::vector<Manifest>& manifests_;
  const InjectOptions& options_;
  std::vector<Resource> resources_;
  Changes changes_;
  std::vector<Service> services_;
  std::vector<std::vector<TargetChange>> targets_;  // of each Service
};

/// Workloads, and Services that select one of the input: another Service was changed beside pods
/// that are not here.
Filter is_injected_here(const std::vector<Resource>& resources) {
  return [&resources](const Resource& resource) {
    if (pod_of(resource) != nullptr) return true;
    const auto service = read_service(resource);
    if (!service) return false;
    return std::ranges::any_of(resources, [&service](const Resource& workload) {
      return selects_pods_of(*service, workload);
    });
  };
}

}  // namespace

Result<Injection> inject(std::vector<Manifest> manifests, const InjectOptions& options,
                         const ReadDocument& read) {
  Injection injection{.manifests = std::move(manifests), .report = {}};
  std::vector<ReportLine> stripped;
  const std::vector<Resource> resources = find_resources(injection.manifests);
  BELLOWS_TRY(Documents originals,
              strip_all(injection.manifests, is_injected_here(resources), read, stripped));
  for (ReportLine& line : stripped) {
    const bool is_news = line.outcome == Outcome::kRefused || !line.warnings.empty();
    if (is_news) injection.report.push_back(std::move(line));
  }
  Injector injector(injection.manifests, options, read);
  BELLOWS_TRY(const Documents before, injector.run(injection.report));
  BELLOWS_CHECKED(verify(before, injection.manifests, read));
  keep_up_to_date(std::move(originals), injection.manifests);
  return injection;
}

Result<Injection> uninject(std::vector<Manifest> manifests, const ReadDocument& read) {
  Injection injection{.manifests = std::move(manifests), .report = {}};
  const auto any = [](const Resource&) { return true; };
  BELLOWS_CHECKED(strip_all(injection.manifests, any, read, injection.report));
  return injection;
}

}  // namespace bellows::injector
