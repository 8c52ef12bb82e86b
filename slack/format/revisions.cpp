#include "slack/format/revisions.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <utility>

#include "json/object.hpp"

namespace bellows::slack {

namespace {

using json::Object;

constexpr std::int64_t kMostReplicas = 1'000'000;
constexpr std::int64_t kMostAmount = std::int64_t{1} << 50U;

/// An amount that is not governed is left out.
Result<std::int64_t> read_amount(const Object& size, std::string_view key) {
  if (!size.has(key)) return 0;
  return size.integer(key, 0, kMostAmount);
}

Result<Resources> read_size(const Object& size) {
  Resources amount{.pods = 1};
  BELLOWS_TRY(amount.cpu_millicores, read_amount(size, "cpu_millicores"));
  BELLOWS_TRY(amount.memory_bytes, read_amount(size, "memory_bytes"));
  return amount;
}

/// On one machine: what the settings give the next replica of each service.
using NextSizes = std::map<std::string, Resources, std::less<>>;
Result<NextSizes> next_sizes(const Object& document) {
  NextSizes sizes;
  if (!document.has("machine")) return sizes;
  BELLOWS_TRY(const Object machine, document.object("machine"));
  if (!machine.has("services")) return sizes;
  BELLOWS_TRY(const auto services, machine.objects("services"));
  for (const Object& service : services) {
    if (!service.has("next")) continue;
    BELLOWS_TRY(std::string name, service.text("name"));
    BELLOWS_TRY(const Object next, service.object("next"));
    BELLOWS_TRY(const Resources size, read_size(next));
    sizes.emplace(std::move(name), size);
  }
  return sizes;
}

/// What a new replica gets; without a recommendation, the largest of the running ones or what the
/// settings say.
Result<Resources> size_of(const Object& revision, const Resources& configured) {
  if (revision.has("resources")) {
    BELLOWS_TRY(const Object resources, revision.object("resources"));
    for (const char* key : {"new_replicas", "target"}) {
      if (!resources.has(key) || resources.is_null(key)) continue;
      BELLOWS_TRY(const Object size, resources.object(key));
      return read_size(size);
    }
  }
  Resources largest = configured;
  if (!revision.has("replicas")) return largest;
  BELLOWS_TRY(const auto replicas, revision.objects("replicas"));
  for (const Object& replica : replicas) {
    if (!replica.has("size") || replica.is_null("size")) continue;
    BELLOWS_TRY(const Object size, replica.object("size"));
    BELLOWS_TRY(const Resources one, read_size(size));
    largest = max_of(largest, one);
  }
  return largest;
}

Result<std::int64_t> count_of(const Object& revision, std::string_view key) {
  if (!revision.has(key)) return 0;
  return revision.integer(key, 0, kMostReplicas);
}

Result<std::vector<Object>> revisions_of(const Object& document) {
  BELLOWS_TRY(const auto services, document.objects("services"));
  std::vector<Object> all;
  for (const Object& service : services) {
    BELLOWS_TRY(const auto revisions, service.objects("revisions"));
    all.insert(all.end(), revisions.begin(), revisions.end());
  }
  return all;
}

}  // namespace

Result<std::vector<RevisionDemand>> read_revisions(std::string_view text, const std::string& name,
                                                   std::vector<Unmet>& unmet) {
  BELLOWS_TRY(const Object document, json::parse(text, name));
  BELLOWS_TRY(const auto revisions, revisions_of(document));
  BELLOWS_TRY(const NextSizes configured, next_sizes(document));
  std::vector<RevisionDemand> demands;
  for (const Object& revision : revisions) {
    RevisionDemand demand;
    BELLOWS_TRY(demand.name, revision.text("name"));
    if (revision.has("state") && revision.text("state").value_or("") == "Retired") continue;
    // `desired` is for a short window too, if that rises: it is not for the stable window alone.
    BELLOWS_TRY(const std::int64_t desired, count_of(revision, "desired"));
    BELLOWS_TRY(const std::int64_t ready, count_of(revision, "ready"));
    BELLOWS_TRY(const std::int64_t starting, count_of(revision, "starting"));
    demand.to_come = std::max<std::int64_t>(desired - ready - starting, 0) + 1;
    const auto next = configured.find(demand.name);
    BELLOWS_TRY(demand.size,
                size_of(revision, next == configured.end() ? Resources{} : next->second));
    if (demand.size.cpu_millicores == 0 && demand.size.memory_bytes == 0) {
      unmet.push_back({"revision " + demand.name, "size", "none",
                       "neither a recommendation nor a replica says what a new one requests"});
      continue;
    }
    demands.push_back(std::move(demand));
  }
  return demands;
}

std::vector<Want> wants_of(const std::vector<RevisionDemand>& demands, Cluster& cluster) {
  std::vector<Want> wants;
  for (const RevisionDemand& one : demands) {
    Shape shape;
    shape.name = "revision " + one.name;
    shape.space = "default";
    shape.requests = one.size;
    wants.push_back({shape.name, "replicas to come", cluster.intern(shape), one.to_come, true});
  }
  return wants;
}

}  // namespace bellows::slack
