#include "activator/service/cold_start_journal.hpp"

#include <utility>

#include "base/sys/log.hpp"
#include "json/writer.hpp"
#include "proxy/core/access_line.hpp"
#include "proxy/core/probe_rules.hpp"

namespace bellows::activator {

void ColdStartJournal::add(ColdStart start, WallTime at) {
  const sys::log::Field service{"service", start.service.text()};
  const sys::log::Field revision{"revision", start.revision.text()};
  const sys::log::Field replica{"replica", start.replica.text()};
  const sys::log::Field first_byte{"first_byte_after", start.answered - start.held};
  const sys::log::Field trace{"trace_id", start.trace_id};
  const sys::log::Field agent{"user_agent", start.user_agent};
  if (proxy::may_be_a_monitor(start.user_agent)) {
    sys::log::info(
        "cold start",
        {service,
         revision,
         replica,
         first_byte,
         trace,
         agent,
         {"hint", "a health check? probe-user-agents keeps it from waking the service"}});
  } else {
    sys::log::info("cold start", {service, revision, replica, first_byte, trace, agent});
  }
  if (kept_.size() == kKept) {
    kept_.pop_front();
    ended_.pop_front();
  }
  kept_.push_back(std::move(start));
  ended_.push_back(at);
}

std::string ColdStartJournal::json() const {
  json::Writer writer;
  writer.integer("version", 1).open_list("cold_starts");
  for (std::size_t i = kept_.size(); i-- > 0;) {
    const ColdStart& start = kept_[i];
    writer.open()
        .text("at", proxy::rfc3339(ended_[i]))
        .text("service", start.service.text())
        .text("revision", start.revision.text())
        .text("replica", start.replica.text())
        .text("trace_id", start.trace_id);
    for (const ColdStartPart& part : parts_of(start)) {
      writer.number(std::string(part.name) + "_ms", to_seconds(part.since_held) * 1e3);
    }
    writer.close();
  }
  return writer.close().end();
}

}  // namespace bellows::activator
