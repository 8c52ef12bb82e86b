// A service, its revisions and its route as data (docs/decisions/services.md). Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/ids.hpp"
#include "config/schema.hpp"
#include "config/service.hpp"
#include "machine/core/file_services.hpp"

namespace bellows::machine {

/// A revision is numbered within its service, from 1 on. A number is never used for other content.
using Number = std::int32_t;

/// Percent of a service's requests by revision; the sum is 100.
using Shares = std::map<Number, std::int32_t>;
inline constexpr std::int32_t kWhole = 100;  ///< all requests of a service, percent

/// What a revision is, so that the same content is the same revision: what is run (command,
/// environment, folder, account) and the settings that a replica is told when it starts. The other
/// settings change while replicas run. Name and route do not matter.
bool is_same_content(const config::ServiceContent& a, const config::ServiceContent& b);

/// The names of the settings that a replica is told, as far as they differ.
std::vector<config::Change> told_changes(const config::RevisionSettings& before,
                                         const config::RevisionSettings& after);

struct RevisionRecord {
  Number number = 1;
  SharedService content;     ///< its name is that of the service
  std::int32_t share = 0;    ///< percent of the service's requests; 0: it is kept for going back
  bool was_ready = false;    ///< it has been proven: replicas of it became ready
  std::string failure = {};  ///< why it did not become ready the last time; empty: it did

  bool operator==(const RevisionRecord&) const = default;
};

struct ServiceRecord {
  RevisionId name;
  config::Route route;
  std::vector<RevisionRecord> revisions;  ///< by number; none only of a removed service
  Number next_number = 1;
  Number previous = 0;  ///< what got requests before the present one; 0: nothing
  /// Names that give a revision hosts of its own: TAG.HOST.
  std::map<std::string, Number> tags = {};
  /// The service as the settings file had it when it was last applied. nullopt: it was added by a
  /// command.
  std::optional<SharedService> declared = {};

  /// The rollout that has begun and neither ended nor failed: "deploy to web-00002=100". Empty:
  /// there is none.
  std::string under_way = {};

  /// The shares to go back to while a canary is under way, which no restart takes up. Empty: none
  /// is.
  Shares before_canary = {};

  /// Removed by a command, and remembered because the settings file still has it.
  bool is_removed() const { return revisions.empty(); }
  const RevisionRecord* find(Number number) const;
  RevisionRecord* find(Number number);
  /// The revision with the largest share, the newest of equals. nullptr: it is removed.
  const RevisionRecord* current() const;
  Shares shares() const;

  bool operator==(const ServiceRecord&) const = default;
};

using Records = std::map<RevisionId, ServiceRecord>;

/// What a change makes of some of the records; nullopt: it is forgotten. The others stay as they
/// are, so that a change of one service among thousands costs what one does.
using Edits = std::map<RevisionId, std::optional<ServiceRecord>>;
/// nullptr: there is none.
const ServiceRecord* find(const Records& records, const Edits& edits, const RevisionId& name);
void carry_out(Edits edits, Records& records);

/// It is what the settings file makes of it at a start, so nothing has to be kept of it.
bool is_as_declared(const ServiceRecord& service);

/// "web" for the first revision of the service web, "web-00002" for the second.
RevisionId revision_id(const RevisionId& service, Number number);

/// The number of the revision that `name` means: its id, or "2". nullopt: there is none.
std::optional<Number> number_of(const ServiceRecord& service, std::string_view name);

/// The tags of a revision, sorted.
std::vector<std::string> tags_of(const ServiceRecord& service, Number number);

/// True if something leads to it: a share of the requests, or a tag.
bool is_reachable(const ServiceRecord& service, const RevisionRecord& revision);

/// The route of the service, with the tags of the revision.
config::Route route_for(const ServiceRecord& service, const RevisionRecord& revision);

/// "web, web-00002": the revisions there are, for errors.
std::string revision_names(const ServiceRecord& service);

/// "web=90 web-00002=10".
std::string shares_text(const ServiceRecord& service, const Shares& shares);

/// A service with one revision that gets all requests.
ServiceRecord new_service(const SharedService& content, Number number = 1);

/// The revision with this content; a new one, without a share, unless there is one. The settings
/// that no replica is told are those of `content` from now on.
RevisionRecord& revision_for(ServiceRecord& service, const SharedService& content);

/// Gives a revision other settings that no replica is told.
void set_settings(RevisionRecord& revision, const config::RevisionSettings& settings);

/// Gives each revision its share and remembers the one that got most before. The shares name
/// revisions that there are.
void set_shares(ServiceRecord& service, const Shares& shares);

/// Forgets the oldest revisions that have neither share nor tag until `keep` of them are left;
/// never the previous one.
void forget_old(ServiceRecord& service, std::int32_t keep);

/// The revisions with a share or a tag as the cluster runs them.
std::vector<config::ServiceRevision> revisions_to_run(const ServiceRecord& service);

/// One revision as the cluster runs it.
config::ServiceRevision runnable(const ServiceRecord& service, const RevisionRecord& revision);

}  // namespace bellows::machine
