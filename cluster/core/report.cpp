#include "cluster/core/report.hpp"

namespace bellows::cluster {

std::string_view to_string(ServingState state) {
  switch (state) {
    case ServingState::kActive:
      return "Active";
    case ServingState::kReserve:
      return "Reserve";
    case ServingState::kRetired:
      return "Retired";
  }
  return {};
}

}  // namespace bellows::cluster
