#include "cli/explain/route.hpp"

#include <boost/json/object.hpp>
#include <vector>

#include "cli/explain/time_spec.hpp"
#include "kubernetes/core/condition.hpp"
#include "kubernetes/core/fields.hpp"

namespace bellows::cli {

Result<std::string> route_text(std::string_view revision, const LocalTime& local) {
  BELLOWS_TRY(const auto document, kubernetes::parse_document(revision));
  BELLOWS_TRY(
      const std::vector<kubernetes::Condition> conditions,
      kubernetes::read_document(*document, "Revision", [](const kubernetes::Fields& object) {
        return kubernetes::read_conditions(object.object("status"), "conditions");
      }));
  const kubernetes::Condition* routed = kubernetes::find_condition(conditions, "Routed");
  if (routed == nullptr) return std::string();
  return "Its path is " + routed->reason + " since " +
         local_time_text(routed->last_transition, local.now, local.utc_offset) + ": " +
         routed->message + ".";
}

}  // namespace bellows::cli
