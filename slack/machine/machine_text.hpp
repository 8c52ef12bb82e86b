// What would not fit on the machine, in words with the numbers that would. Pure.
#pragma once

#include <string>
#include <vector>

#include "slack/machine/machine_plan.hpp"

namespace bellows::slack {

/// `plan` has everything but `unmet`. By service; the machine itself first.
std::vector<Unmet> machine_unmet(const MachineInput& input, const MachinePlan& plan);

/// "service web: memory 300Mi: its next replica would not fit ...": one line for people.
std::string to_line(const Unmet& unmet);

}  // namespace bellows::slack
