// A row of the table of settings (config/table.hpp): the name of a setting, its valid values, its
// programs, and the members for its value.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "config/field.hpp"
#include "config/member.hpp"

namespace bellows::config {

/// The programs that have settings. A service is one of a bellows.yaml, or a Revision of
/// Kubernetes.
enum class Program : std::uint8_t {
  kService,
  kRun,
  kUp,
  kQueueProxy,
  kActivator,
  kAutoscaler,
  kRecommender,
  kRecommenderServe,
};

class Programs {
 public:
  constexpr Programs() = default;
  constexpr Programs(Program program) : bits_(1U << static_cast<unsigned>(program)) {}

  constexpr Programs operator|(Programs others) const {
    Programs both;
    both.bits_ = bits_ | others.bits_;
    return both;
  }
  constexpr bool contain(Program program) const { return intersect(program); }
  constexpr bool intersect(Programs others) const { return (bits_ & others.bits_) != 0; }
  constexpr bool is_empty() const { return bits_ == 0; }

 private:
  std::uint32_t bits_ = 0;
};
constexpr Programs operator|(Program a, Programs b) {
  return Programs(a) | b;
}

/// `bellows run` and `bellows up`, the product on one machine.
inline constexpr Programs kMachine = Program::kRun | Program::kUp;
/// The programs that have the settings of a service.
inline constexpr Programs kServices = Program::kService | kMachine;
/// Programs that serve requests.
inline constexpr Programs kProxies = Program::kActivator | Program::kQueueProxy | kMachine;

/// Chooses values of a setting, by their text.
using Chooses = bool (*)(std::string_view text);

/// The times at which activators alone enforce a setting of a service.
enum class OfActivators : std::uint8_t {
  kNo,
  kWithoutReplica,  ///< while no replica is ready: wherever they can be in the path
  kAlways,          ///< so it does not hold for callers that reach replicas directly
};

/// The way of a setting of a service to the program that enforces it. Each text gives a reason, as
/// a sentence; empty: there is no such limit.
struct Reach {
  std::string_view pinned = {};          ///< why a running queue-proxy keeps the value of its start
  std::string_view capped = {};          ///< of memory: why it takes no more than that
  std::string_view off_kubernetes = {};  ///< why a Revision of Kubernetes has no effect by it
  /// The reason why a Revision of Kubernetes cannot have it: it follows "want nothing on
  /// Kubernetes, where".
  std::string_view refused_on_kubernetes = {};
  Chooses is_off = nullptr;  ///< the values for which that holds; nullptr: all
  /// The values that decide a number above zero, which is the HorizontalPodAutoscaler's where there
  /// is one; nullptr: none.
  Chooses is_of_hpa = nullptr;
  OfActivators of_activators = OfActivators::kNo;
  /// It goes by what replicas use, so it has no effect where that is not measured.
  bool needs_usage = false;
};

/// A row of the table. Its default is that of the member at `at`; its kind follows from the
/// member's type.
struct Setting {
  std::string_view name = {};  ///< kebab-case; the key in a file and, after "--", the flag
  Place at[3] = {};            ///< one member of each struct that has it
  Tier tier = Tier::kTuning;
  Choice choices[5] = {};          ///< the valid values of an enum
  std::string_view variable = {};  ///< empty: BELLOWS_ and the name in capitals
  bool is_percent = false;         ///< of a double: "70" or "70%"
  Bounds bounds = {};
  TextFormat (*format)() = nullptr;  ///< nullptr: any text
  bool is_required = false;
  std::string_view help = {};   ///< its effect, then when to change it
  std::string_view unset = {};  ///< the effect while it is unset, if there is no default
  Reach reach = {};
  Programs programs = {};  ///< empty: those of the group
};

/// Rows under one heading of help and docs.
struct Group {
  std::string_view heading;
  Programs programs;
  std::span<const Setting> rows;
  std::string_view off_kubernetes = {};  ///< Reach::off_kubernetes of all of them
};

}  // namespace bellows::config
