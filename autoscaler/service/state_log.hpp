// Keeps the state of all revisions in a file. It writes whole files, a part with every tick, and
// between them the changes (state_changes.hpp). A save thus writes only the changes, and every tick
// is short.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "autoscaler/core/decision.hpp"
#include "autoscaler/core/journal.hpp"
#include "autoscaler/service/state_file.hpp"
#include "base/ids.hpp"
#include "base/result.hpp"
#include "base/sys/clock.hpp"
#include "base/sys/file.hpp"
#include "base/time.hpp"

namespace bellows::autoscaler {

struct ScaledRevision;

/// The part of a revision in the files.
struct Saved {
  /// The newest file, with its changes, that has its whole state; 0: none.
  std::uint32_t whole_in = 0;
  /// The settings of the last whole state; shared with the revision and its journal.
  SettingsPtr settings = nullptr;
};

/// Writes the files PATH and PATH.changes. A new file begins as PATH.new and replaces the old one
/// when it is complete. A killed process loses at most 250 ms of changes, a machine that loses
/// power 10 s of the policies' memory. Owner: the service. Thread: the io thread. An empty path:
/// keeps nothing.
class StateLog {
 public:
  using Revisions = std::map<RevisionId, std::unique_ptr<ScaledRevision>>;

  /// `clock` outlives it. Writes nothing before the first decision.
  StateLog(std::string path, const sys::Clock& clock);

  /// Call it after each decision. `is_news`: a successor without it would decide differently.
  void decided(ScaledRevision& revision, const Decision& decision, bool is_news);
  void removed(const RevisionId& id);
  /// Writes the changes that are due.
  void tick(const Revisions& revisions);
  /// Writes a complete file, and blocks until then.
  void finish(const Revisions& revisions);

 private:
  /// A file under construction, which begins with the revision of the least name.
  struct Fresh {
    sys::GrowingFile file;
    std::uint32_t number = 0;
    ClockPair begin;
    std::string series;
    std::optional<RevisionId> last;  // written up to this name
    std::string changes;             // later changes of those
    bool is_empty = true;            // no state was written yet
  };
  /// The file in use.
  struct Current {
    sys::GrowingFile changes;
    std::uint32_t number = 0;
    TimePoint begin;
    std::size_t size = 0;     // of the file
    std::string unwritten{};  // lines
  };

  void save_whole(ScaledRevision& revision, TimePoint at);
  void add_line(const RevisionId& id, std::uint32_t whole_in, TimePoint at,
                const std::string& rest);
  Result<void> begin_fresh();
  Result<void> write_fresh(const Revisions& revisions, std::size_t count);
  Result<void> finish_fresh();
  Result<void> write_changes();
  Result<void> step(const Revisions& revisions);
  void note(const Result<void>& written);
  bool is_written_to(const RevisionId& id) const;

  std::string path_;
  const sys::Clock& clock_;
  std::optional<Current> current_;
  std::optional<Fresh> fresh_;
  std::uint32_t newest_ = 0;  // number of the newest file
  bool has_news_ = false;
  bool is_wanted_ = false;  // there is something to save
  bool is_broken_ = false;
  TimePoint last_write_;
  TimePoint last_sync_;
};

}  // namespace bellows::autoscaler
