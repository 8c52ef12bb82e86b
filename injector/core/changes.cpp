#include "injector/core/changes.hpp"

#include <algorithm>
#include <utility>

#include "injector/core/compare.hpp"
#include "injector/core/record.hpp"
#include "injector/core/shared.hpp"
#include "injector/core/strip.hpp"

namespace bellows::injector {

Editor& Changes::editor(const Resource& resource) {
  const Document& document = manifests_[resource.manifest].documents[resource.document];
  return editors_.try_emplace(place_of(resource), document.text).first->second;
}

Documents Changes::apply(LeftAlone& left_alone) {
  Documents before;
  for (const auto& [place, editor] : editors_) {
    if (editor.is_unchanged()) continue;
    Document& document = manifests_[place.first].documents[place.second];
    Document changed{.text = editor.apply(),
                     .first_line = document.first_line,
                     .has_no_end = document.has_no_end,
                     .root = {}};
    auto root = read_(changed.text);
    if (!root) {
      left_alone.emplace(place, to_string(root.error()));
      continue;
    }
    changed.root = std::move(*root);
    before.emplace(place, std::exchange(document, std::move(changed)));
  }
  editors_.clear();
  return before;
}

Result<Documents> strip_all(std::vector<Manifest>& manifests, const Filter& wants,
                            const ReadDocument& read, std::vector<ReportLine>& report) {
  Changes changes(manifests, read);
  std::vector<std::pair<Place, SharedValue>> shared;
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
    Trial trial(changes.editor(resource));
    strip(resource, **record, read, trial.editor(), line.warnings);
    if (trial.editor().blocked() != nullptr) {
      report.push_back(report_line(manifests, resource, Outcome::kRefused,
                                   std::string("what inject added ") + kIsShared));
      continue;
    }
    trial.keep();
    for (const SharedValue& value : (*record)->shared) {
      shared.emplace_back(place_of(resource), value);
    }
    report.push_back(std::move(line));
  }
  LeftAlone left_alone;
  Documents before = changes.apply(left_alone);
  if (!left_alone.empty()) {
    const auto& [place, why] = *left_alone.begin();
    const Manifest& manifest = manifests[place.first];
    return fail(ErrorKind::kUnsupported,
                manifest.file + ":" + std::to_string(manifest.documents[place.second].first_line),
                "what inject added to this document cannot be taken out (" + why +
                    "); leave it out, and please report it");
  }
  std::ranges::reverse(shared);
  for (const auto& [place, value] : shared) {
    put_back(manifests[place.first].documents[place.second], value, read);
  }
  return before;
}

void verify(const Documents& before, const std::vector<Manifest>& after, const ReadDocument& read,
            LeftAlone& left_alone) {
  for (const auto& [place, original] : before) {
    std::vector<Manifest> copy(1);
    copy[0].documents = {after[place.first].documents[place.second]};
    std::vector<ReportLine> ignored;
    const auto any = [](const Resource&) { return true; };
    const auto restored = strip_all(copy, any, read, ignored);
    if (restored && copy[0].documents[0].text == original.text) continue;
    left_alone.emplace(place, restored ? "its text would differ" : to_string(restored.error()));
  }
}

void keep_up_to_date(Documents originals, std::vector<Manifest>& manifests) {
  for (auto& [place, original] : originals) {
    Document& document = manifests[place.first].documents[place.second];
    if (is_up_to_date(original.root, document.root)) document = std::move(original);
  }
}

}  // namespace bellows::injector
