// What `bellows simulate --help` says besides its flags.
#pragma once

#include <string_view>

namespace bellows::cli {

inline constexpr std::string_view kSimulateDetails =
    "The real deciders, windows, activator and limits, in virtual time, on the same arrivals. Two "
    "limits stand\n"
    "beside the policies: an oracle that knows the next start-up time, and the load itself.\n\n"
    "  bellows simulate --trace worldcup98-jun30.csv --scale 0.25 --from 15h --to 17h\n"
    "  bellows simulate --trace day.csv --policy bellows,knative,bellows:window=30s --app "
    "slow,service=200ms\n\n"
    "An app model is a preset (fast, medium, slow: ready 0.5s, 2s, 20s after the order) or "
    "nothing, "
    "then key=value,\n"
    "separated by commas:\n\n"
    "  start=DURATION            from order to ready                              2s\n"
    "  service=DURATION          of one request at work                           "
    "exponential(500ms)\n"
    "  workers=N             requests one replica works on at once; 0: any    0\n"
    "  cpu=TIME              part of each service time that needs a core      0\n"
    "  cores=N               of one replica                                   1\n"
    "  crash=TIME            mean time between crashes of one replica         never\n"
    "  crash-at-start=N%     share of starts that fail                        0%\n\n"
    "A DURATION is 2s, uniform(1s,3s), exponential(500ms) or lognormal(20s,0.3): median, and sigma "
    "from 0 to 5.\n"
    "A TIME is 20ms or 1h30m. "
    "docs/simulate.md describes formats, columns and what is modelled.\n";

}  // namespace bellows::cli
