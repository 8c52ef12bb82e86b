// A service, its revisions and its route as data (docs/decisions/one-machine.md). Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "base/time.hpp"
#include "config/schema.hpp"
#include "config/service.hpp"
#include "machine/core/file_services.hpp"

namespace bellows::machine {

/// A revision is numbered within its service, from 1 on. A number is never used for other content.
using Number = std::int32_t;

/// Percent of a service's requests by revision; the sum is 100.
using Shares = std::map<Number, std::int32_t>;
inline constexpr std::int32_t kWhole = 100;  ///< all requests of a service, percent

/// Returns true if both are the same revision: equal command, environment, folder, account and
/// settings that a replica gets at its start. The other settings change while replicas run. Name
/// and route are not compared.
bool is_same_content(const config::ServiceContent& a, const config::ServiceContent& b);

/// Returns the settings that a replica gets at its start and that differ.
std::vector<config::Change> told_changes(const config::RevisionSettings& before,
                                         const config::RevisionSettings& after);

struct RevisionRecord {
  Number number = 1;
  SharedService content;     ///< its name is that of the service
  std::int32_t share = 0;    ///< percent of the service's requests; 0: it is kept for a rollback
  bool was_ready = false;    ///< it is proven: replicas of it became ready
  std::string failure = {};  ///< reason that its last start failed; empty: it did not

  bool operator==(const RevisionRecord&) const = default;
};

struct ServiceRecord {
  RevisionId name;
  config::Route route;
  std::vector<RevisionRecord> revisions;  ///< by number; empty only for a removed service
  Number next_number = 1;
  Number previous = 0;  ///< the one that got requests before the present one; 0: none
  /// Names that give a revision its own hosts: TAG.HOST.
  std::map<std::string, Number> tags = {};
  /// The service in the settings file that was last applied. nullopt: a command added it.
  std::optional<SharedService> declared = {};

  /// The rollout that has started and neither ended nor failed: "deploy to web-00002=100". Empty:
  /// there is none.
  std::string under_way = {};

  /// The shares to return to while a canary runs, which no restart resumes. Empty: no canary runs.
  Shares before_canary = {};

  /// When it is removed, whatever its requests. nullopt: it stays.
  std::optional<WallTime> expires = {};

  /// Returns true if a command removed it; it is remembered because the settings file still has it.
  bool is_removed() const { return revisions.empty(); }
  const RevisionRecord* find(Number number) const;
  RevisionRecord* find(Number number);
  /// Returns the revision with the largest share, the newest of equals. nullptr: it is removed.
  const RevisionRecord* current() const;
  Shares shares() const;

  bool operator==(const ServiceRecord&) const = default;
};

using Records = std::map<RevisionId, ServiceRecord>;

/// The new versions of some records; nullopt: the record is deleted. A change of one service takes
/// the same time with thousands of others.
using Edits = std::map<RevisionId, std::optional<ServiceRecord>>;
/// Returns nullptr if there is none.
const ServiceRecord* find(const Records& records, const Edits& edits, const RevisionId& name);
void carry_out(Edits edits, Records& records);

/// Returns true if a start from the settings file yields the same, so nothing has to be saved.
bool is_as_declared(const ServiceRecord& service);

/// Returns "web-00002" for the second revision of the service web.
RevisionId revision_id(const RevisionId& service, Number number);

/// Returns the number of the revision that `name` means: its id, or "2". nullopt: there is none.
std::optional<Number> number_of(const ServiceRecord& service, std::string_view name);

/// Returns the tags of a revision, sorted.
std::vector<std::string> tags_of(const ServiceRecord& service, Number number);

/// Returns true if requests can reach it: by a share, or by a tag.
bool is_reachable(const ServiceRecord& service, const RevisionRecord& revision);

/// Returns the route of the service, with the tags of the revision.
config::Route route_for(const ServiceRecord& service, const RevisionRecord& revision);

/// Returns "web-00001, web-00002": the existing revisions, for errors.
std::string revision_names(const ServiceRecord& service);

/// Returns "web-00001=90 web-00002=10".
std::string shares_text(const ServiceRecord& service, const Shares& shares);

/// Returns a service with one revision that gets all requests.
ServiceRecord new_service(const SharedService& content, Number number = 1);

/// Returns the revision with this content; a new one, without a share, if there is none. Its
/// settings that no replica gets at its start become those of `content`.
RevisionRecord& revision_for(ServiceRecord& service, const SharedService& content);

/// Replaces the settings of a revision that no replica gets at its start.
void set_settings(RevisionRecord& revision, const config::RevisionSettings& settings);

/// Gives each revision its share and records the one that had the largest share before. The shares
/// name existing revisions.
void set_shares(ServiceRecord& service, const Shares& shares);

/// Deletes the oldest revisions without share and tag until `keep` of them remain; it keeps the
/// previous one.
void forget_old(ServiceRecord& service, std::int32_t keep);

/// Returns the revisions with a share or a tag as the cluster runs them.
std::vector<config::ServiceRevision> revisions_to_run(const ServiceRecord& service);

/// Returns one revision as the cluster runs it.
config::ServiceRevision runnable(const ServiceRecord& service, const RevisionRecord& revision);

}  // namespace bellows::machine
