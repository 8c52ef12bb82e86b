// What would not fit on the machine, in words with the numbers that would. Pure.
#pragma once

#include <string>
#include <vector>

#include "slack/machine/machine_plan.hpp"

namespace bellows::slack {

/// `plan` has everything but `unmet`. By service; the machine itself first.
std::vector<Unmet> machine_unmet(const MachineInput& input, const MachinePlan& plan);

/// "cpu 500m, memory 300Mi"; amounts that are 0 are left out. "nothing" if all are.
std::string amounts_text(const Resources& amounts);

/// "memory: 300Mi: ...": one line for people.
std::string to_line(const Unmet& unmet);

}  // namespace bellows::slack
