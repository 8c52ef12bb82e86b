#include "simulator/workload.hpp"

namespace bellows::simulator {

std::string app_text(const Workload& workload) {
  const OwnTimes own = own_times(workload.traffic);
  if (own == OwnTimes::kNone) return to_string(workload.app);
  std::string service = "as traced";
  if (own == OwnTimes::kSome) service += " or " + to_string(workload.app.service);
  return text_with_service(workload.app, service);
}

}  // namespace bellows::simulator
